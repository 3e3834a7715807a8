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
INSERT INTO public.audit VALUES ('2026-11-23', 1, '{"at":"2026-11-23T04:32:38.55474581Z","user":"operator","what":"role","about":"ann member"}', '\x', '\x0edb43a62389c137a282d10f1fd58ec4718ec4ac505a545ba20bd7107c93752b');
INSERT INTO public.audit VALUES ('2026-11-23', 2, '{"at":"2026-11-23T04:32:38.560636215Z","user":"operator","what":"token","about":"ann user"}', '\x0edb43a62389c137a282d10f1fd58ec4718ec4ac505a545ba20bd7107c93752b', '\x74dba6ba7848c667fd1b52cd00d03de0fd3b0ddda0d31844ae51c66ff0ff3fee');
INSERT INTO public.audit VALUES ('2026-11-23', 3, '{"at":"2026-11-23T04:32:38.562940637Z","user":"operator","what":"space","about":"shop"}', '\x74dba6ba7848c667fd1b52cd00d03de0fd3b0ddda0d31844ae51c66ff0ff3fee', '\x354cfb28a21763938266cd7d8d1cae8242f81514b1e86387205701b6f679cd2e');
INSERT INTO public.audit VALUES ('2026-11-23', 4, '{"at":"2026-11-23T04:32:38.566004799Z","user":"operator","what":"space","about":"shop ann member"}', '\x354cfb28a21763938266cd7d8d1cae8242f81514b1e86387205701b6f679cd2e', '\x2ab644e170ab18bfaefe93a39202c2cf1da6d47cc2e11890380f748152b9562d');
INSERT INTO public.audit VALUES ('2026-11-23', 5, '{"at":"2026-11-23T04:32:38.56679957Z","user":"operator","what":"role","about":"bob admin"}', '\x2ab644e170ab18bfaefe93a39202c2cf1da6d47cc2e11890380f748152b9562d', '\x95392465c030f329b9c1b7b648922f6a599a324b9a3e4f91ecd29ceff5d458eb');
INSERT INTO public.audit VALUES ('2026-11-23', 6, '{"at":"2026-11-23T04:32:38.616753804Z","user":"operator","what":"role","about":"ann e-mail"}', '\x95392465c030f329b9c1b7b648922f6a599a324b9a3e4f91ecd29ceff5d458eb', '\x4f0822409b40d14067776502e82a458559cc839d6e11d9b27ca17b95f0a0016c');
INSERT INTO public.audit VALUES ('2026-11-23', 7, '{"at":"2026-11-23T04:32:38.617537485Z","user":"operator","what":"retention","about":"shop 90"}', '\x4f0822409b40d14067776502e82a458559cc839d6e11d9b27ca17b95f0a0016c', '\x507c7a99513d6eb5666b7d2f9201a7ac2fc38669a3377f33b3700c52c3e4451c');
INSERT INTO public.audit VALUES ('2026-11-23', 8, '{"at":"2026-11-23T04:32:38.620270547Z","user":"operator","what":"retention","session":"01a206ad-6ca7-72c1-97cf-e3fc24eed80f","about":"hold"}', '\x507c7a99513d6eb5666b7d2f9201a7ac2fc38669a3377f33b3700c52c3e4451c', '\x305a7783b4e06d6145b52509387abe3f0cbab9faf5b9dff344bc263292124929');
INSERT INTO public.audit VALUES ('2026-11-23', 9, '{"at":"2026-11-23T04:32:38.621124278Z","user":"operator","what":"policy","about":"x added"}', '\x305a7783b4e06d6145b52509387abe3f0cbab9faf5b9dff344bc263292124929', '\x15ad2d70b337438d20abecbafea2b55a215a2de902dfc903849d9eb4a27e4221');
INSERT INTO public.audit_days VALUES ('2026-11-23', 9, '\x305a7783b4e06d6145b52509387abe3f0cbab9faf5b9dff344bc263292124929', '\x15ad2d70b337438d20abecbafea2b55a215a2de902dfc903849d9eb4a27e4221');
INSERT INTO public.entries_2026_11 VALUES ('2026-11-23', '01a206ad-6ca7-72c1-97cf-e3fc24eed80f', 'e', 1, 'message', '', 'user', '', 0, 'frozen needle', NULL, '', NULL, NULL, 1800000000000000000, NULL, 0, '', false, '\xa4c1ff4a05b7609229cc24a0924d5f6e355bd3df93465f2fa2ce40d125464f7c');
INSERT INTO public.members VALUES (1, 1, 'member');
INSERT INTO public.patterns VALUES ('x', 'CUST', 1795408358620677417);
INSERT INTO public.ptyrec_schema VALUES (true, 8);
INSERT INTO public.segments_2026_11 VALUES ('2026-11-23', '01a206ad-6ca7-72c1-97cf-e3fc24eed80f', 0, 0, 1, 0, 0, 0, 3, '\x0128b52ffd040051000000000106000003726177871c7977', '', 24, '\x950ffb6f6cbea2a1fd6ac7fcef7e2e9ffbc077bf8b833008817f781a1aa227b3');
INSERT INTO public.sessions VALUES ('01a206ad-6ca7-72c1-97cf-e3fc24eed80f', 1, 0, 'm', '', '2026-11-23', '{"id":"01a206ad-6ca7-72c1-97cf-e3fc24eed80f","command":["claude"],"cwd":"/w","title":"frozen","started_at":"2027-01-15T08:00:00Z","ended_at":"2027-01-15T08:00:05Z","cols":80,"rows":24,"agents":[]}', false, '/w', 'frozen', '', '', '{}', 1800000000000000000, 1800000005000000000, 'frozen needle', 1, 1, 1, 3, 0, 24, '\x950ffb6f6cbea2a1fd6ac7fcef7e2e9ffbc077bf8b833008817f781a1aa227b3', 2, 1, 0, 0, NULL, 1, '[{"source":"log","agent":"claude","model":"opus","at":"2027-01-15T08:00:00Z","input":7,"cache_read":0,"cache_write":0,"output":0,"reasoning":0,"total":7}]', true, 0);
INSERT INTO public.spaces OVERRIDING SYSTEM VALUE VALUES (1, 'shop', 90, 1795408358562354206);
INSERT INTO public.sweeps VALUES (true, 0);
INSERT INTO public.tokens OVERRIDING SYSTEM VALUE VALUES (1, 1, '\x58ea895e116faccdcbb24456a9421ee6801a85ca9f079436fc2aee537d9a1bf7', '', 'user', 0, 1795408358559647904, NULL, 1795408358561077015, false, NULL);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (2, 'bob', 'admin', 1795408358566582490, '');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (1, 'ann', 'member', 1795408358554025609, 'ann@example.com');
INSERT INTO public.words_2026_11 VALUES ('2026-11-23', '01a206ad-6ca7-72c1-97cf-e3fc24eed80f', 'e', 0, 1800000000000000000, 1, 0, 'user', '''frozen'':1A ''needle'':2A');
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
ALTER TABLE ONLY public.words
    ADD CONSTRAINT words_pkey PRIMARY KEY (received, session, entry, part);
ALTER TABLE ONLY public.words_2026_11
    ADD CONSTRAINT words_2026_11_pkey PRIMARY KEY (received, session, entry, part);
CREATE INDEX entries_seq ON ONLY public.entries USING btree (session, seq, id);
CREATE INDEX entries_2026_11_session_seq_id_idx ON public.entries_2026_11 USING btree (session, seq, id);
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
CREATE INDEX words_words ON ONLY public.words USING gin (words);
CREATE INDEX words_2026_11_words_idx ON public.words_2026_11 USING gin (words);
ALTER INDEX public.entries_pkey ATTACH PARTITION public.entries_2026_11_pkey;
ALTER INDEX public.entries_seq ATTACH PARTITION public.entries_2026_11_session_seq_id_idx;
ALTER INDEX public.segments_object ATTACH PARTITION public.segments_2026_11_object_idx;
ALTER INDEX public.segments_pkey ATTACH PARTITION public.segments_2026_11_pkey;
ALTER INDEX public.words_parts ATTACH PARTITION public.words_2026_11_at_idx;
ALTER INDEX public.words_pkey ATTACH PARTITION public.words_2026_11_pkey;
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
