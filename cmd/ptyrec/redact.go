package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

type redactFlags struct {
	yes, json bool
}

func newRedactCmd(a *app) *cobra.Command {
	var f redactFlags
	cmd := &cobra.Command{
		Use:   "redact S",
		Short: "Take the secrets out of a recorded session, raw log and all",
		Long: `Redact removes the secrets from a session (an id, a unique beginning of one, or last): from its raw
log, entries, title and command. It prints how many secrets of which kind it found, never the
secrets, and asks before it rewrites the session. In the raw log each character of a secret becomes
"*"; times and sizes stay the same. The old content is removed from the database's files. This
cannot be undone. docs/privacy.md says what counts as a secret.`,
		Example:           "  ptyrec redact last\n  ptyrec redact 019a --yes",
		Args:              operands(1, 1),
		ValidArgsFunction: completeSessions(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return redactSession(cmd.Context(), a, args, f)
		},
	}
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&f.json, "json", false, "say what was found as JSON")
	return cmd
}

func redactSession(ctx context.Context, a *app, args []string, f redactFlags) error {
	db, info, ref, err := a.openStored(ctx, args)
	if err == nil && !ref.Whole() {
		err = wholeOnly(ref)
	}
	if err != nil {
		return err
	}
	if info.Status == store.Live {
		return fail(fmt.Errorf("session %s is being recorded", info.ID), "redact it when it is over")
	}
	r, err := a.redaction()
	if err != nil {
		return err
	}
	if r.Redactor == nil {
		return fail(errors.New("redaction is off"), "leave out --redact=false, or enable it in the configuration")
	}
	w, err := newRewriting(ctx, db, info, r)
	if err != nil {
		return err
	}
	for _, d := range w.damage {
		a.notice("warning: %v; it is deleted, because its content is unknown", d)
	}
	if err := a.tellFound(info, w.found(), f.json); err != nil {
		return err
	}
	if len(w.found()) == 0 && len(w.damage) == 0 {
		return nil
	}
	if !f.yes {
		if err := a.agreed("rewrite the session, which cannot be undone"); err != nil {
			return err
		}
	}
	err = db.RewriteSession(ctx, info.ID, store.Rewrite{
		Command: w.command, Text: w.text, Entries: w.entries, Event: w.event, Drop: true,
	})
	if errors.Is(err, session.ErrBusy) {
		return fail(err, "close the other programs that use the database, and run `ptyrec doctor --repair`")
	}
	return err
}

// tellFound says what was found, by rule.
func (a *app) tellFound(info *store.Info, found map[string]int, asJSON bool) error {
	if asJSON {
		text, err := json.Marshal(map[string]any{"session": info.ID, "found": found})
		if err == nil {
			_, err = fmt.Fprintf(a.stdout, "%s\n", printable.JSON(nil, text))
		}
		return err
	}
	if len(found) == 0 {
		_, err := fmt.Fprintf(a.stdout, "session %s: no secrets found\n", printable.Line(info.ID))
		return err
	}
	var parts []string
	for _, rule := range slices.Sorted(maps.Keys(found)) {
		parts = append(parts, fmt.Sprintf("%d %s", found[rule], rule))
	}
	_, err := fmt.Fprintf(a.stdout, "session %s: found %s\n", printable.Line(info.ID), strings.Join(parts, ", "))
	return err
}

// rewriting is what is to become of a session.
type rewriting struct {
	command []string
	text    func(string) string // takes the secrets out of the title and such
	entries []*session.Entry
	damage  []*store.Damage

	terminal *redact.Terminal
	inEntry  map[string]int
	patches  map[int64][]redact.Patch // by the event's number
}

// newMasking finds out what to change in the raw log of a session, by what was written alone.
func newMasking(ctx context.Context, db *store.Store, id string, r archive.Redaction) (*rewriting, error) {
	w := &rewriting{patches: map[int64][]redact.Patch{}}
	if r.Redactor == nil {
		return w, nil
	}
	w.terminal = r.Terminal()
	return w, w.hide(ctx, db, id)
}

// newRewriting reads the session three times: for secrets as the screen shows them, for secrets as
// they were written, and to hide them.
func newRewriting(ctx context.Context, db *store.Store, info *store.Info, r archive.Redaction) (*rewriting, error) {
	w := &rewriting{terminal: r.Terminal(), inEntry: map[string]int{}, patches: map[int64][]redact.Patch{}}
	entries, err := db.Entries(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	source := archive.NewRawLog(ctx, db, info.ID, 0)
	t, err := archive.Transcribe(info.Session, source, nil)
	source.Stop()
	if err != nil {
		return nil, err
	}
	w.damage = source.Damage
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
func (w *rewriting) hide(ctx context.Context, db *store.Store, id string) error {
	for _, mask := range []bool{false, true} {
		for _, text := range logTexts {
			if err := w.search(ctx, db, id, text, mask); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *rewriting) look(e *session.Entry) {
	w.terminal.Look(e.Text)
	w.terminal.Look(e.Output)
	if e.Tool != nil {
		w.terminal.Look(e.Tool.Input)
		w.terminal.Look(e.Tool.Output)
	}
}

// search goes through the events of one text, and notes the secrets or what hides them.
func (w *rewriting) search(ctx context.Context, db *store.Store, id string, text session.Event, mask bool) error {
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
	source := archive.NewRawLog(ctx, db, id, 0)
	defer source.Stop()
	for {
		e, err := source.Next()
		if err != nil {
			take(nil)
			return archive.IgnoreEnd(err)
		}
		if e.Kind == text.Kind && e.Stream == text.Stream && len(e.Data) > 0 {
			numbers = append(numbers, source.Number-1)
			take(e.Data)
		}
	}
}

// event hides the secrets in an event of the raw log.
func (w *rewriting) event(number int64, e *session.Event) bool {
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

// found counts what will be hidden, by rule. Entries that were redacted already do not count.
func (w *rewriting) found() map[string]int {
	found := w.terminal.Found()
	for rule, n := range w.inEntry {
		found[rule] = max(found[rule], n)
	}
	return found
}
