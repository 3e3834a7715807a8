package archive

import (
	"context"
	"slices"

	"github.com/ptyrec/ptyrec/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Rewriting is how a stored session is rewritten to take the secrets out of it.
type Rewriting struct {
	Damage []*store.Damage // parts of the raw log that cannot be read; they are deleted

	command []string
	text    func(string) string // takes the secrets out of the title and such
	entries []*session.Entry

	terminal *redact.Terminal
	inEntry  map[string]int
	patches  map[int64][]redact.Patch // by the event's number
}

// NewRewriting finds the secrets in a session. It reads the session three times: for secrets as the
// screen shows them, for secrets as they were written, and to hide them.
func NewRewriting(ctx context.Context, db *store.Store, info *store.Info, r Redaction) (*Rewriting, error) {
	w := &Rewriting{terminal: r.Terminal(), inEntry: map[string]int{}, patches: map[int64][]redact.Patch{}}
	entries, err := db.Entries(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	source := NewRawLog(ctx, db, info.ID, 0)
	t, err := Transcribe(info.Session, source, nil)
	source.Stop()
	if err != nil {
		return nil, err
	}
	w.Damage = source.Damage
	for _, e := range append(slices.Clone(t.Entries), entries...) {
		w.look(e)
	}
	if err := w.hide(ctx, db, info.ID); err != nil {
		return nil, err
	}
	r, w.command = r.Of(info.Command)
	w.text = func(s string) string { return r.Title(s, entries) }
	w.entries = r.Entries(entries, w.inEntry)
	return w, nil
}

// logTexts are the texts in a raw log: an event's data goes on in the next one of the same kind and
// stream.
var logTexts = []session.Event{
	{Kind: session.Output}, {Kind: session.Input}, {Kind: session.Marker},
	{Kind: session.Pipe, Stream: session.Stdout}, {Kind: session.Pipe, Stream: session.Stderr},
}

// hide finds out what to change in the raw log.
func (w *Rewriting) hide(ctx context.Context, db Log, id string) error {
	for _, mask := range []bool{false, true} {
		for _, text := range logTexts {
			if err := w.search(ctx, db, id, text, mask); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Rewriting) look(e *session.Entry) {
	w.terminal.Look(e.Text)
	w.terminal.Look(e.Output)
	if e.Tool != nil {
		w.terminal.Look(e.Tool.Input)
		w.terminal.Look(e.Tool.Output)
	}
}

// search goes through the events of one text, and notes the secrets or what hides them.
func (w *Rewriting) search(ctx context.Context, db Log, id string, text session.Event, mask bool) error {
	var numbers []int64 // of the chunks
	take := func(chunk []byte) {
		if !mask {
			w.terminal.LookAt(chunk)
			return
		}
		for _, p := range w.terminal.Mask(chunk) {
			n := numbers[p.Chunk]
			w.patches[n] = append(w.patches[n], p)
		}
	}
	source := NewRawLog(ctx, db, id, 0)
	defer source.Stop()
	for {
		e, err := source.Next()
		if err != nil {
			take(nil)
			return IgnoreEnd(err)
		}
		if e.Kind == text.Kind && e.Stream == text.Stream && len(e.Data) > 0 {
			numbers = append(numbers, source.Number-1)
			take(e.Data)
		}
	}
}

// event hides the secrets in an event of the raw log.
func (w *Rewriting) event(number int64, e *session.Event) bool {
	patches := w.patches[number]
	if len(patches) == 0 {
		return false
	}
	e.Data = slices.Clone(e.Data)
	for _, p := range patches {
		copy(e.Data[p.Offset:], p.Data)
	}
	return true
}

// Rewrite returns what the store is to do.
func (w *Rewriting) Rewrite() store.Rewrite {
	return store.Rewrite{Command: w.command, Text: w.text, Entries: w.entries, Event: w.event, Drop: true}
}

// Found counts what will be hidden, by rule. Entries that were redacted already do not count.
func (w *Rewriting) Found() map[string]int {
	found := w.terminal.Found()
	for rule, n := range w.inEntry {
		found[rule] = max(found[rule], n)
	}
	return found
}
