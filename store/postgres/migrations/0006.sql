-- Version 6: raw logs outside the database.

-- Where the data of a segment is if not here, and what it was when it was sent. Of segments of
-- older versions nothing is known; theirs is here.
ALTER TABLE segments ADD COLUMN object text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE segments ADD COLUMN size   bigint;
ALTER TABLE segments ADD COLUMN sha256 bytea;

CREATE INDEX segments_object ON segments (object) WHERE object <> '';

-- When objects without a segment were looked for last: who moves it on does it.
CREATE TABLE sweeps (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    at  bigint  NOT NULL
);
INSERT INTO sweeps (at) VALUES (0);
