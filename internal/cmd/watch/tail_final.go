package watch

import (
	"io"
	"reflect"

	"github.com/ptyrec/ptyrec/session"
)

// finalWriter writes entries when they are final: when another entry follows, the session is over,
// or nothing has changed since the last call.
type finalWriter struct {
	tailOutput
	done map[string]bool // ids of entries that were written or skipped
	seq  int             // number of the last of them
	to   int             // number of the last entry to write; 0: no limit
	open *session.Entry  // first entry that was not final at the last call
}

func (o tailOutput) finalWriter() finalWriter {
	return finalWriter{tailOutput: o, done: map[string]bool{}}
}

// skip skips all but the last n entries that are shown.
func (t *finalWriter) skip(entries []*session.Entry, n int) {
	for i := len(entries) - 1; i >= 0; i-- {
		if n > 0 && t.shows(entries[i]) {
			n--
			continue
		}
		if n == 0 {
			t.done[entries[i].ID] = true
		}
	}
}

// put writes the final ones among the entries. over means that all are final. The error is io.EOF
// after the last entry to write.
func (t *finalWriter) put(entries []*session.Entry, over bool) error {
	for i, e := range entries {
		if t.to > 0 && e.Seq > t.to {
			return io.EOF
		}
		if t.done[e.ID] {
			t.seq = e.Seq
			continue
		}
		final := over || i < len(entries)-1 || e.Status != session.StatusStreaming && reflect.DeepEqual(e, t.open)
		if !final {
			t.open = e
			return nil
		}
		t.done[e.ID], t.seq = true, e.Seq
		if err := t.write(e); err != nil {
			return err
		}
	}
	return nil
}
