-- Version 5: the repository in a session's folder, as git knew it at the start and at the end.

ALTER TABLE sessions ADD COLUMN git TEXT; -- JSON object (docs/format.md); NULL: none, or git did not answer in time
