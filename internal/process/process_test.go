package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func TestMain(m *testing.M) {
	process.BeHost()
	if text := os.Getenv(serverVariable); text != "" {
		if err := serveTest(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if db := os.Getenv(markedVariable); db != "" {
		if err := writeMarked(db); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// bench is a database and a Manager on it.
type bench struct {
	t  testing.TB
	db string
	*process.Manager
	store *sqlite.Store
}

func newBench(t testing.TB) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pr")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", dir)
	b := &bench{t: t, db: filepath.Join(dir, "db")}
	b.open()
	t.Cleanup(func() {
		_, _ = b.KillAll(context.Background(), "box", process.Kill, 0)
		b.close()
		_ = os.RemoveAll(dir)
	})
	return b
}

func (b *bench) open() {
	b.t.Helper()
	var err error
	if b.store, err = sqlite.Open(b.t.Context(), b.db); err != nil {
		b.t.Fatal(err)
	}
	b.Manager, err = process.Open(b.t.Context(), process.Options{
		Store: b.store, MaxRunning: 256, Program: "/proc/self/exe",
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) close() {
	_ = b.Close()
	_ = b.store.Close()
}

// start runs a command in the sandbox box.
func (b *bench) start(s process.Spec) *process.Command {
	b.t.Helper()
	s.Sandbox = "box"
	c, _, err := b.Start(b.t.Context(), s)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// output reads a command to its end.
func (b *bench) output(c *process.Command) (stdout, stderr string, info process.Info) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.t.Context(), time.Minute)
	defer stop()
	var texts [3]strings.Builder
	for chunk, err := range c.Read(ctx, process.Offsets{}) {
		if err != nil {
			b.t.Fatal(err)
		}
		if int64(texts[chunk.Stream].Len()) != chunk.Offset || chunk.Info != "" {
			b.t.Errorf("chunk at %d of stream %d, want %d; %s", chunk.Offset, chunk.Stream, texts[chunk.Stream].Len(),
				chunk.Info)
		}
		texts[chunk.Stream].WriteString(chunk.Text)
	}
	info, err := c.Wait(ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	return texts[1].String(), texts[2].String(), info
}

// A command's streams and its exit status.
func TestStreamsAndStatus(t *testing.T) {
	b := newBench(t)
	c := b.start(process.Spec{Command: "echo out; echo err >&2; printf end; exit 3", CloseStdin: true})
	out, errs, info := b.output(c)
	if out != "out\nend" || errs != "err\n" || info.ExitCode != 3 || info.State != process.Exited || info.PID <= 0 {
		t.Errorf("%q %q %+v", out, errs, info)
	}
	c = b.start(process.Spec{Command: "kill -9 $$", CloseStdin: true})
	if _, _, info := b.output(c); info.ExitCode != 137 || info.State != process.Exited {
		t.Errorf("after signal 9: %+v", info)
	}
}

// Many commands, also after their hosts are gone.
func TestCommandsAreReadAfterTheirHosts(t *testing.T) {
	b := newBench(t)
	var all []*process.Command
	for i := range 20 {
		all = append(all, b.start(process.Spec{ID: fmt.Sprintf("p%d", i), Command: fmt.Sprintf("echo %d", i),
			CloseStdin: true}))
	}
	for range 2 {
		for i, c := range all {
			if out, _, _ := b.output(c); out != fmt.Sprintf("%d\n", i) {
				t.Errorf("%d: %q", i, out)
			}
		}
		b.close()
		b.open()
		for i := range all {
			var err error
			if all[i], err = b.Get(t.Context(), "box", fmt.Sprintf("p%d", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, existed, err := b.Start(t.Context(),
		process.Spec{Sandbox: "box", ID: "p3", Command: "echo again"}); !existed || err != nil {
		t.Errorf("the same id again: %v, %v", existed, err)
	}
}

// Input that is sent again arrives once.
func TestInputSentAgainArrivesOnce(t *testing.T) {
	b := newBench(t)
	c := b.start(process.Spec{Command: "cat"})
	for _, w := range []struct {
		at   int64
		data string
	}{{0, "abc"}, {0, "abc"}, {1, "bcde"}, {5, "f\n"}} {
		if taken, err := c.WriteAt(t.Context(), w.at, []byte(w.data)); err != nil || taken < w.at+int64(len(w.data)) {
			t.Fatalf("%q at %d: %d, %v", w.data, w.at, taken, err)
		}
	}
	if taken, err := c.Taken(t.Context()); taken != 7 || err != nil {
		t.Errorf("%d bytes taken, %v", taken, err)
	}
	if err := c.CloseInput(t.Context()); err != nil {
		t.Error(err)
	}
	if out, _, _ := b.output(c); out != "abcdef\n" {
		t.Errorf("output %q", out)
	}
}

// Commands may be longer than what the system takes as an argument. The record has their beginning.
func TestLongCommand(t *testing.T) {
	b := newBench(t)
	text := "x='" + strings.Repeat("y", 300_000) + "'; echo ${#x}; exit 3"
	for _, session := range []string{"", "default"} {
		c := b.start(process.Spec{Command: text, Session: session, CloseStdin: true})
		if out, errs, info := b.output(c); out != "300000\n" || info.ExitCode != 3 {
			t.Errorf("session %q: %q %q %+v", session, out, errs, info.ExitCode)
		}
		kept, rest, _ := strings.Cut(c.Info().Command, " \u2026 ")
		if want := fmt.Sprintf("(%d more bytes)", len(text)-len(kept)); len(kept) != 128<<10 ||
			!strings.HasPrefix(text, kept) || rest != want {
			t.Errorf("session %q: the record has %d bytes, then %q, want %q", session, len(kept), rest, want)
		}
	}
}
