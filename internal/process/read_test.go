package process_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// long reports whether the long forms of the fault tests are wanted.
func long() bool { return os.Getenv("PTYREC_LONG_TESTS") != "" }

// text is what was read of both streams, checked for gaps and repeats.
type text struct {
	t   testing.TB
	at  process.Offsets
	out strings.Builder
	err strings.Builder
}

func (x *text) take(c process.Chunk) {
	x.t.Helper()
	at := x.at.Stdout
	if c.Stream == process.Stderr {
		at = x.at.Stderr
	}
	if c.Offset != at || c.Info != "" {
		x.t.Fatalf("stream %d: a chunk at %d, want %d; %s", c.Stream, c.Offset, at, c.Info)
	}
	if c.Stream == process.Stderr {
		x.at.Stderr += int64(len(c.Text))
		x.err.WriteString(c.Text)
	} else {
		x.at.Stdout += int64(len(c.Text))
		x.out.WriteString(c.Text)
	}
}

// read takes chunks until stop says so, and reports whether the command's output ended.
func (x *text) read(ctx context.Context, c *process.Command, stop func() bool) (ended bool) {
	x.t.Helper()
	for chunk, err := range c.Read(ctx, x.at) {
		if err != nil {
			x.t.Fatal(err)
		}
		if x.take(chunk); stop() {
			return false
		}
	}
	return true
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:4])
}

// Reading goes on at any offset, in memory, in the journal and in the database.
func TestReadAtAnyOffset(t *testing.T) {
	lines := 1_000_000
	if long() {
		lines = 100_000_000
	}
	b := newBench(t)
	c := b.start(process.Spec{ID: "big",
		Command: fmt.Sprintf("echo first >&2; seq -f 'line %%09.0f' 1 %d; echo last >&2; read line", lines)})
	var size = int64(lines) * 15
	line := func(at int64) string { return fmt.Sprintf("line %09d\n", at/15+1)[at%15:] }
	check := func(place string) {
		t.Helper()
		for _, at := range []int64{0, 1, size / 3, size/2 + 7, size - 400_000, size - 16} {
			begun := time.Now()
			for chunk, err := range c.Read(t.Context(), process.Offsets{Stdout: at, Stderr: 6}) {
				if err != nil {
					t.Fatal(err)
				}
				if chunk.Stream != process.Stdout || chunk.Offset != at || !strings.HasPrefix(chunk.Text, line(at)) {
					t.Errorf("%s, at %d: stream %d, offset %d, %.40q", place, at, chunk.Stream, chunk.Offset, chunk.Text)
				}
				break
			}
			t.Logf("%s, at %d: %v", place, at, time.Since(begun))
		}
	}
	for chunk, err := range c.Read(t.Context(), process.Offsets{Stdout: size, Stderr: 6}) {
		if err != nil || chunk.Text != "last\n" {
			t.Fatalf("the end: %+v, %v", chunk, err)
		}
		break
	}
	check("running")
	if err := c.CloseInput(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.close()
	b.open()
	var err error
	if c, err = b.Get(t.Context(), "box", "big"); err != nil {
		t.Fatal(err)
	}
	check("ended")
	if err := b.store.ImportJournals(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check("in the database")
}
