CREATE TABLE public.entries (
    received date NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    type text NOT NULL,
    event text NOT NULL,
    role text NOT NULL,
    agent text NOT NULL,
    conversation bigint NOT NULL,
    text text NOT NULL,
    markdown text,
    output text NOT NULL,
    tool json,
    data json,
    at bigint NOT NULL,
    end_at bigint,
    byte_offset bigint NOT NULL,
    status text NOT NULL,
    altered boolean DEFAULT false NOT NULL
)
PARTITION BY RANGE (received);
CREATE TABLE public.entries_2026_11 (
    received date NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    type text NOT NULL,
    event text NOT NULL,
    role text NOT NULL,
    agent text NOT NULL,
    conversation bigint NOT NULL,
    text text NOT NULL,
    markdown text,
    output text NOT NULL,
    tool json,
    data json,
    at bigint NOT NULL,
    end_at bigint,
    byte_offset bigint NOT NULL,
    status text NOT NULL,
    altered boolean DEFAULT false NOT NULL
);
CREATE TABLE public.ptyrec_schema (
    one boolean DEFAULT true NOT NULL,
    version integer NOT NULL,
    CONSTRAINT ptyrec_schema_one_check CHECK (one)
);
CREATE TABLE public.segments (
    received date NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    first_event bigint NOT NULL,
    end_event bigint NOT NULL,
    start_at bigint NOT NULL,
    end_at bigint NOT NULL,
    start_byte bigint NOT NULL,
    end_byte bigint NOT NULL,
    data bytea NOT NULL
)
PARTITION BY RANGE (received);
ALTER TABLE ONLY public.segments ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE public.segments_2026_11 (
    received date NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    first_event bigint NOT NULL,
    end_event bigint NOT NULL,
    start_at bigint NOT NULL,
    end_at bigint NOT NULL,
    start_byte bigint NOT NULL,
    end_byte bigint NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY public.segments_2026_11 ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE public.sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    owner bigint DEFAULT 0 NOT NULL,
    space bigint DEFAULT 0 NOT NULL,
    machine text NOT NULL,
    forked_from text DEFAULT ''::text NOT NULL,
    received date NOT NULL,
    description json NOT NULL,
    altered boolean DEFAULT false NOT NULL,
    cwd text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL COLLATE pg_catalog."C",
    started_at bigint NOT NULL,
    ended_at bigint,
    prompt text DEFAULT ''::text NOT NULL,
    messages bigint DEFAULT 0 NOT NULL,
    turns bigint DEFAULT 0 NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    raw_bytes bigint DEFAULT 0 NOT NULL,
    raw_end bigint DEFAULT 0 NOT NULL,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    raw_sha256 bytea DEFAULT '\x'::bytea NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    entries_version bigint DEFAULT 0 NOT NULL,
    generation bigint DEFAULT 0 NOT NULL,
    next_generation bigint DEFAULT 0 NOT NULL,
    deleted_at bigint
);
CREATE TABLE public.words (
    received date NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    entry text NOT NULL COLLATE pg_catalog."C",
    part integer NOT NULL,
    at bigint NOT NULL,
    owner bigint NOT NULL,
    space bigint NOT NULL,
    role text NOT NULL,
    words tsvector NOT NULL
)
PARTITION BY RANGE (received);
CREATE TABLE public.words_2026_11 (
    received date NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    entry text NOT NULL COLLATE pg_catalog."C",
    part integer NOT NULL,
    at bigint NOT NULL,
    owner bigint NOT NULL,
    space bigint NOT NULL,
    role text NOT NULL,
    words tsvector NOT NULL
);
ALTER TABLE ONLY public.entries ATTACH PARTITION public.entries_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
ALTER TABLE ONLY public.segments ATTACH PARTITION public.segments_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
ALTER TABLE ONLY public.words ATTACH PARTITION public.words_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
INSERT INTO public.entries_2026_11 VALUES ('2026-11-22', '01a20518-9a78-7425-9cbc-fc2a4dc2c3af', 'e', 1, 'message', '', 'user', '', 0, 'frozen needle', '', '', NULL, NULL, 1800000001000000000, NULL, 0, '', false);
INSERT INTO public.ptyrec_schema VALUES (true, 1);
INSERT INTO public.segments_2026_11 VALUES ('2026-11-22', '01a20518-9a78-7425-9cbc-fc2a4dc2c3af', 0, 0, 1, 0, 0, 0, 3, '\x0128b52ffd040051000000000106000003726177871c7977');
INSERT INTO public.sessions VALUES ('01a20518-9a78-7425-9cbc-fc2a4dc2c3af', 0, 0, 'm', '', '2026-11-22', '{"id":"01a20518-9a78-7425-9cbc-fc2a4dc2c3af","command":["claude"],"cwd":"/w","title":"frozen","started_at":"2027-01-15T08:00:00Z","ended_at":"2027-01-15T08:00:05Z","cols":80,"rows":24,"agents":[]}', false, '/w', 'frozen', '', '', '{}', 1800000000000000000, 1800000005000000000, 'frozen needle', 1, 1, 1, 3, 0, 24, '\x950ffb6f6cbea2a1fd6ac7fcef7e2e9ffbc077bf8b833008817f781a1aa227b3', 1, 1, 0, 0, NULL);
INSERT INTO public.words_2026_11 VALUES ('2026-11-22', '01a20518-9a78-7425-9cbc-fc2a4dc2c3af', 'e', 0, 1800000001000000000, 0, 0, 'user', '''frozen'':1A ''needle'':2A');
ALTER TABLE ONLY public.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (received, session, id);
ALTER TABLE ONLY public.entries_2026_11
    ADD CONSTRAINT entries_2026_11_pkey PRIMARY KEY (received, session, id);
ALTER TABLE ONLY public.ptyrec_schema
    ADD CONSTRAINT ptyrec_schema_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_pkey PRIMARY KEY (received, session, generation, end_event);
ALTER TABLE ONLY public.segments_2026_11
    ADD CONSTRAINT segments_2026_11_pkey PRIMARY KEY (received, session, generation, end_event);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.words
    ADD CONSTRAINT words_pkey PRIMARY KEY (received, session, entry, part);
ALTER TABLE ONLY public.words_2026_11
    ADD CONSTRAINT words_2026_11_pkey PRIMARY KEY (received, session, entry, part);
CREATE INDEX entries_seq ON ONLY public.entries USING btree (session, seq, id);
CREATE INDEX entries_2026_11_session_seq_id_idx ON public.entries_2026_11 USING btree (session, seq, id);
CREATE INDEX sessions_owner ON public.sessions USING btree (owner);
CREATE INDEX sessions_space ON public.sessions USING btree (space);
CREATE INDEX sessions_started ON public.sessions USING btree (started_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX words_parts ON ONLY public.words USING btree (at) WHERE (part > 0);
CREATE INDEX words_2026_11_at_idx ON public.words_2026_11 USING btree (at) WHERE (part > 0);
CREATE INDEX words_words ON ONLY public.words USING gin (words);
CREATE INDEX words_2026_11_words_idx ON public.words_2026_11 USING gin (words);
ALTER INDEX public.entries_pkey ATTACH PARTITION public.entries_2026_11_pkey;
ALTER INDEX public.entries_seq ATTACH PARTITION public.entries_2026_11_session_seq_id_idx;
ALTER INDEX public.segments_pkey ATTACH PARTITION public.segments_2026_11_pkey;
ALTER INDEX public.words_parts ATTACH PARTITION public.words_2026_11_at_idx;
ALTER INDEX public.words_pkey ATTACH PARTITION public.words_2026_11_pkey;
ALTER INDEX public.words_words ATTACH PARTITION public.words_2026_11_words_idx;
