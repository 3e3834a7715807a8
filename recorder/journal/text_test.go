package journal_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
)

// An index finds the first event with text behind any two places, while the file grows, and
// whatever it was asked before.
func TestTextIndex(t *testing.T) {
	defer journal.SetPointStep(200)()
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		w, err := journal.Create(journal.Options{Folder: filepath.Join(dir, "j"),
			Session: session.Session{ID: id, Process: "p"}})
		if err != nil {
			rt.Fatal(err)
		}
		var ends [3]int64
		var events []session.Event
		index := &journal.TextIndex{}
		for range rapid.IntRange(1, 4).Draw(rt, "times") {
			for range rapid.IntRange(0, 40).Draw(rt, "events") {
				s := rapid.SampledFrom([]int{session.Stdout, session.Stdout, session.Stdout, session.Stderr}).Draw(rt, "stream")
				e := session.Event{Kind: session.Pipe, Stream: s, Text: ends[s],
					Data: []byte(strings.Repeat("x\xff", rapid.IntRange(1, 60).Draw(rt, "size")))}
				ends[s] += session.TextSize(e.Data)
				w.Put(e)
				events = append(events, e)
			}
			if err := w.Settle(t.Context()); err != nil {
				rt.Fatal(err)
			}
			files, err := journal.List(filepath.Join(dir, "j"))
			if err != nil || len(files) != 1 {
				rt.Fatal(files, err)
			}
			f, err := os.Open(files[0].Path)
			if err != nil {
				rt.Fatal(err)
			}
			for range 5 {
				at := [3]int64{
					session.Stdout: rapid.Int64Range(0, ends[session.Stdout]).Draw(rt, "stdout"),
					session.Stderr: rapid.Int64Range(0, ends[session.Stderr]).Draw(rt, "stderr"),
				}
				p, err := index.Find(f, id, at)
				if err != nil {
					rt.Fatal(err)
				}
				want := 0
				for want < len(events) && events[want].Text+session.TextSize(events[want].Data) <= at[events[want].Stream] {
					want++
				}
				if p.Number != int64(want) {
					rt.Fatalf("%v: event %d, want %d", at, p.Number, want)
				}
				e, err := journal.NewReaderAt(f, id, p).Next()
				if want == len(events) && !errors.Is(err, io.EOF) ||
					want < len(events) && (err != nil || e.Number != p.Number || e.Text != events[want].Text) {
					rt.Fatalf("%v: it reads %+v, %v", at, e, err)
				}
			}
			_ = f.Close()
		}
		if _, err := w.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}
