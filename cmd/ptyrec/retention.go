package main

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/nice"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

// now is the clock of the retention. Only tests change it.
var now = time.Now

// retain starts a process that deletes what the configuration does not keep, if none did within a
// day. It does not wait for it. A database that is named by --db is left alone: it may be an
// archive. So is any database where an agent may have started this process, and written the
// configuration: the next command elsewhere does it.
func (a *app) retain() {
	if a.retained || a.dbFlag != "" {
		return
	}
	a.retained = true
	c, err := a.loadConfig()
	if err != nil {
		return // the command itself says so if it needs the configuration
	}
	policy, err := c.Retention.Policy()
	path, pathErr := a.dbPath()
	if err != nil || pathErr != nil || policy.IsZero() || peer.Here() != peer.Outside {
		return
	}
	policy.Start(path, now(), detached.Program(), detached.WithoutSession(a.environ), "prune", "--retention")
}

// applyRetention is what the process does that retain has started.
func applyRetention(ctx context.Context, a *app) error {
	nice.Lock()
	a.retained = true
	c, err := a.loadConfig()
	if err != nil {
		return err
	}
	policy, err := c.Retention.Policy()
	if err != nil || policy.IsZero() {
		return err
	}
	db, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	_, err = policy.Apply(ctx, db, now())
	return err
}
