-- Version 10: the index of words also has who may read a message: its space, and its owner as a
-- negative number. A search then visits no page of the table for messages that the viewer may not
-- read. Messages in several parts have an index of their own: for a common word the other one would
-- read all that have it. Older programs use the first column alone.

CREATE INDEX words_whole ON words USING gin (words, (ARRAY[space, -owner])) WHERE part = 0;
CREATE INDEX words_parted ON words USING gin (words, (ARRAY[space, -owner])) WHERE part > 0;

DROP INDEX words_words;
