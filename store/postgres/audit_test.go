package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// The audit notices rows that somebody with the database's password changed, took out, put in, or
// put into another order.
func TestChangedAuditIsNoticed(t *testing.T) {
	dsn := pgtest.New(t)
	_, s := openAt(t, dsn)
	for n := range 5 {
		if err := s.AddUser(operator(t), fmt.Sprint("user", n), postgres.RoleMember); err != nil {
			t.Fatal(err)
		}
	}
	auditor := postgres.As(t.Context(), postgres.Viewer{User: 1, Kind: postgres.KindUser, Role: postgres.RoleAuditor})
	read := func() (n int, err error) {
		err = s.Audit(auditor, time.Unix(0, 0), func(postgres.Record) error { n++; return nil })
		return n, err
	}
	all, err := read()
	if err != nil || all < 5 {
		t.Fatalf("%d rows, %v", all, err)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec("CREATE TABLE kept AS SELECT * FROM audit; CREATE TABLE kept_days AS SELECT * FROM audit_days")
	last := fmt.Sprint(all)
	for name, change := range map[string]string{
		"a row": `UPDATE audit SET row = replace(row, 'member', 'admin') WHERE n = 4`,
		"a row and its hash": `UPDATE audit SET row = replace(row, 'member', 'admin'), hash = sha256(before || ` +
			`convert_to(replace(row, 'member', 'admin'), 'UTF8')) WHERE n = 4`,
		"a hash":          `UPDATE audit SET hash = sha256('x') WHERE n = 4`,
		"the hash before": `UPDATE audit SET before = sha256('x') WHERE n = 4`,
		"the last row": `UPDATE audit SET row = replace(row, 'user', 'User'), hash = sha256(before || ` +
			`convert_to(replace(row, 'user', 'User'), 'UTF8')) WHERE n = ` + last,
		"a row out":         `DELETE FROM audit WHERE n = 4`,
		"the first row out": `DELETE FROM audit WHERE n = 1`,
		"the last row out":  `DELETE FROM audit WHERE n = ` + last,
		"a row out, numbered": `DELETE FROM audit WHERE n = 4; UPDATE audit SET n = -n; UPDATE audit SET n = CASE WHEN n ` +
			`< -4 THEN -n - 1 ELSE -n END`,
		"all rows out":       `DELETE FROM audit`,
		"the day out":        `DELETE FROM audit_days`,
		"two rows exchanged": `UPDATE audit SET n = -n WHERE n IN (4, 5); UPDATE audit SET n = 9 + n WHERE n < 0`,
		"texts exchanged": `UPDATE audit AS a SET row = b.row FROM audit AS b WHERE a.n IN (4, 5) AND b.n = 9 - a.n ` +
			`AND b.day = a.day`,
		"a row put in": `INSERT INTO audit SELECT day, n + 1, row, hash, sha256(hash || convert_to(row, 'UTF8')) ` +
			`FROM audit WHERE n = ` + last,
		"another day": `INSERT INTO audit SELECT day - 1, 1, row, '', sha256(convert_to(row, 'UTF8')) FROM audit ` +
			`WHERE n = 1`,
	} {
		exec(change)
		if _, err := read(); !errors.Is(err, postgres.ErrAudit) {
			t.Errorf("%s: %v", name, err)
		}
		exec("TRUNCATE audit, audit_days; INSERT INTO audit SELECT * FROM kept; INSERT INTO audit_days SELECT * FROM " +
			"kept_days")
	}
	if n, err := read(); err != nil || n != all {
		t.Errorf("%d rows, %v", n, err)
	}
}

// BenchmarkAuditedReads reads a session of somebody else, as 8 clients at a time: each read is a
// row of the audit, and its transaction waits for the disk.
func BenchmarkAuditedReads(b *testing.B) {
	dsn := pgtest.New(b)
	ctx, s := openAt(b, dsn)
	conn, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(b.Context()) }()
	for _, statement := range []string{"ALTER SYSTEM SET fsync = on", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	sess := &session.Session{ID: store.NewID()}
	if err := put(ctx, s, sess, nil, []*session.Entry{{ID: "e", Seq: 1, Type: session.TypeMessage,
		Text: "x"}}); err != nil {
		b.Fatal(err)
	}
	auditor := postgres.ViewerOf(user(b, s, "eve", postgres.RoleAuditor))
	b.SetParallelism(4)
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := s.EntriesAfter(postgres.As(b.Context(), auditor), sess.ID, 0); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
