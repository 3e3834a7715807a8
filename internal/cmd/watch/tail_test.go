package watch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

var started = time.Now().UTC().Truncate(time.Second)

func entry(seq int, text, status string) *session.Entry {
	return &session.Entry{ID: fmt.Sprint(seq), Seq: seq, Type: session.TypeMessage, Role: session.RoleUser, Text: text,
		Markdown: text, At: started, Status: status}
}

func TestFinalWriter(t *testing.T) {
	var out strings.Builder
	t1 := tailOutput{Out: &out, JSON: true}.finalWriter()
	t1.to = 3
	lines := func() (texts []string) {
		for line := range strings.Lines(out.String()) {
			if _, rest, ok := strings.Cut(line, `"text":"`); ok {
				text, _, _ := strings.Cut(rest, `"`)
				texts = append(texts, text)
			}
		}
		return texts
	}
	a, b := entry(1, "one", session.StatusComplete), entry(2, "two", session.StatusComplete)
	busy := entry(2, "tw", session.StatusStreaming)
	for i, step := range []struct {
		entries []*session.Entry
		over    bool
		want    []string
	}{
		{[]*session.Entry{a}, false, nil}, // it may change
		{[]*session.Entry{a}, false, []string{"one"}},
		{[]*session.Entry{a, busy}, false, []string{"one"}},
		{[]*session.Entry{a, busy}, false, []string{"one"}}, // however often
		{[]*session.Entry{a, b, entry(3, "three", session.StatusStreaming)}, false, []string{"one", "two"}},
		{[]*session.Entry{a, b, entry(3, "three", session.StatusStreaming)}, true, []string{"one", "two", "three"}},
	} {
		if err := t1.put(step.entries, step.over); err != nil {
			t.Fatal(err)
		}
		if got := lines(); !slices.Equal(got, step.want) {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	if err := t1.put([]*session.Entry{entry(4, "four", session.StatusComplete)}, true); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last entry: %v, want io.EOF", err)
	}
}

// Entries that are not shown do not count among the last ones.
func TestSkip(t *testing.T) {
	w := tailOutput{}.finalWriter()
	thought := entry(3, "hm", session.StatusComplete)
	thought.Role = session.RoleThinking
	entries := []*session.Entry{entry(1, "one", ""), entry(2, "two", ""), thought, entry(4, "four", "")}
	w.skip(entries, 2)
	if diff := cmp.Diff(map[string]bool{"1": true}, w.done); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

// recording is a session that a test records.
type recording struct {
	*library.Library
	path string
	sess session.Session
	raw  *journal.Writer
}

func record(t *testing.T, sess session.Session) *recording {
	t.Helper()
	path := t.TempDir() + "/test.db"
	sess.ID, sess.StartedAt, sess.Cols, sess.Rows = store.NewID(), started, 80, 24
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	raw, err := sqlite.Record(path, sess, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = raw.Close() // the test may have done so
		_ = db.Close()
	})
	return &recording{Library: &library.Library{Store: db, Warn: t.Errorf}, path: path, sess: sess, raw: raw}
}

func (r *recording) info(t *testing.T) *store.Info {
	t.Helper()
	info, err := r.Store.Find(t.Context(), r.sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// end records the exit of the command.
func (r *recording) end(t *testing.T) {
	t.Helper()
	r.raw.Put(session.Event{At: time.Second, Kind: session.Exit})
	if _, err := r.raw.Close(); err != nil {
		t.Fatal(err)
	}
}

// tailing is a tail at work: its lines, and how it ended.
type tailing struct {
	lines *bufio.Scanner
	err   chan error
}

func start(run func(out io.Writer) error) *tailing {
	in, out := io.Pipe()
	tl := &tailing{bufio.NewScanner(in), make(chan error, 1)}
	go func() {
		err := run(out)
		_ = out.Close()
		tl.err <- err
	}()
	return tl
}

// await reads until a line holds a text.
func (tl *tailing) await(t *testing.T, text string) {
	t.Helper()
	for tl.lines.Scan() {
		if strings.Contains(tl.lines.Text(), text) {
			return
		}
	}
	t.Fatalf("no %q: %v", text, <-tl.err)
}

// ended reads the rest.
func (tl *tailing) ended(t *testing.T) (rest []string) {
	t.Helper()
	for tl.lines.Scan() {
		if line := strings.TrimSpace(tl.lines.Text()); line != "" {
			rest = append(rest, line)
		}
	}
	if err := <-tl.err; err != nil {
		t.Fatal(err)
	}
	return rest
}

func TestSession(t *testing.T) {
	r := record(t, session.Session{Command: []string{"claude"}})
	info := r.info(t)
	save := func(entries ...*session.Entry) {
		if err := r.Store.(*sqlite.Store).SaveEntries(t.Context(), r.sess.ID, entries); err != nil {
			t.Fatal(err)
		}
	}
	save(entry(1, "one", session.StatusComplete), entry(2, "two", session.StatusComplete))
	tl := start(func(out io.Writer) error {
		return tailStored(t.Context(), r.Library, info, archive.Ref{}, tailOutput{Out: out, Last: 1})
	})
	tl.await(t, "#2")
	tl.await(t, "two")
	save(entry(3, "three", session.StatusStreaming))
	save(entry(3, "three and more", session.StatusComplete))
	tl.await(t, "three and more")
	r.end(t)
	if err := r.Store.(*sqlite.Store).FinishSession(t.Context(), r.sess.ID, started.Add(time.Second), 0,
		true); err != nil {
		t.Fatal(err)
	}
	if rest := tl.ended(t); len(rest) != 0 {
		t.Errorf("behind the end: %q", rest)
	}
	missing := tailStored(t.Context(), r.Library, r.info(t), archive.Ref{First: 9}, tailOutput{Out: io.Discard})
	if m := (*archive.MissingError)(nil); !errors.As(missing, &m) {
		t.Errorf("from entry 9 on: %v", missing)
	}
}

// The lines of a command with pipes are written as they come; at first its last lines.
func TestRunningCommand(t *testing.T) {
	r := record(t, session.Session{Command: []string{"sh", "-c", "make"}, Process: "p1", Sandbox: "box"})
	var written int64
	write := func(text string) {
		r.raw.Put(session.Event{Kind: session.Pipe, Stream: session.Stdout, Text: written, Data: []byte(text)})
		written += int64(len(text))
	}
	write("old 1\nold 2\nhal")
	testkit.Eventually(t, "it is in the journal", func() bool { return r.info(t).RawBytes > 0 })
	info := r.info(t)
	tl := start(func(out io.Writer) error {
		return tailStored(t.Context(), r.Library, info, archive.Ref{}, tailOutput{Out: out, Last: 1})
	})
	tl.await(t, "old 2")
	write("f a line\nrest")
	tl.await(t, "half a line")
	r.end(t)
	if rest := tl.ended(t); len(rest) == 0 || rest[0] != "rest" {
		t.Errorf("behind half a line: %q", rest)
	}
}

// A sandbox is followed while one of its commands runs.
func TestSandbox(t *testing.T) {
	r := record(t, session.Session{Command: []string{"sh", "-c", "make"}, Process: "p1", Sandbox: "box"})
	s, err := r.Sandbox(t.Context(), archive.Ref{Session: library.SandboxPrefix + "box"})
	if err != nil || !s.Live() || s.Name() != "box" || s.Info().Status != store.Live {
		t.Fatalf("%+v, %v", s, err)
	}
	tl := start(func(out io.Writer) error {
		return tailSandbox(t.Context(), r.Library, s, tailOutput{Out: out, Last: 1})
	})
	r.raw.Put(session.Event{Kind: session.Pipe, Stream: session.Stdout, Data: []byte("done\n")})
	tl.await(t, "make") // a command line comes before its output
	tl.await(t, "done")
	r.end(t)
	tl.ended(t)
	if _, err := r.Sandbox(t.Context(), archive.Ref{Session: library.SandboxPrefix + "none"}); !errors.Is(err,
		session.ErrNotFound) {
		t.Errorf("an unknown sandbox: %v", err)
	}
}
