// Package teamtest compares what a team's server has with what a machine has.
package teamtest

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/fts"
	"github.com/ptyrec/ptyrec/store/postgres"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Machine is a machine that sends sessions.
type Machine struct {
	Store   *sqlite.Store
	Library *library.Library
	Raw     bool   // it sends raw logs
	Home    string // replaced by ~ in the folders of entries
}

// Same checks that the server has what the machine has of a session, whose id there is id: the raw
// log without secrets and input, the entries, their words, and the counts. ctx is that of a user
// who may read it.
func (m Machine) Same(ctx context.Context, t testing.TB, server *postgres.Store, local, id string) {
	t.Helper()
	info, err := m.Store.Find(ctx, local)
	check(t, err)
	want, err := m.Library.Transcript(ctx, info)
	check(t, err)
	there, err := server.Find(ctx, id)
	check(t, err)
	got, err := (&library.Library{Store: server}).Transcript(ctx, there)
	check(t, err)
	for _, e := range want.Entries {
		e.Cwd = strings.Replace(e.Cwd, m.Home, "~", 1)
	}
	if diff := cmp.Diff(want.Entries, got.Entries); diff != "" {
		t.Errorf("%s: entries (-here +there):\n%s", id, diff)
	}
	if diff := cmp.Diff(countsOf(info), countsOf(there)); diff != "" {
		t.Errorf("%s (-here +there):\n%s", id, diff)
	}
	if m.Raw {
		m.sameRaw(ctx, t, server, info, id)
	}
	m.sameWords(ctx, t, server, info.ID, id, want.Entries)
}

// countsOf returns the parts of a session's description that must be equal.
func countsOf(i *store.Info) map[string]any {
	return map[string]any{"title": i.Title, "name": i.Name, "note": i.Note, "tags": strings.Join(i.Tags, " "),
		"status": i.Status, "prompt": i.Prompt, "messages": i.Messages,
		"turns": i.Turns, "raw": i.RawBytes, "duration": i.Duration, "started": i.StartedAt, "ended": i.EndedAt,
		"exit": i.ExitCode}
}

// sameRaw compares the raw logs, event by event.
func (m Machine) sameRaw(ctx context.Context, t testing.TB, server *postgres.Store, info *store.Info, id string) {
	t.Helper()
	var want, got []session.Event
	masked, err := archive.NewMasked(ctx, m.Store, info, m.Library.Redact)
	check(t, err)
	defer masked.Stop()
	for {
		e, err := masked.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		check(t, err)
		if e.Kind == session.Input || e.Kind == session.Marker {
			e.Data = nil
		}
		want = append(want, e)
	}
	for e, err := range server.EventsFrom(ctx, id, store.From{}) {
		check(t, err)
		got = append(got, e)
	}
	same := func(a, b session.Event) bool {
		return a.At == b.At && a.Kind == b.Kind && a.Cols == b.Cols && a.Rows == b.Rows && a.Status == b.Status &&
			string(a.Data) == string(b.Data)
	}
	if len(want) == 0 || !slices.EqualFunc(want, got, same) {
		t.Errorf("%s: the raw logs of %d and %d events differ", id, len(want), len(got))
	}
}

// mostWords is the maximum number of a session's words to look up.
const mostWords = 40

// sameWords compares the results of searches for a session's words.
func (m Machine) sameWords(ctx context.Context, t testing.TB, server *postgres.Store, local, id string,
	entries []*session.Entry) {
	t.Helper()
	all := map[string]bool{}
	for _, e := range entries {
		for _, text := range store.Indexed(e) {
			for _, word := range fts.Split(text) {
				all[word] = true
			}
		}
	}
	list := slices.Sorted(maps.Keys(all))
	for _, word := range list[:min(len(list), mostWords)] {
		q := store.Query{Text: `"` + word + `"`, Filter: store.Filter{ID: local, Limit: 10_000}}
		here, err := m.Store.Search(ctx, q)
		check(t, err)
		q.Filter.ID = id
		there, err := server.Search(ctx, q)
		check(t, err)
		if a, b := idsOf(here), idsOf(there); !slices.Equal(a, b) {
			t.Errorf("%s: %q is in %v, there in %v", id, word, a, b)
		}
	}
}

func idsOf(hits []*store.Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, h.Entry.ID)
	}
	slices.Sort(ids)
	return ids
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
