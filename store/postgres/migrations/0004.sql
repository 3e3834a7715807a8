-- Version 4: links that open a session to people who may not read it otherwise.

CREATE TABLE links (
    id         bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session    text    COLLATE "C" NOT NULL,
    hash       bytea   NOT NULL UNIQUE,                -- SHA-256 of the code, which has 128 random bits
    made_by    bigint  NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    anyone     boolean NOT NULL,                       -- false: people who have signed in
    created_at bigint  NOT NULL,
    expires_at bigint  NOT NULL,
    revoked_at bigint
);

CREATE INDEX links_session ON links (session);
