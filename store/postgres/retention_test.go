package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// sql runs a statement as another program.
func sql(t testing.TB, dsn, text string, a ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), text, a...)
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// count returns what a query counts.
func count(t testing.TB, dsn, query string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	err = conn.QueryRow(t.Context(), query).Scan(&n)
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	return n
}

// oldSessions makes ann's sessions of a space, which the server has known since the month of a
// date. Each has a segment and some entries. It returns their ids.
func oldSessions(t testing.TB, dsn, space, date string, sessions, entries int) (ids []string) {
	t.Helper()
	month, err := time.Parse("2006-01", date[:7])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"segments", "entries", "words"} {
		sql(t, dsn, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %[1]s_%[2]s PARTITION OF %[1]s FOR VALUES FROM ('%[3]s') TO "+
			"('%[4]s')",
			table, month.Format("2006_01"), month.Format(time.DateOnly), month.AddDate(0, 1, 0).Format(time.DateOnly)))
	}
	for range sessions {
		ids = append(ids, store.NewID())
	}
	const s = "unnest($1::text[]) AS s (id)"
	sql(t, dsn, `INSERT INTO sessions (id, owner, space, machine, received, description, cwd, title, started_at, ended_at)
		SELECT s.id, u.id, coalesce((SELECT x.id FROM spaces AS x WHERE x.name = $2),
			0), 'm', $3::text::date, json_build_object('id', s.id), '', 't', 1, 2
		FROM `+s+` CROSS JOIN users AS u WHERE u.name = 'ann'`, ids, space, date)
	sql(t, dsn, `INSERT INTO segments (received, session, generation, first_event, end_event, start_at, end_at, `+
		`start_byte, end_byte, data)
		SELECT $2::text::date, s.id, 0, 0, 1, 0, 0, 0, 1, 'x' FROM `+s, ids, date)
	sql(t, dsn, `INSERT INTO entries (received, session, id, seq, type, event, role, agent, conversation, text, `+
		`output, at, byte_offset, status)
		SELECT $2::text::date, s.id, 'e' || n, n, 'message', '', 'user', '', 1, repeat('needle in a haystack ',
			25), '', 1, 0, 'complete'
		FROM `+s+` CROSS JOIN generate_series(1, $3::int) AS n`, ids, date, entries)
	sql(t, dsn, `INSERT INTO words (received, session, entry, part, at, owner, space, role, words)
		SELECT e.received, e.session, e.id, 0, 1, s.owner, s.space, 'user', to_tsvector('simple', e.text || ' ' ||
			e.session || e.id)
		FROM entries AS e JOIN sessions AS s ON s.id = e.session WHERE s.id = ANY ($1::text[])`, ids)
	return ids
}

// ok fails the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Sessions of a space go when their time is over, but not those on hold, those of other spaces, and
// those that are young. Months without a session go, too. The audit has it.
func TestRetention(t *testing.T) {
	dsn := pgtest.New(t)
	ctx, s := openAt(t, dsn)
	op := operator(t)
	for _, space := range []string{"shop", "archive"} {
		ok(t, s.AddSpace(op, space))
		ok(t, s.SetMember(op, space, "ann", "member"))
	}
	old := oldSessions(t, dsn, "shop", "2020-01-15", 5, 3)
	other := oldSessions(t, dsn, "archive", "2020-02-15", 1, 3)
	alone := oldSessions(t, dsn, "", "2020-03-15", 1, 3)
	empty := oldSessions(t, dsn, "shop", "2020-04-15", 2, 3)
	young := &session.Session{ID: store.NewID(), StartedAt: time.Unix(0, 0)} // says its machine's clock
	ok(t, put(ctx, s, young, nil, nil))
	expire := func(want int) {
		t.Helper()
		n, err := s.Expire(t.Context())
		if err != nil || n != want {
			t.Fatalf("%d were deleted, want %d: %v", n, want, err)
		}
	}
	expire(0) // there is no limit yet
	ok(t, s.Hold(op, old[0], true))
	ok(t, s.SetRetention(op, "shop", 90))
	expire(6)
	expire(0)
	infos, err := s.Sessions(ctx, store.Filter{})
	var left []string
	for _, info := range infos {
		left = append(left, info.ID)
	}
	want := []string{old[0], other[0], alone[0], young.ID}
	slices.Sort(left)
	slices.Sort(want)
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left %q, want %q: %v", left, want, err)
	}
	for table, rows := range map[string]int{"segments": 3, "entries": 9, "words": 9} {
		if n := count(t, dsn, "SELECT count(*) FROM "+table); n != rows {
			t.Errorf("%s has %d rows, want %d", table, n, rows)
		}
	}
	months := func() int {
		return count(t, dsn, "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname ~ '^(segments|entries|words)_20'")
	}
	if n := months(); n != 4*3 { // three old ones, and this one
		t.Errorf("%d partitions", n)
	}
	held, err := s.Held(op)
	if err != nil || !slices.Equal(held, old[:1]) {
		t.Errorf("held: %q, %v", held, err)
	}
	ok(t, s.Hold(op, old[0], false))
	expire(1)
	if n := months(); n != 3*3 {
		t.Errorf("%d partitions", n)
	}
	// What was deleted is not taken again, and a month that was dropped is no error.
	for _, id := range []string{old[1], empty[0]} {
		state, err := s.Begin(ctx, postgres.Push{Session: session.Session{ID: id}, Machine: "m", Version: 9})
		if err != nil || !state.Deleted {
			t.Errorf("%+v, %v", state, err)
		}
	}
	var audit []string
	ok(t, s.Audit(op, time.Now().Add(-time.Hour), func(r postgres.Record) error {
		if r.What == "retention" {
			audit = append(audit, strings.TrimSpace(r.User+" "+r.Session+" "+r.About))
		}
		return nil
	}))
	wantAudit := []string{"operator " + old[0] + " hold", "operator  shop 90",
		"server  shop: 6 sessions older than 90 days", "server  month 2020-04",
		"operator " + old[0] + " release", "server  shop: 1 sessions older than 90 days", "server  month 2020-01"}
	if !slices.Equal(audit, wantAudit) {
		t.Errorf("audit:\n%s\nwant:\n%s", strings.Join(audit, "\n"), strings.Join(wantAudit, "\n"))
	}
}

// Many servers at a time delete each session once; nobody else than an admin or the operator has a
// say.
func TestRetentionOfManyServersAtOnce(t *testing.T) {
	dsn := pgtest.New(t)
	ctx, s := openAt(t, dsn)
	op := operator(t)
	ok(t, s.AddSpace(op, "shop"))
	ok(t, s.SetRetention(op, "shop", 1))
	ids := oldSessions(t, dsn, "shop", "2020-01-15", 2500, 2)
	for name, who := range map[string]context.Context{
		"member": ctx, "auditor": user(t, s, "aud", postgres.RoleAuditor), "nobody": t.Context(),
		"push": entered(t, s, postgres.NewToken{User: "ann", Kind: postgres.KindPush}),
	} {
		_, held := s.Held(who)
		for _, err := range []error{held, s.SetRetention(who, "shop", 5), s.Hold(who, ids[0], true),
			s.AddPattern(who, redact.Pattern{Name: "x", Regexp: "x"}), s.RemovePattern(who, "x")} {
			if !errors.Is(err, session.ErrForbidden) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	ok(t, s.SetRetention(user(t, s, "eve", postgres.RoleAdmin), "shop", 2))
	if err := s.SetRetention(op, "nowhere", 2); !errors.Is(err, postgres.ErrUnknown) {
		t.Errorf("an unknown space: %v", err)
	}
	if err := s.Hold(op, store.NewID(), true); !errors.Is(err, postgres.ErrUnknown) {
		t.Errorf("an unknown session: %v", err)
	}
	var wg sync.WaitGroup
	n, errs := make([]int, 4), make([]error, 4)
	for i := range n {
		wg.Go(func() { n[i], errs[i] = s.Expire(t.Context()) })
	}
	wg.Wait()
	more, err := s.Expire(t.Context()) // where all others passed over the space
	if err := errors.Join(append(errs, err)...); err != nil || n[0]+n[1]+n[2]+n[3]+more != len(ids) {
		t.Errorf("%v and %d were deleted: %v", n, more, err)
	}
	for _, table := range []string{"segments", "entries", "words"} {
		if n := count(t, dsn, "SELECT count(*) FROM "+table); n != 0 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
}

// 100,000 entries in 1,000 sessions. The issue wants 5 s.
func BenchmarkRetention(b *testing.B) {
	dsn := pgtest.New(b)
	_, s := openAt(b, dsn)
	op := operator(b)
	ok(b, s.AddSpace(op, "shop"))
	ok(b, s.SetRetention(op, "shop", 1))
	oldSessions(b, dsn, "", "2020-01-15", 1000, 100) // stay
	for b.Loop() {
		b.StopTimer()
		oldSessions(b, dsn, "shop", "2020-01-15", 1000, 100)
		b.StartTimer()
		if n, err := s.Expire(b.Context()); err != nil || n != 1000 {
			b.Fatal(n, err)
		}
	}
}

// What a sender believes is compared with what is here; others' sessions are not here.
func TestCheck(t *testing.T) {
	ctx, s := open(t)
	entry := &session.Entry{ID: "e", Seq: 1, Type: session.TypeMessage, Text: "x"}
	var ids []string
	for range 3 {
		ids = append(ids, store.NewID())
		ok(t, put(ctx, s, &session.Session{ID: ids[len(ids)-1]}, []session.Event{{Kind: session.Output, Data: []byte("x")}},
			[]*session.Entry{entry}))
	}
	push := entered(t, s, postgres.NewToken{User: "ann", Kind: postgres.KindPush})
	mine := store.NewID()
	ok(t, put(push, s, &session.Session{ID: mine}, []session.Event{{Kind: session.Output, Data: []byte("x")}},
		[]*session.Entry{entry}))
	digest := postgres.DigestOf([][32]byte{sent([]*session.Entry{entry})[0].Digest})
	ok(t, s.DeleteSession(ctx, ids[2]))
	var copies []postgres.Copy
	for i, id := range []string{ids[0], ids[1], ids[2], store.NewID(), mine, mine + "\x00"} {
		events := int64(1)
		if i == 1 {
			events = 2
		}
		copies = append(copies, postgres.Copy{ID: id, Events: events, Digest: digest})
	}
	for _, c := range []struct {
		ctx             context.Context
		differ, deleted []string
	}{
		{ctx, []string{copies[1].ID, copies[3].ID, copies[5].ID}, ids[2:]},
		{push, []string{ids[0], ids[1], ids[2], copies[3].ID, copies[5].ID}, nil},
		{user(t, s, "bob", postgres.RoleAuditor), []string{ids[0], ids[1], ids[2], copies[3].ID, mine, copies[5].ID}, nil},
	} {
		differ, deleted, err := s.Check(c.ctx, copies)
		if err != nil || !slices.Equal(differ, c.differ) || !slices.Equal(deleted, c.deleted) {
			t.Errorf("%q, %q, %v; want %q, %q", differ, deleted, err, c.differ, c.deleted)
		}
	}
	if _, _, err := s.Check(t.Context(), copies); !errors.Is(err, session.ErrForbidden) {
		t.Errorf("nobody: %v", err)
	}
	copies[0].Digest[0]++
	if differ, _, err := s.Check(ctx, copies[:1]); err != nil || len(differ) != 1 {
		t.Errorf("%q, %v", differ, err)
	}
}
