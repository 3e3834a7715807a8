package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/internal/sys/redirect"
)

// The time between tries to connect again doubles from the first to the last.
const (
	firstDelay = 500 * time.Millisecond
	lastDelay  = 8 * time.Second
	patience   = 15 * time.Second // between the later tries to reach a management server
)

// backoff is how long to wait before the nth try in a row, from 1.
func backoff(n int) time.Duration {
	d := firstDelay
	for range n - 1 {
		d = min(2*d, lastDelay)
	}
	return d
}

// patientBackoff is backoff for management servers.
func patientBackoff(n int) time.Duration {
	if n > 5 {
		return patience
	}
	return backoff(n)
}

// tries counts the tries in a row to reach a server again.
type tries struct {
	delay func(try int) time.Duration // before the nth try in a row, from 1
	most  int                         // 0: as many as it takes
	n     int
}

// lost counts a lost connection or a failed try. It returns an error that wraps ErrLost after too
// many in a row.
func (t *tries) lost(why error) error {
	if t.n++; t.most > 0 && t.n > t.most {
		// An end of file of the connection is not one of what it carried: do not wrap it.
		return fmt.Errorf("%w %d times in a row: %v", ErrLost, t.n, why) //nolint:errorlint
	}
	return nil
}

// reset says that the server is reached.
func (t *tries) reset() { t.n = 0 }

// pause returns how long to wait before the next try.
func (t *tries) pause() time.Duration { return t.delay(t.n) }

// sleep waits, and reports false if ctx ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// final is an error that another try would only meet again.
type final struct {
	error
}

func (f final) Unwrap() error { return f.error }

func isFinal(err error) bool {
	var f final
	return errors.As(err, &f) || management.IsFinal(err) || errors.Is(err, redirect.ErrElsewhere)
}
