package factory

import (
	"time"

	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

// now is the clock of the retention.
var now = time.Now

// Now returns the time by the clock of the retention.
func Now() time.Time { return now() }

// SetClock changes the clock of the retention. Only tests call it.
func SetClock(clock func() time.Time) { now = clock }

// Retain starts a process that deletes what the configuration does not keep, if none did within a
// day. It does not wait for it. A database that is named by --db is left alone: it may be an
// archive. So is any database where an agent may have started this process, and written the
// configuration: the next command elsewhere does it.
func (f *Factory) Retain() {
	if f.retained || f.Database != "" {
		return
	}
	f.retained = true
	c, err := f.Config()
	if err != nil {
		return // the command itself says so if it needs the configuration
	}
	policy, err := c.Retention.Policy()
	path, pathErr := f.DatabasePath()
	if err != nil || pathErr != nil || policy.IsZero() || peer.Here() != peer.Outside {
		return
	}
	policy.Start(path, now(), detached.Program(), detached.WithoutSession(f.IO.Environ), "prune", "--retention")
}
