package store

import (
	"context"
	"iter"

	"github.com/ptyrec/ptyrec/session"
)

// Placed is an event, and the number of output bytes before it.
type Placed struct {
	Offset int64
	session.Event
}

// OutputFrom gives the output of a session from a byte on, with the changes of the window's size, as EventsFrom does. Of the event that the byte
// stands in it gives the rest.
func (s *Store) OutputFrom(ctx context.Context, id string, offset int64) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		r := rawReader{store: s, id: id, from: From{Offset: offset}}
		r.yield = func(ev session.Event, err error) bool {
			switch {
			case err != nil:
				return yield(Placed{Offset: r.offset}, err)
			case ev.Kind == session.Output:
				start := r.offset - int64(len(ev.Data))
				if before := offset - start; before > 0 {
					start, ev.Data = offset, ev.Data[before:]
				}
				return yield(Placed{start, ev}, nil)
			case ev.Kind == session.Resize:
				return yield(Placed{r.offset, ev}, nil)
			}
			return true
		}
		r.run(ctx)
	}
}
