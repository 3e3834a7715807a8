-- Version 3: what sessions used of models, and which sessions continue others.

-- As the machine sent it: an array of session.Usage, one for each model and quarter of an hour.
ALTER TABLE sessions ADD COLUMN usage json NOT NULL DEFAULT '[]';

CREATE INDEX sessions_continues ON sessions ((description ->> 'continues')) WHERE description ->> 'continues' <> '';
