package pgtest

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Pair is a primary and its standby, which replicates it.
type Pair struct {
	*Own    // the primary
	standby *cluster
}

// standbyName is the name of the standby.
const standbyName = "standby"

// NewPair starts a primary and a standby for one test, and returns the connection string of an
// empty database, with both hosts. If synchronous is set, a commit waits for the standby. Without
// PostgreSQL the test is skipped or fails, as with New.
func NewPair(t testing.TB, synchronous bool) (p *Pair, dsn string) {
	t.Helper()
	primary, _ := NewOwn(t)
	p = &Pair{Own: primary}
	if err := p.startStandby(t); err != nil {
		t.Fatal(err)
	}
	if synchronous {
		p.do(t, primary.c, "ALTER SYSTEM SET synchronous_standby_names = '"+standbyName+"'")
		p.do(t, primary.c, "SELECT pg_reload_conf()")
	}
	p.CatchUp(t)
	return p, "postgres:///postgres?" + url.Values{"host": {primary.c.dir + "," + p.standby.dir}, "user": {"postgres"},
		"target_session_attrs": {"read-write"}}.Encode()
}

// startStandby copies the primary and starts the copy.
func (p *Pair) startStandby(t testing.TB) error {
	postgres, err := program("postgres")
	if err != nil {
		return err
	}
	backup, err := program("pg_basebackup")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ptyrec-pg-")
	if err != nil {
		return err
	}
	p.standby = &cluster{dir: dir}
	t.Cleanup(func() {
		if p.standby.server != nil {
			(&Own{p.standby}).end()
		}
		_ = os.RemoveAll(dir)
	})
	as, err := unprivileged(dir)
	if err != nil {
		return err
	}
	from := "host=" + p.c.dir + " user=postgres application_name=" + standbyName
	if err := p.standby.command(as, backup, "-d", from, "-D", filepath.Join(dir, "data"), "-R", "-X", "stream", "-c",
		"fast", "--no-sync"); err != nil {
		return err
	}
	if err := p.standby.startBy(as, postgres, kept); err != nil {
		return err
	}
	return p.standby.wait()
}

func (p *Pair) do(t testing.TB, c *cluster, statement string) {
	t.Helper()
	if err := c.do(statement); err != nil {
		t.Fatal(err)
	}
}

// CatchUp waits until the standby has everything that the primary has written.
func (p *Pair) CatchUp(t testing.TB) {
	t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := p.c.do("SELECT 1 / count(*) FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn = " +
			"pg_current_wal_lsn()")
		if err == nil {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("the standby does not catch up: %v", err)
		}
	}
}

// Cut cuts the connection of the standby to its primary, so that it lags.
func (p *Pair) Cut(t testing.TB) {
	t.Helper()
	p.do(t, p.standby, "ALTER SYSTEM SET primary_conninfo = ''")
	p.do(t, p.standby, "SELECT pg_reload_conf()")
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := p.c.do("SELECT 1 / (1 - count(*)) FROM pg_stat_replication")
		if err == nil {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("the standby is still connected: %v", err)
		}
	}
}

// Promote makes the standby the primary. The old primary must be dead.
func (p *Pair) Promote(t testing.TB) {
	t.Helper()
	p.do(t, p.standby, "SELECT pg_promote(true, 60)")
}
