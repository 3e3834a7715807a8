-- Version 2: what the user says of a session.

ALTER TABLE sessions ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- goes before title, which the recording sets
ALTER TABLE sessions ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'; -- JSON array, sorted
