package factory

import (
	"time"

	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

// now is the clock for retention.
var now = time.Now

// Now returns the time of the clock for retention.
func Now() time.Time { return now() }

// SetClock changes the clock for retention. Only tests call it.
func SetClock(clock func() time.Time) { now = clock }

// Retain starts a process that applies the configured retention, if that was not done within a day.
// It does not wait for the process. It ignores a database that is set by --db, because that may be
// an archive. It also does nothing if an agent may have started this process and written the
// configuration: the next command elsewhere does it.
func (f *Factory) Retain() {
	if f.retained || f.Database != "" {
		return
	}
	f.retained = true
	c, err := f.Config()
	if err != nil {
		return // a command that needs the configuration reports the error
	}
	policy, err := c.Retention.Policy()
	path, pathErr := f.DatabasePath()
	if err != nil || pathErr != nil || policy.IsZero() || peer.Here() != peer.Outside {
		return
	}
	policy.Start(path, now(), detached.Program(), detached.WithoutSession(f.IO.Environ), "prune", "--retention")
}
