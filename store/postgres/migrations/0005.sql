-- Version 5: retention, and patterns of what is taken out before it leaves a machine.

ALTER TABLE sessions ADD COLUMN held boolean NOT NULL DEFAULT false; -- retention leaves it

CREATE INDEX sessions_kept ON sessions (space, received) WHERE deleted_at IS NULL;
CREATE INDEX sessions_received ON sessions (received) WHERE deleted_at IS NULL;

CREATE TABLE patterns (
    name       text   COLLATE "C" PRIMARY KEY,
    regexp     text   NOT NULL,
    created_at bigint NOT NULL
);
