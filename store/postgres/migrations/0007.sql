-- Version 7: people who sign in at a provider, and machines that log in by a browser.

ALTER TABLE users ADD COLUMN email text COLLATE "C" NOT NULL DEFAULT ''; -- in lower case; by which a provider's user is recognised the first time

CREATE UNIQUE INDEX users_email ON users (email) WHERE email <> '';

-- Who a provider's users are: an address may get another owner there, a subject does not.
CREATE TABLE identities (
    issuer     text   COLLATE "C" NOT NULL,
    subject    text   COLLATE "C" NOT NULL,
    user_id    bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at bigint NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

-- Machines that wait until somebody admits them in a browser.
CREATE TABLE logins (
    code       text   COLLATE "C" PRIMARY KEY,         -- is shown by the machine and by the page
    hash       bytea  NOT NULL,                        -- SHA-256 of the token that the machine will use
    name       text   NOT NULL,                        -- of the machine
    address    text   NOT NULL,                        -- from which it asked
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

ALTER TABLE tokens ADD COLUMN login   boolean NOT NULL DEFAULT false; -- made when somebody logged in; void when they log out
ALTER TABLE tokens ADD COLUMN ends_at bigint;          -- of a login: no login that it admits is valid for longer; NULL: no limit
