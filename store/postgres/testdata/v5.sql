CREATE TABLE public.audit (
    day date NOT NULL,
    n bigint NOT NULL,
    "row" text NOT NULL,
    before bytea NOT NULL,
    hash bytea NOT NULL
);
CREATE TABLE public.audit_days (
    day date NOT NULL,
    n bigint NOT NULL,
    before bytea NOT NULL,
    hash bytea NOT NULL
);
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
    altered boolean DEFAULT false NOT NULL,
    digest bytea DEFAULT '\x'::bytea NOT NULL
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
    altered boolean DEFAULT false NOT NULL,
    digest bytea DEFAULT '\x'::bytea NOT NULL
);
CREATE TABLE public.links (
    id bigint NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    made_by bigint NOT NULL,
    anyone boolean NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint
);
ALTER TABLE public.links ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.links_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.members (
    space bigint NOT NULL,
    user_id bigint NOT NULL,
    role text NOT NULL,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['reader'::text, 'member'::text])))
);
CREATE TABLE public.patterns (
    name text NOT NULL COLLATE pg_catalog."C",
    regexp text NOT NULL,
    created_at bigint NOT NULL
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
    deleted_at bigint,
    pushed_by bigint DEFAULT 0 NOT NULL,
    usage json DEFAULT '[]'::json NOT NULL,
    held boolean DEFAULT false NOT NULL
);
CREATE TABLE public.spaces (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    keep_days bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE public.spaces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.spaces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.tokens (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    space bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    used_at bigint,
    CONSTRAINT tokens_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'push'::text])))
);
ALTER TABLE public.tokens ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.users (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['member'::text, 'auditor'::text, 'admin'::text])))
);
ALTER TABLE public.users ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
INSERT INTO public.audit VALUES ('2026-11-23', 1, '{"at":"2026-11-23T01:02:29.710716241Z","user":"operator","what":"role","about":"ann member"}', '\x', '\xe71398c0602601e3447c87af218a05434faa4413321ed5a054450d4a01f967af');
INSERT INTO public.audit VALUES ('2026-11-23', 2, '{"at":"2026-11-23T01:02:29.724224153Z","user":"operator","what":"token","about":"ann user"}', '\xe71398c0602601e3447c87af218a05434faa4413321ed5a054450d4a01f967af', '\x06b284506cdf8d06e65a4c2b0cc6be484bcee6d41220181c76fc800da73f09ef');
INSERT INTO public.audit VALUES ('2026-11-23', 3, '{"at":"2026-11-23T01:02:29.731741369Z","user":"operator","what":"space","about":"shop"}', '\x06b284506cdf8d06e65a4c2b0cc6be484bcee6d41220181c76fc800da73f09ef', '\xd342c4e7b958f64391d3a2845f3b8e63c82a4170f161b964314c96427cbb09c1');
INSERT INTO public.audit VALUES ('2026-11-23', 4, '{"at":"2026-11-23T01:02:29.739355806Z","user":"operator","what":"space","about":"shop ann member"}', '\xd342c4e7b958f64391d3a2845f3b8e63c82a4170f161b964314c96427cbb09c1', '\x7f17a4b42055273b6afdde85cada0e78b693afbcdd46acf7fcb43ffd601a31cf');
INSERT INTO public.audit VALUES ('2026-11-23', 5, '{"at":"2026-11-23T01:02:29.741727818Z","user":"operator","what":"role","about":"bob admin"}', '\x7f17a4b42055273b6afdde85cada0e78b693afbcdd46acf7fcb43ffd601a31cf', '\x0838148f0f593ccd0159ec9cf2344f04a7244b372951e96653f3f8ce9ab3c499');
INSERT INTO public.audit VALUES ('2026-11-23', 6, '{"at":"2026-11-23T01:02:29.867589708Z","user":"operator","what":"retention","about":"shop 90"}', '\x0838148f0f593ccd0159ec9cf2344f04a7244b372951e96653f3f8ce9ab3c499', '\x05e96a5012fc89d6ccee3017f1fd42649177b9dbd28bcfa3f20c8d08a2992a3f');
INSERT INTO public.audit VALUES ('2026-11-23', 7, '{"at":"2026-11-23T01:02:29.868602719Z","user":"operator","what":"retention","session":"01a205ed-0771-7564-bd02-59c2691852ad","about":"hold"}', '\x05e96a5012fc89d6ccee3017f1fd42649177b9dbd28bcfa3f20c8d08a2992a3f', '\x4f6e09c046a05f41eb2744830d0cfd55bf846db3aa05f08385e5f7f331085034');
INSERT INTO public.audit VALUES ('2026-11-23', 8, '{"at":"2026-11-23T01:02:29.885184144Z","user":"operator","what":"policy","about":"x added"}', '\x4f6e09c046a05f41eb2744830d0cfd55bf846db3aa05f08385e5f7f331085034', '\x1e6a597f9b1ceb3577f3e0fc5eb422a92cf0ebd99d37709756d26ccdf5f79913');
INSERT INTO public.audit_days VALUES ('2026-11-23', 8, '\x4f6e09c046a05f41eb2744830d0cfd55bf846db3aa05f08385e5f7f331085034', '\x1e6a597f9b1ceb3577f3e0fc5eb422a92cf0ebd99d37709756d26ccdf5f79913');
INSERT INTO public.entries_2026_11 VALUES ('2026-11-23', '01a205ed-0771-7564-bd02-59c2691852ad', 'e', 1, 'message', '', 'user', '', 0, 'frozen needle', NULL, '', NULL, NULL, 1800000000000000000, NULL, 0, '', false, '\xa4c1ff4a05b7609229cc24a0924d5f6e355bd3df93465f2fa2ce40d125464f7c');
INSERT INTO public.members VALUES (1, 1, 'member');
INSERT INTO public.patterns VALUES ('x', 'CUST', 1795395749870615031);
INSERT INTO public.ptyrec_schema VALUES (true, 5);
INSERT INTO public.segments_2026_11 VALUES ('2026-11-23', '01a205ed-0771-7564-bd02-59c2691852ad', 0, 0, 1, 0, 0, 0, 3, '\x0128b52ffd040051000000000106000003726177871c7977');
INSERT INTO public.sessions VALUES ('01a205ed-0771-7564-bd02-59c2691852ad', 1, 0, 'm', '', '2026-11-23', '{"id":"01a205ed-0771-7564-bd02-59c2691852ad","command":["claude"],"cwd":"/w","title":"frozen","started_at":"2027-01-15T08:00:00Z","ended_at":"2027-01-15T08:00:05Z","cols":80,"rows":24,"agents":[]}', false, '/w', 'frozen', '', '', '{}', 1800000000000000000, 1800000005000000000, 'frozen needle', 1, 1, 1, 3, 0, 24, '\x950ffb6f6cbea2a1fd6ac7fcef7e2e9ffbc077bf8b833008817f781a1aa227b3', 2, 1, 0, 0, NULL, 1, '[{"source":"log","agent":"claude","model":"opus","at":"2027-01-15T08:00:00Z","input":7,"cache_read":0,"cache_write":0,"output":0,"reasoning":0,"total":7}]', true);
INSERT INTO public.spaces OVERRIDING SYSTEM VALUE VALUES (1, 'shop', 90, 1795395749730803398);
INSERT INTO public.tokens OVERRIDING SYSTEM VALUE VALUES (1, 1, '\x0edb87568a00d953d421d680e51920d41c63a17a5d332adde25029a8e9640fe1', '', 'user', 0, 1795395749718338817, NULL, 1795395749724771353);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (1, 'ann', 'member', 1795395749707538058);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (2, 'bob', 'admin', 1795395749741505358);
INSERT INTO public.words_2026_11 VALUES ('2026-11-23', '01a205ed-0771-7564-bd02-59c2691852ad', 'e', 0, 1800000000000000000, 1, 0, 'user', '''frozen'':1A ''needle'':2A');
SELECT pg_catalog.setval('public.links_id_seq', 1, false);
SELECT pg_catalog.setval('public.spaces_id_seq', 1, true);
SELECT pg_catalog.setval('public.tokens_id_seq', 1, true);
SELECT pg_catalog.setval('public.users_id_seq', 2, true);
ALTER TABLE ONLY public.audit_days
    ADD CONSTRAINT audit_days_pkey PRIMARY KEY (day);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (day, n);
ALTER TABLE ONLY public.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (received, session, id);
ALTER TABLE ONLY public.entries_2026_11
    ADD CONSTRAINT entries_2026_11_pkey PRIMARY KEY (received, session, id);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (user_id, space);
ALTER TABLE ONLY public.patterns
    ADD CONSTRAINT patterns_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.ptyrec_schema
    ADD CONSTRAINT ptyrec_schema_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_pkey PRIMARY KEY (received, session, generation, end_event);
ALTER TABLE ONLY public.segments_2026_11
    ADD CONSTRAINT segments_2026_11_pkey PRIMARY KEY (received, session, generation, end_event);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.spaces
    ADD CONSTRAINT spaces_name_key UNIQUE (name);
ALTER TABLE ONLY public.spaces
    ADD CONSTRAINT spaces_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_name_key UNIQUE (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.words
    ADD CONSTRAINT words_pkey PRIMARY KEY (received, session, entry, part);
ALTER TABLE ONLY public.words_2026_11
    ADD CONSTRAINT words_2026_11_pkey PRIMARY KEY (received, session, entry, part);
CREATE INDEX entries_seq ON ONLY public.entries USING btree (session, seq, id);
CREATE INDEX entries_2026_11_session_seq_id_idx ON public.entries_2026_11 USING btree (session, seq, id);
CREATE INDEX links_session ON public.links USING btree (session);
CREATE INDEX sessions_continues ON public.sessions USING btree (((description ->> 'continues'::text))) WHERE ((description ->> 'continues'::text) <> ''::text);
CREATE INDEX sessions_kept ON public.sessions USING btree (space, received) WHERE (deleted_at IS NULL);
CREATE INDEX sessions_owner ON public.sessions USING btree (owner);
CREATE INDEX sessions_received ON public.sessions USING btree (received) WHERE (deleted_at IS NULL);
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
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_space_fkey FOREIGN KEY (space) REFERENCES public.spaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
