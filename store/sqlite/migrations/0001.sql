-- Version 1. Times are nanoseconds since 1970 UTC, times inside a recording nanoseconds since its start.

CREATE TABLE sessions (
    pk           INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: it is also the session's byte in the live file
    id           TEXT    NOT NULL UNIQUE,
    command      TEXT    NOT NULL,                  -- JSON array
    cwd          TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    exit_code    INTEGER,
    cols         INTEGER NOT NULL,
    rows         INTEGER NOT NULL,
    agents       TEXT    NOT NULL,                  -- JSON array
    content_hash BLOB    UNIQUE,                    -- of an imported recording
    -- Counted up with each write, so that a list need not read the rest.
    prompt       TEXT    NOT NULL DEFAULT '',       -- the start of the first prompt
    messages     INTEGER NOT NULL DEFAULT 0,
    turns        INTEGER NOT NULL DEFAULT 0,        -- messages of the user
    raw_bytes    INTEGER NOT NULL DEFAULT 0,        -- output bytes of the raw log
    raw_end      INTEGER NOT NULL DEFAULT 0,        -- time of its last event
    stored_bytes INTEGER NOT NULL DEFAULT 0         -- what its segments take
) STRICT;

CREATE INDEX sessions_started ON sessions (started_at);

-- The raw log. A segment holds the events first_event up to, not including, end_event, and is readable
-- alone (docs/format.md). Small ones are replaced by the larger one that they become part of.
CREATE TABLE segments (
    pk          INTEGER PRIMARY KEY,
    session_pk  INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    first_event INTEGER NOT NULL,
    end_event   INTEGER NOT NULL,
    start_at    INTEGER NOT NULL,
    end_at      INTEGER NOT NULL,
    start_byte  INTEGER NOT NULL, -- output bytes before it
    end_byte    INTEGER NOT NULL,
    data        BLOB    NOT NULL,
    UNIQUE (session_pk, end_event)
) STRICT;

CREATE TABLE entries (
    pk           INTEGER PRIMARY KEY,
    session_pk   INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    id           TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    type         TEXT    NOT NULL,
    event        TEXT    NOT NULL,
    role         TEXT    NOT NULL,
    agent        TEXT    NOT NULL,
    conversation INTEGER NOT NULL,
    text         TEXT    NOT NULL,
    markdown     TEXT,              -- NULL: the same as text
    output       TEXT    NOT NULL,
    tool         TEXT,              -- JSON object
    data         TEXT,              -- JSON object
    at           INTEGER NOT NULL,
    end_at       INTEGER,
    byte_offset  INTEGER NOT NULL,
    status       TEXT    NOT NULL,
    UNIQUE (session_pk, id)
) STRICT;

CREATE INDEX entries_seq ON entries (session_pk, seq);

-- The full-text index, rowid = entries.pk. It keeps no text of its own. What goes in is prepared by the
-- program (a space between CJK characters, so that any part of a sentence without spaces is found as a
-- phrase), so it is kept in step there and not by triggers.
CREATE VIRTUAL TABLE entry_fts USING fts5 (
    text, output,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
