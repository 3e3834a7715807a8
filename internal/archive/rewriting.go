package archive

import (
	"context"
	"slices"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Rewriting describes how to rewrite a stored session to remove its secrets.
type Rewriting struct {
	Damage []*store.Damage // unreadable parts of the raw log, which will be deleted

	command []string
	text    func(string) string // removes the secrets from the title and other texts
	entries []*session.Entry

	terminal *redact.Terminal
	inEntry  map[string]int
	mask     *Mask
}

// newRewriting returns a Rewriting without any patches.
func newRewriting(r Redaction) *Rewriting {
	return &Rewriting{terminal: r.Terminal(), inEntry: map[string]int{}, mask: newMask()}
}

// Stored is a database of sessions. *sqlite.Store implements it.
type Stored interface {
	Log
	Entries(ctx context.Context, id string) ([]*session.Entry, error)
}

// NewRewriting finds the secrets in a session. It searches the raw log and the screen for secrets
// and, if it finds any, the raw log a second time for parts of them. The store reads the raw log
// once more to rewrite it.
func NewRewriting(ctx context.Context, db Stored, info *store.Info, r Redaction) (*Rewriting, error) {
	w := newRewriting(r)
	entries, err := db.Entries(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	if err := w.hideShown(ctx, db, info, entries, nil); err != nil {
		return nil, err
	}
	r, w.command = r.Of(info.Command)
	w.text = func(s string) string { return r.Title(s, entries) }
	w.entries = r.Entries(entries, w.inEntry)
	return w, nil
}

// hideShown adds the patches that hide the secrets found in the raw log, on the screen, and in
// entries. If tap is not nil, it is called with each event.
func (w *Rewriting) hideShown(ctx context.Context, db Log, info *store.Info, entries []*session.Entry,
	tap func(session.Event)) error {
	source := NewRawLog(ctx, db, info.ID, 0)
	defer source.Stop()
	first := w.reading((*redact.Stream).Find)
	t, err := Transcribe(info.Session, source, func(e session.Event) {
		first.event(source.Number-1, e)
		if tap != nil {
			tap(e)
		}
	})
	if err != nil {
		return err
	}
	first.end()
	w.Damage, w.mask.end = source.Damage, source.Number
	for _, e := range append(slices.Clone(t.Entries), entries...) {
		w.look(e)
	}
	return w.hideParts(ctx, db, info.ID)
}

// hide adds the patches that hide the secrets found in the raw log.
func (w *Rewriting) hide(ctx context.Context, db Log, id string) (err error) {
	if w.mask.end, err = w.read(ctx, db, id, (*redact.Stream).Find); err != nil {
		return err
	}
	return w.hideParts(ctx, db, id)
}

// hideParts adds the patches that hide parts of the secrets found before. It reads the raw log only
// if it may contain some.
func (w *Rewriting) hideParts(ctx context.Context, db Log, id string) error {
	if !w.terminal.HasParts() {
		return nil
	}
	_, err := w.read(ctx, db, id, (*redact.Stream).FindParts)
	return err
}

func (w *Rewriting) look(e *session.Entry) {
	w.terminal.Look(e.Text)
	w.terminal.Look(e.Output)
	if e.Tool != nil {
		w.terminal.Look(e.Tool.Input)
		w.terminal.Look(e.Tool.Output)
	}
}

// read reads the raw log once, and searches all texts in it with find. It returns the number of the
// event after the last one.
func (w *Rewriting) read(ctx context.Context, db Log, id string, find finder) (end int64, err error) {
	r := w.reading(find)
	source := NewRawLog(ctx, db, id, 0)
	defer source.Stop()
	for {
		e, err := source.Next()
		if err != nil {
			r.end()
			return source.Number, IgnoreEnd(err)
		}
		r.event(source.Number-1, e)
	}
}

// finder is the method Find or FindParts of a redact.Stream.
type finder func(*redact.Stream, []byte) []redact.Patch

// reading is the state of one pass over a raw log. The data of all events with the same kind and
// stream is searched as one text.
type reading struct {
	*Rewriting
	find  finder
	texts map[textKey]*text
}

type textKey struct {
	kind   session.EventKind
	stream int
}

type text struct {
	*redact.Stream
	numbers []int64 // number of the event of each chunk
}

func (w *Rewriting) reading(find finder) *reading {
	return &reading{w, find, map[textKey]*text{}}
}

// event searches an event's data.
func (r *reading) event(number int64, e session.Event) {
	switch e.Kind {
	case session.Output, session.Input, session.Marker, session.Pipe:
	default:
		return
	}
	if len(e.Data) == 0 {
		return
	}
	key := textKey{kind: e.Kind}
	if e.Kind == session.Pipe {
		key.stream = e.Stream
	}
	t := r.texts[key]
	if t == nil {
		t = &text{Stream: r.terminal.Stream()}
		r.texts[key] = t
	}
	t.numbers = append(t.numbers, number)
	r.note(t, e.Data)
}

// end ends all texts.
func (r *reading) end() {
	for _, t := range r.texts {
		r.note(t, nil)
	}
}

// note searches a chunk, or the end of the text if it is nil, and adds the patches.
func (r *reading) note(t *text, chunk []byte) {
	for _, p := range r.find(t.Stream, chunk) {
		n := t.numbers[p.Chunk]
		r.mask.patches[n] = append(r.mask.patches[n], p)
	}
}

// Rewrite returns the changes for the store to make.
func (w *Rewriting) Rewrite() store.Rewrite {
	return store.Rewrite{Command: w.command, Text: w.text, Entries: w.entries, Event: w.mask.hide, Drop: true}
}

// Found returns the number of secrets that will be hidden, by rule. Secrets that were already
// redacted in entries do not count.
func (w *Rewriting) Found() map[string]int {
	found := w.terminal.Found()
	for rule, n := range w.inEntry {
		found[rule] = max(found[rule], n)
	}
	return found
}
