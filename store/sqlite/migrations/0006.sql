-- Version 6: sessions from agents' own logs, and what was used of models.

ALTER TABLE sessions ADD COLUMN source TEXT; -- JSON object (docs/format.md); NULL: the session was recorded

CREATE INDEX sessions_source ON sessions (source ->> 'agent', source ->> 'id') WHERE source IS NOT NULL;

-- The conversations that agents logged, as they were when they were read.
CREATE TABLE agent_logs (
    agent      TEXT    NOT NULL,
    id         TEXT    NOT NULL, -- the agent's own
    path       TEXT    NOT NULL,
    state      TEXT    NOT NULL, -- of the files: differs when something was added
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE, -- has what was said: from the log, or recorded
    PRIMARY KEY (agent, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_logs_session ON agent_logs (session_pk);

-- What one request, or one conversation, used of a model, in tokens.
CREATE TABLE usage (
    source      TEXT    NOT NULL, -- log: a request; screen: what the agent printed
    agent       TEXT    NOT NULL,
    key         TEXT    NOT NULL, -- of the request: agents copy requests into other logs
    session_pk  INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    model       TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    input       INTEGER NOT NULL, -- without what is in a cache
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output      INTEGER NOT NULL, -- with reasoning
    reasoning   INTEGER NOT NULL,
    total       INTEGER NOT NULL,
    cost        REAL,             -- in US dollars, as the agent states it
    PRIMARY KEY (source, agent, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_session ON usage (session_pk);
