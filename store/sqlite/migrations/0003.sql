-- Version 3: how far the raw log has been read out into entries.

ALTER TABLE sessions ADD COLUMN read_end INTEGER NOT NULL DEFAULT -1; -- raw_end, as it was then; smaller: there is more to be read

UPDATE sessions SET read_end = raw_end WHERE content_hash IS NOT NULL
    OR ended_at IS NOT NULL AND EXISTS (SELECT 1 FROM entries WHERE session_pk = sessions.pk AND event = 'pty:exit');
