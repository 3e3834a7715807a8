package client

import (
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/client/management"
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

// final is an error that another try would only meet again.
type final struct {
	error
}

func (f final) Unwrap() error { return f.error }

func isFinal(err error) bool {
	var f final
	return errors.As(err, &f) || management.IsFinal(err)
}
