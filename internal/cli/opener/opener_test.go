package opener_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const recording = `{"version":2,"width":80,"height":24}` + "\n" + `[0.5,"o","hello\r\n"]` + "\n"

// open returns an Opener of a database that need not exist, in the current folder, which is empty.
func open(t *testing.T) (o *opener.Opener, database string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	database = filepath.Join(t.TempDir(), "db")
	o = &opener.Opener{
		Database: func() (string, error) { return database, nil },
		Recording: func(path string, seen func(int)) (*archive.Recording, error) {
			return archive.OpenRecording(path, archive.RecordingOptions{Seen: seen})
		},
		Progress: func(string, string, int64) *human.Bar { return new(human.Bar) },
		Notice:   func(format string, args ...any) { t.Logf(format, args...) },
		Temps:    new(cli.Temporaries),
	}
	t.Cleanup(o.Close)
	return o, database
}

// add stores sessions with these ids, each a second after the one before.
func add(t *testing.T, o *opener.Opener, ids ...string) {
	t.Helper()
	s, err := o.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n, id := range ids {
		raw := store.NewRecording(80, 24)
		raw.Write(session.Event{Kind: session.Output, Data: []byte(id)})
		started := time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC)
		info := session.Session{ID: id, Command: []string{"x"}, StartedAt: started, EndedAt: &started, Cols: 80, Rows: 24,
			Agents: []session.Agent{}}
		if err := s.Import(t.Context(), &info, raw, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	one = "01a1fd63-0000-7a35-8c40-000000000001"
	two = "01a1fd63-0000-7a35-8c40-000000000002"
)

func TestResolve(t *testing.T) {
	o, _ := open(t)
	add(t, o, one, two)
	write(t, "talk.cast", recording)
	write(t, one[:35]+"1", recording) // a file that is called as a session
	write(t, "plain", recording)
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"":                     two,
		"last":                 two,
		two:                    two,
		two + "#3":             two + " #3",
		"talk.cast":            "file talk.cast",
		"./talk.cast":          "file ./talk.cast",
		"talk.cast#4..6":       "file talk.cast #4",
		"plain":                "file plain",
		"-":                    "file -",
		"./absent.cast":        "file ./absent.cast", // opening it says what is wrong
		one:                    fmt.Sprintf("%q is both a session and a file", one),
		"./folder":             "./folder is a folder, and " + session.ErrNotRecording.Error(),
		"01ffffff":             `no session "01ffffff"`,
		"01a1fd63":             `2 sessions match "01a1fd63"`,
		"01a1fd63-0000-7a35#x": "",
	} {
		var args []string
		if name != "" {
			args = []string{name}
		}
		target, err := o.Resolve(t.Context(), args)
		var got string
		switch {
		case err != nil:
			got = err.Error()
		case target.File != "":
			got = "file " + target.File
		default:
			got = target.Info.ID
		}
		if err == nil && !target.Ref.Whole() {
			got += fmt.Sprintf(" #%d", target.Ref.First)
		}
		var f *failure.Error
		if want == "" && err == nil || want != "" && got != want || err != nil && (!errors.As(err, &f) || f.Hint == "") {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	o.Named = true // --session
	if target, err := o.Resolve(t.Context(), []string{one}); err != nil || target.Info.ID != one {
		t.Errorf("--session %s: %+v, %v", one, target, err)
	}
}

func TestNoDatabase(t *testing.T) {
	o, database := open(t)
	if _, err := o.Existing(t.Context()); !errors.Is(err, opener.ErrNoDatabase) {
		t.Errorf("without a database: %v", err)
	}
	if _, err := os.Stat(database); err == nil {
		t.Error("reading made a database")
	}
	if _, err := o.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := o.Existing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opener.Find(t.Context(), s, "last"); err == nil || err.Error() != "no session is recorded yet" ||
		!errors.Is(err, session.ErrNotFound) {
		t.Errorf("without a session: %v", err)
	}
	write(t, database+"2", strings.Repeat("no database ", 1000))
	o.Database = func() (string, error) { return database + "2", nil }
	if _, err := o.Existing(t.Context()); !errors.Is(err, session.ErrNotDatabase) {
		t.Errorf("a file that is no database: %v", err)
	}
}

// A recording's file is a session, which leaves nothing behind, and can be changed only when it is
// imported.
func TestFile(t *testing.T) {
	o, database := open(t)
	write(t, "talk.cast", recording)
	db, info, _, err := o.Session(t.Context(), []string{"talk.cast"})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range db.Events(t.Context(), info.ID) {
		if err != nil || string(e.Data) != "hello\r\n" {
			t.Errorf("event %s, %v", e.Data, err)
		}
		break
	}
	if _, _, _, err := o.Stored(t.Context(), []string{"talk.cast"}); err == nil ||
		err.Error() != "talk.cast is a file that is not in the database" {
		t.Errorf("Stored: %v", err)
	}
	if _, _, err := o.Whole(t.Context(), []string{"talk.cast#1"}); err == nil ||
		err.Error() != "this needs a whole session, not a part of one" {
		t.Errorf("Whole: %v", err)
	}
	o.Close()
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if _, err := os.Stat(database); err == nil {
		t.Error("the recording was imported")
	}
}

func TestLiveName(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "talk.cast", recording)
	for name, want := range map[string]string{"last": "last", "01a1fd63#4": "01a1fd63", "./absent": "./absent"} {
		if got, err := opener.LiveName(name); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := opener.LiveName("./talk.cast"); err == nil ||
		err.Error() != "./talk.cast is a file, not a running session" {
		t.Errorf("a file: %v", err)
	}
}

// A recording's file takes less memory than it would even if it were packed.
func TestLongFileTakesNoMemory(t *testing.T) {
	used := func() int {
		runtime.GC()
		runtime.GC() // the first one leaves what is in pools
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int(now.HeapAlloc)
	}
	o, _ := open(t)
	f, err := os.Create("long.cast")
	if err != nil {
		t.Fatal(err)
	}
	random, noise := rand.NewChaCha8([32]byte{}), make([]byte, 48)
	size, err := fmt.Fprintln(f, `{"version":2,"width":80,"height":24}`)
	for i := 0; i < 300 && err == nil; i++ {
		var text strings.Builder
		for range 1300 {
			_, _ = random.Read(noise) // never fails
			text.WriteString(base64.StdEncoding.EncodeToString(noise) + "\r\n")
		}
		var n int
		n, err = fmt.Fprintf(f, "[%d,\"o\",%q]\n", i, text.String())
		size += n
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	before, most, read := used(), 0, 0
	o.Recording = func(path string, _ func(int)) (*archive.Recording, error) {
		return archive.OpenRecording(path, archive.RecordingOptions{Seen: func(n int) {
			if read += n; read/(1<<20) > (read-n)/(1<<20) {
				most = max(most, used()-before)
			}
		}})
	}
	_, info, err := o.File(t.Context(), "long.cast")
	if err != nil || info.RawBytes < 20<<20 || most == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	if most > size*3/4 { // the packed size of noise in base64
		t.Errorf("%d bytes of memory for a file of %d", most, size)
	}
	t.Logf("%d bytes of memory for a file of %d", most, size)
}
