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
ALTER TABLE ONLY public.entries ALTER COLUMN text SET STORAGE MAIN;
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
ALTER TABLE ONLY public.entries_2026_11 ALTER COLUMN text SET STORAGE MAIN;
CREATE TABLE public.identities (
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    created_at bigint NOT NULL
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
CREATE TABLE public.logins (
    code text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    name text NOT NULL,
    address text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
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
    data bytea NOT NULL,
    object text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    size bigint,
    sha256 bytea
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
    data bytea NOT NULL,
    object text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    size bigint,
    sha256 bytea
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
    held boolean DEFAULT false NOT NULL,
    live_at bigint DEFAULT 0 NOT NULL
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
CREATE TABLE public.sweeps (
    one boolean DEFAULT true NOT NULL,
    at bigint NOT NULL,
    CONSTRAINT sweeps_one_check CHECK (one)
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
    login boolean DEFAULT false NOT NULL,
    ends_at bigint,
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
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
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
ALTER TABLE ONLY public.words ALTER COLUMN words SET STORAGE MAIN;
ALTER TABLE ONLY public.words ALTER COLUMN words SET COMPRESSION lz4;
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
ALTER TABLE ONLY public.words_2026_11 ALTER COLUMN words SET STORAGE MAIN;
ALTER TABLE ONLY public.words_2026_11 ALTER COLUMN words SET COMPRESSION lz4;
ALTER TABLE ONLY public.entries ATTACH PARTITION public.entries_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
ALTER TABLE ONLY public.segments ATTACH PARTITION public.segments_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
ALTER TABLE ONLY public.words ATTACH PARTITION public.words_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
INSERT INTO public.audit VALUES ('2026-11-23', 1, '{"at":"2026-11-23T13:30:01.327686051Z","user":"operator","what":"role","about":"ann member"}', '\x', '\xf5f78b1f23cd107112894f54f4fe81e6f38be6d689ac9cf2fd3adf514aed13ca');
INSERT INTO public.audit VALUES ('2026-11-23', 2, '{"at":"2026-11-23T13:30:01.339966709Z","user":"operator","what":"token","about":"ann user"}', '\xf5f78b1f23cd107112894f54f4fe81e6f38be6d689ac9cf2fd3adf514aed13ca', '\x56b5350f916ffa06ce69f419b2b3ee3100f40844264d7d367723e61ca50ab34e');
INSERT INTO public.audit VALUES ('2026-11-23', 3, '{"at":"2026-11-23T13:30:01.347907695Z","user":"ann","token":1,"what":"login","about":"token"}', '\x56b5350f916ffa06ce69f419b2b3ee3100f40844264d7d367723e61ca50ab34e', '\xf29512c021243e38462626c46d0b7e64be46ba00bc80e58885c6fe4c682ee7fe');
INSERT INTO public.audit VALUES ('2026-11-23', 4, '{"at":"2026-11-23T13:30:01.349143385Z","user":"operator","what":"space","about":"shop"}', '\xf29512c021243e38462626c46d0b7e64be46ba00bc80e58885c6fe4c682ee7fe', '\xe4c07ec3d945b879a5d742610e69b93288112443020e86d7652d28e16b15a0aa');
INSERT INTO public.audit VALUES ('2026-11-23', 5, '{"at":"2026-11-23T13:30:01.355403217Z","user":"operator","what":"space","about":"shop ann member"}', '\xe4c07ec3d945b879a5d742610e69b93288112443020e86d7652d28e16b15a0aa', '\xf376a0338cee5dbd7eeb49abe727abf692bd6089b3473ee23ebf456d789cf4c8');
INSERT INTO public.audit VALUES ('2026-11-23', 6, '{"at":"2026-11-23T13:30:01.356556384Z","user":"operator","what":"role","about":"bob admin"}', '\xf376a0338cee5dbd7eeb49abe727abf692bd6089b3473ee23ebf456d789cf4c8', '\x6a27bc85345ec722112233370b41c521b457f466823e980ec722ed943aeeaa57');
INSERT INTO public.audit VALUES ('2026-11-23', 7, '{"at":"2026-11-23T13:30:01.456917969Z","user":"operator","what":"role","about":"ann e-mail"}', '\x6a27bc85345ec722112233370b41c521b457f466823e980ec722ed943aeeaa57', '\x19a4b59e9f59a54859c346de83984de9804e556be946d7a1e88f988920490925');
INSERT INTO public.audit VALUES ('2026-11-23', 8, '{"at":"2026-11-23T13:30:01.457668838Z","user":"operator","what":"retention","about":"shop 90"}', '\x19a4b59e9f59a54859c346de83984de9804e556be946d7a1e88f988920490925', '\x2870302156ad4427e0fcdc8cf70298d5e3284c3aeee4bdd6969fa47b81c8f7c8');
INSERT INTO public.audit VALUES ('2026-11-23', 9, '{"at":"2026-11-23T13:30:01.461103703Z","user":"operator","what":"retention","session":"01a20899-690c-7e10-89e1-04cd81e86be8","about":"hold"}', '\x2870302156ad4427e0fcdc8cf70298d5e3284c3aeee4bdd6969fa47b81c8f7c8', '\xf0688f6f3e55ce4bb3612536c07c81393e2b6164daa56a336630a118cb2fdc9e');
INSERT INTO public.audit VALUES ('2026-11-23', 10, '{"at":"2026-11-23T13:30:01.464955449Z","user":"operator","what":"policy","about":"x added"}', '\xf0688f6f3e55ce4bb3612536c07c81393e2b6164daa56a336630a118cb2fdc9e', '\xdf900a318bbca9370bb95673d0c087f074c3bc23172426c81c06c0fc1113d5b2');
INSERT INTO public.audit_days VALUES ('2026-11-23', 10, '\xf0688f6f3e55ce4bb3612536c07c81393e2b6164daa56a336630a118cb2fdc9e', '\xdf900a318bbca9370bb95673d0c087f074c3bc23172426c81c06c0fc1113d5b2');
INSERT INTO public.entries_2026_11 VALUES ('2026-11-23', '01a20899-690c-7e10-89e1-04cd81e86be8', 'e', 1, 'message', '', 'user', '', 0, 'frozen needle', NULL, '', NULL, NULL, 1800000000000000000, NULL, 0, '', false, '\xa4c1ff4a05b7609229cc24a0924d5f6e355bd3df93465f2fa2ce40d125464f7c');
INSERT INTO public.members VALUES (1, 1, 'member');
INSERT INTO public.patterns VALUES ('x', 'CUST', 1795440601464457357);
INSERT INTO public.ptyrec_schema VALUES (true, 9);
INSERT INTO public.segments_2026_11 VALUES ('2026-11-23', '01a20899-690c-7e10-89e1-04cd81e86be8', 0, 0, 1, 0, 0, 0, 3, '\x0128b52ffd040051000000000106000003726177871c7977', '', 24, '\x950ffb6f6cbea2a1fd6ac7fcef7e2e9ffbc077bf8b833008817f781a1aa227b3');
INSERT INTO public.sessions VALUES ('01a20899-690c-7e10-89e1-04cd81e86be8', 1, 0, 'm', '', '2026-11-23', '{"id":"01a20899-690c-7e10-89e1-04cd81e86be8","command":["claude"],"cwd":"/w","title":"frozen","started_at":"2027-01-15T08:00:00Z","ended_at":"2027-01-15T08:00:05Z","cols":80,"rows":24,"agents":[]}', false, '/w', 'frozen', '', '', '{}', 1800000000000000000, 1800000005000000000, 'frozen needle', 1, 1, 1, 3, 0, 24, '\x950ffb6f6cbea2a1fd6ac7fcef7e2e9ffbc077bf8b833008817f781a1aa227b3', 2, 1, 0, 0, NULL, 1, '[{"source":"log","agent":"claude","model":"opus","at":"2027-01-15T08:00:00Z","input":7,"cache_read":0,"cache_write":0,"output":0,"reasoning":0,"total":7}]', true, 0);
INSERT INTO public.spaces OVERRIDING SYSTEM VALUE VALUES (1, 'shop', 90, 1795440601348471164);
INSERT INTO public.sweeps VALUES (true, 0);
INSERT INTO public.tokens OVERRIDING SYSTEM VALUE VALUES (1, 1, '\xa19e0f41af529aa682d21d3e373b18013682e016eb523701b1ee03e35afb2950', '', 'user', 0, 1795440601336502851, NULL, 1795440601341105415, false, NULL);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (2, 'bob', 'admin', 1795440601356353442, '');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (1, 'ann', 'member', 1795440601326783878, 'ann@example.com');
INSERT INTO public.words_2026_11 VALUES ('2026-11-23', '01a20899-690c-7e10-89e1-04cd81e86be8', 'e', 0, 1800000000000000000, 1, 0, 'user', '''frozen'':1A ''needle'':2A');
SELECT pg_catalog.setval('public.links_id_seq', 1, false);
SELECT pg_catalog.setval('public.spaces_id_seq', 1, true);
SELECT pg_catalog.setval('public.tokens_id_seq', 1, true);
SELECT pg_catalog.setval('public.users_id_seq', 2, true);
ALTER TABLE ONLY public.audit_days
    ADD CONSTRAINT audit_days_pkey PRIMARY KEY (day);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (day, n);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_issuer_key UNIQUE (user_id, issuer);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.logins
    ADD CONSTRAINT logins_pkey PRIMARY KEY (code);
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
ALTER TABLE ONLY public.sweeps
    ADD CONSTRAINT sweeps_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_name_key UNIQUE (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX entries_ids ON ONLY public.entries USING btree ("left"(id, 7));
CREATE INDEX entries_2026_11_left_idx ON public.entries_2026_11 USING btree ("left"(id, 7));
CREATE INDEX entries_parts ON ONLY public.entries USING btree (session, ((seq >> 7)));
CREATE INDEX entries_2026_11_session_expr_idx ON public.entries_2026_11 USING btree (session, ((seq >> 7)));
CREATE INDEX links_session ON public.links USING btree (session);
CREATE INDEX segments_object ON ONLY public.segments USING btree (object) WHERE (object <> ''::text);
CREATE INDEX segments_2026_11_object_idx ON public.segments_2026_11 USING btree (object) WHERE (object <> ''::text);
CREATE INDEX sessions_continues ON public.sessions USING btree (((description ->> 'continues'::text))) WHERE ((description ->> 'continues'::text) <> ''::text);
CREATE INDEX sessions_kept ON public.sessions USING btree (space, received) WHERE (deleted_at IS NULL);
CREATE INDEX sessions_live ON public.sessions USING btree (live_at) WHERE (live_at > 0);
CREATE INDEX sessions_owner ON public.sessions USING btree (owner);
CREATE INDEX sessions_received ON public.sessions USING btree (received) WHERE (deleted_at IS NULL);
CREATE INDEX sessions_space ON public.sessions USING btree (space);
CREATE INDEX sessions_started ON public.sessions USING btree (started_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX users_email ON public.users USING btree (email) WHERE (email <> ''::text);
CREATE INDEX words_parts ON ONLY public.words USING btree (at) WHERE (part > 0);
CREATE INDEX words_2026_11_at_idx ON public.words_2026_11 USING btree (at) WHERE (part > 0);
CREATE INDEX words_session ON ONLY public.words USING btree (session);
CREATE INDEX words_2026_11_session_idx ON public.words_2026_11 USING btree (session);
CREATE INDEX words_words ON ONLY public.words USING gin (words);
CREATE INDEX words_2026_11_words_idx ON public.words_2026_11 USING gin (words);
ALTER INDEX public.entries_ids ATTACH PARTITION public.entries_2026_11_left_idx;
ALTER INDEX public.entries_parts ATTACH PARTITION public.entries_2026_11_session_expr_idx;
ALTER INDEX public.segments_object ATTACH PARTITION public.segments_2026_11_object_idx;
ALTER INDEX public.segments_pkey ATTACH PARTITION public.segments_2026_11_pkey;
ALTER INDEX public.words_parts ATTACH PARTITION public.words_2026_11_at_idx;
ALTER INDEX public.words_session ATTACH PARTITION public.words_2026_11_session_idx;
ALTER INDEX public.words_words ATTACH PARTITION public.words_2026_11_words_idx;
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_made_by_fkey FOREIGN KEY (made_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_space_fkey FOREIGN KEY (space) REFERENCES public.spaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
