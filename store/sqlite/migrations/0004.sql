-- Version 4: commands that programs asked for (package process).

ALTER TABLE sessions ADD COLUMN sandbox TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN process TEXT NOT NULL DEFAULT ''; -- the program's id of the command
ALTER TABLE sessions ADD COLUMN asked   TEXT NOT NULL DEFAULT ''; -- JSON object; empty: by no program

CREATE INDEX sessions_sandbox ON sessions (sandbox) WHERE sandbox <> '';

-- Where the texts of a command's streams are in the raw log: one row for each segment and stream.
CREATE TABLE texts (
    session_pk  INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    stream      INTEGER NOT NULL,
    end_text    INTEGER NOT NULL, -- where the stream's text in the segment ends, in bytes of the text
    first_event INTEGER NOT NULL, -- the first event in the segment that is of the stream
    PRIMARY KEY (session_pk, stream, end_text)
) STRICT, WITHOUT ROWID;
