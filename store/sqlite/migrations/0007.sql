-- Version 7: sessions that continue the conversation of another.

ALTER TABLE sessions ADD COLUMN continues TEXT NOT NULL DEFAULT ''; -- the id of that session, which may be gone

CREATE INDEX sessions_continues ON sessions (continues) WHERE continues <> '';
