package main

import (
	"io"
	"reflect"

	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/session"
)

// giver writes entries once they are final: another one follows, the session is over, or nothing
// has changed since the last call.
type giver struct {
	write func(*session.Entry) error
	shows func(*session.Entry) bool

	given map[string]bool
	seq   int            // of the last entry that was given out
	to    int            // the last entry to give out; 0: the session's
	open  *session.Entry // as it stood when we last asked
}

func newGiver(f tailFlags, format render.Terminal, write func(*session.Entry) error) giver {
	shows := func(e *session.Entry) bool { return f.asJSON || format.Entry(e) != "" }
	return giver{write: write, shows: shows, given: map[string]bool{}}
}

// skip leaves out all but the last n entries that are shown.
func (t *giver) skip(entries []*session.Entry, n int) {
	for i := len(entries) - 1; i >= 0; i-- {
		if n > 0 && t.shows(entries[i]) {
			n--
			continue
		}
		if n == 0 {
			t.given[entries[i].ID] = true
		}
	}
}

func (t *giver) give(entries []*session.Entry, over bool) error {
	for i, e := range entries {
		if t.to > 0 && e.Seq > t.to {
			return io.EOF
		}
		if t.given[e.ID] {
			t.seq = e.Seq
			continue
		}
		settled := over || i < len(entries)-1 || e.Status != session.StatusStreaming && reflect.DeepEqual(e, t.open)
		if !settled {
			t.open = e
			return nil
		}
		t.given[e.ID], t.seq = true, e.Seq
		if err := t.write(e); err != nil {
			return err
		}
	}
	return nil
}
