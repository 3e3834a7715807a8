package store

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Position is the place of a session in the order of Sessions. It is unique and does not change.
// The zero value is before the first session.
type Position struct {
	StartedAt int64  // nanoseconds since 1970
	Key       int64  // primary key in SQLite; 0: ID is used instead
	ID        string // used if Key is 0
}

// Position returns the session's place in the order of Sessions.
func (i *Info) Position() Position {
	p := Position{StartedAt: Nanos(i.StartedAt), Key: i.Key}
	if p.Key == 0 {
		p.ID = i.ID
	}
	return p
}

// compare returns a negative number if p is listed after q, and a positive one if p is listed
// before q.
func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.StartedAt, q.StartedAt), cmp.Compare(p.Key, q.Key), cmp.Compare(p.ID, q.ID))
}

// MarshalText implements encoding.TextMarshaler.
func (p Position) MarshalText() ([]byte, error) {
	if p.ID != "" {
		return fmt.Appendf(nil, "%d.%s", p.StartedAt, p.ID), nil
	}
	return fmt.Appendf(nil, "%d.%d", p.StartedAt, p.Key), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Position) UnmarshalText(text []byte) error {
	started, key, _ := strings.Cut(string(text), ".")
	var err, keyErr error
	p.StartedAt, err = strconv.ParseInt(started, 10, 64)
	if uuid.Validate(key) == nil {
		p.ID = key
	} else {
		p.Key, keyErr = strconv.ParseInt(key, 10, 64)
	}
	return errors.Join(err, keyErr)
}
