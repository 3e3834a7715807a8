-- Version 8: sessions whose conversation is sent while they run.

ALTER TABLE sessions ADD COLUMN live_at bigint NOT NULL DEFAULT 0; -- when its machine last said that it runs; 0: it has ended, or only then it is sent

CREATE INDEX sessions_live ON sessions (live_at) WHERE live_at > 0;
