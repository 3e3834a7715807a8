-- Version 1. Times are nanoseconds since 1970 UTC, times inside a recording nanoseconds since its
-- start. A migration only adds: older programs go on with the same database.

CREATE TABLE sessions (
    id              text   COLLATE "C" PRIMARY KEY,
    owner           bigint NOT NULL DEFAULT 0,         -- users.id; 0: the only user
    space           bigint NOT NULL DEFAULT 0,         -- spaces.id; 0: only the owner reads it
    machine         text   NOT NULL,                   -- which machine sends it
    forked_from     text   NOT NULL DEFAULT '',        -- the session that had the id before
    received        date   NOT NULL,                   -- when this server first heard of it: its partition
    description     json   NOT NULL,                   -- the session object of a transcript
    altered         boolean NOT NULL DEFAULT false,    -- characters that PostgreSQL refuses were replaced
    cwd             text   COLLATE "C" NOT NULL,
    title           text   NOT NULL,
    name            text   NOT NULL DEFAULT '',        -- the user's; goes before title
    note            text   NOT NULL DEFAULT '',
    tags            text[] COLLATE "C" NOT NULL DEFAULT '{}', -- sorted
    started_at      bigint NOT NULL,
    ended_at        bigint,
    -- Counted up with each write, so that a list need not read the rest.
    prompt          text   NOT NULL DEFAULT '',
    messages        bigint NOT NULL DEFAULT 0,
    turns           bigint NOT NULL DEFAULT 0,
    events          bigint NOT NULL DEFAULT 0,         -- of the raw log
    raw_bytes       bigint NOT NULL DEFAULT 0,
    raw_end         bigint NOT NULL DEFAULT 0,
    stored_bytes    bigint NOT NULL DEFAULT 0,
    raw_sha256      bytea  NOT NULL DEFAULT '',        -- of the last segment
    version         bigint NOT NULL DEFAULT 0,         -- of the description, as its sender counts
    entries_version bigint NOT NULL DEFAULT 0,         -- of the entries, likewise
    generation      bigint NOT NULL DEFAULT 0,         -- of the raw log that is read
    next_generation bigint NOT NULL DEFAULT 0,         -- of the raw log that events and raw_sha256 describe: the one that is sent
    deleted_at      bigint                             -- what remains of a deleted session is its id
);

CREATE INDEX sessions_started ON sessions (started_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX sessions_owner ON sessions (owner);
CREATE INDEX sessions_space ON sessions (space);

CREATE TABLE segments (
    received    date   NOT NULL,
    session     text   COLLATE "C" NOT NULL,
    generation  bigint NOT NULL,
    first_event bigint NOT NULL,
    end_event   bigint NOT NULL,
    start_at    bigint NOT NULL,
    end_at      bigint NOT NULL,
    start_byte  bigint NOT NULL,
    end_byte    bigint NOT NULL,
    data        bytea  NOT NULL,                       -- it is compressed
    PRIMARY KEY (received, session, generation, end_event)
) PARTITION BY RANGE (received);

CREATE TABLE entries (
    received     date   NOT NULL,
    session      text   COLLATE "C" NOT NULL,
    id           text   COLLATE "C" NOT NULL,
    seq          bigint NOT NULL,
    type         text   NOT NULL,
    event        text   NOT NULL,
    role         text   NOT NULL,
    agent        text   NOT NULL,
    conversation bigint NOT NULL,
    text         text   NOT NULL,
    markdown     text,                                 -- NULL: the same as text
    output       text   NOT NULL,
    tool         json,                                 -- not jsonb: that refuses \u0000
    data         json,
    at           bigint NOT NULL,
    end_at       bigint,
    byte_offset  bigint NOT NULL,
    status       text   NOT NULL,
    altered      boolean NOT NULL DEFAULT false,       -- characters that PostgreSQL refuses were replaced
    PRIMARY KEY (received, session, id)
) PARTITION BY RANGE (received);

CREATE INDEX entries_seq ON entries (session, seq, id);

-- What is searched: narrow, with all that rights and filters need. A message whose words do not fit
-- into one tsvector (16,383 positions, 256 of a word, 2,046 bytes a word) has several rows: part
-- counts from 1, and the program looks into the message itself. Other messages have part 0.
CREATE TABLE words (
    received date     NOT NULL,
    session  text     COLLATE "C" NOT NULL,
    entry    text     COLLATE "C" NOT NULL,
    part     integer  NOT NULL,
    at       bigint   NOT NULL,
    owner    bigint   NOT NULL,
    space    bigint   NOT NULL,
    role     text     NOT NULL,
    words    tsvector NOT NULL,
    PRIMARY KEY (received, session, entry, part)
) PARTITION BY RANGE (received);

CREATE INDEX words_words ON words USING gin (words);
CREATE INDEX words_parts ON words (at) WHERE part > 0;

ALTER TABLE segments ALTER COLUMN data SET STORAGE EXTERNAL;
