package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/internal/sys/redirect"
)

// The delay between tries to reconnect doubles from the first to the last value.
const (
	firstDelay = 500 * time.Millisecond
	lastDelay  = 8 * time.Second
	patience   = 15 * time.Second // between the later tries to reach a management server
)

// backoff returns the delay before the nth consecutive try; n starts at 1.
func backoff(n int) time.Duration {
	d := firstDelay
	for range n - 1 {
		d = min(2*d, lastDelay)
	}
	return d
}

// patientBackoff returns the delay before the nth try to reach a management server: that of backoff
// for the first five tries, then patience.
func patientBackoff(n int) time.Duration {
	if n > 5 {
		return patience
	}
	return backoff(n)
}

// tries counts consecutive tries to reach a server.
type tries struct {
	delay func(try int) time.Duration // delay before the nth consecutive try, from 1
	most  int                         // maximum number; 0 means no limit
	n     int
}

// lost counts a lost connection or a failed try. After too many in a row it returns an error that
// wraps ErrLost.
func (t *tries) lost(why error) error {
	if t.n++; t.most > 0 && t.n > t.most {
		// The connection's io.EOF is not the end of the stream: do not wrap it.
		return fmt.Errorf("%w %d times in a row: %v", ErrLost, t.n, why) //nolint:errorlint
	}
	return nil
}

// reset restarts the count: the server was reached.
func (t *tries) reset() { t.n = 0 }

// pause returns the delay before the next try.
func (t *tries) pause() time.Duration { return t.delay(t.n) }

// sleep waits for d. It returns false if ctx ends first.
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

// final is a permanent error.
type final struct {
	error
}

func (f final) Unwrap() error { return f.error }

func isFinal(err error) bool {
	var f final
	return errors.As(err, &f) || management.IsFinal(err) || errors.Is(err, redirect.ErrElsewhere)
}
