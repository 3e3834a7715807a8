package server

import (
	"context"
	"iter"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// chunk is a part of what a command wrote.
type chunk struct {
	seq  int64 // of its first byte
	data []byte
}

// outputFrom gives a stored session's output from exactly this byte on. Errors are those of store.OutputFrom.
func outputFrom(ctx context.Context, db *store.Store, id string, from int64) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		for e, err := range db.OutputFrom(ctx, id, from) {
			c := chunk{e.Offset, e.Data}
			switch {
			case err != nil:
				c = chunk{}
			case e.Kind != session.Output || c.seq+int64(len(c.data)) <= from:
				continue
			case c.seq < from:
				c = chunk{from, c.data[from-c.seq:]}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
