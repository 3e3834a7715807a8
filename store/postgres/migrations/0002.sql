-- Version 2: people, what they may do, and what they did.

CREATE TABLE users (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text   COLLATE "C" NOT NULL UNIQUE,
    role       text   NOT NULL CHECK (role IN ('member', 'auditor', 'admin')),
    created_at bigint NOT NULL
);

CREATE TABLE spaces (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text   COLLATE "C" NOT NULL UNIQUE,
    keep_days  bigint NOT NULL DEFAULT 0,              -- 0: no limit
    created_at bigint NOT NULL
);

CREATE TABLE members (
    space   bigint NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role    text   NOT NULL CHECK (role IN ('reader', 'member')),
    PRIMARY KEY (user_id, space)
);

CREATE TABLE tokens (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash       bytea  NOT NULL UNIQUE,                 -- SHA-256 of the token, which has 160 random bits
    name       text   NOT NULL,
    kind       text   NOT NULL CHECK (kind IN ('user', 'push')),
    space      bigint NOT NULL DEFAULT 0,              -- of a push token: where its sessions go
    created_at bigint NOT NULL,
    expires_at bigint,                                 -- NULL: never
    used_at    bigint
);

-- Who did what. Each row holds the hash of the row before it on the same day (UTC).
CREATE TABLE audit (
    day     date   NOT NULL,
    n       bigint NOT NULL,                           -- counts from 1
    row     text   NOT NULL,                           -- JSON object: at, user, token, what, session, address; never content
    before  bytea  NOT NULL,                           -- hash of the row before; of the day's first row: empty
    hash    bytea  NOT NULL,                           -- SHA-256 of before and row
    PRIMARY KEY (day, n)
);

-- The last row of each day: who locks it writes the next one.
CREATE TABLE audit_days (
    day    date   PRIMARY KEY,
    n      bigint NOT NULL,
    before bytea  NOT NULL,
    hash   bytea  NOT NULL
);

-- Of an entry as it was sent: SHA-256 of its JSON. With those of all entries the sender makes sure
-- that the server has them.
ALTER TABLE entries ADD COLUMN digest bytea NOT NULL DEFAULT '';

ALTER TABLE sessions ADD COLUMN pushed_by bigint NOT NULL DEFAULT 0; -- the token that sent it first
