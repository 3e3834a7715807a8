-- Version 8: what was sent to the server of a team.

CREATE TABLE pushes (
    session TEXT NOT NULL PRIMARY KEY, -- id; that of a session which was deleted here may remain
    state   TEXT NOT NULL              -- JSON object, see store.Push
) STRICT, WITHOUT ROWID;
