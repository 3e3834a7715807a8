-- Version 9: what is never sent, and what has changed since it was sent.

ALTER TABLE sessions ADD COLUMN private  INTEGER NOT NULL DEFAULT 0; -- 1: recorded with --private
ALTER TABLE sessions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0; -- grows when entries or the raw log are replaced

ALTER TABLE pushes ADD COLUMN entries BLOB; -- the entries that the server has, see store.PushedEntries
