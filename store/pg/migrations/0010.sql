-- Version 10: the index of words also has who may read a message: its space, and its owner as a
-- negative number. A search then visits no page of the table for messages that the viewer may not
-- read. Older programs use the first column alone.

CREATE INDEX words_readable ON words USING gin (words, (ARRAY[space, -owner]));

DROP INDEX words_words;
