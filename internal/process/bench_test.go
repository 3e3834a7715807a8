package process_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// all reads a command to its end.
func all(ctx context.Context, b testing.TB, c *process.Command, from process.Offsets) (n int64) {
	for chunk, err := range c.Read(ctx, from) {
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Discard.Write([]byte(chunk.Text))
		n += int64(len(chunk.Text))
	}
	return n
}

// True in a shell session.
func BenchmarkTrue(b *testing.B) {
	w := newBench(b)
	for b.Loop() {
		c := w.start(process.Spec{Command: "true", Session: "default", CloseStdin: true})
		all(b.Context(), b, c, process.Offsets{})
		b.StopTimer()
		time.Sleep(60 * time.Millisecond) // the spare host
		b.StartTimer()
	}
}

// Fifty commands at a time.
func BenchmarkFifty(b *testing.B) {
	w := newBench(b)
	for b.Loop() {
		done := make(chan bool)
		for range 50 {
			go func() {
				c := w.start(process.Spec{Command: "true", CloseStdin: true})
				all(b.Context(), b, c, process.Offsets{})
				done <- true
			}()
		}
		for range 50 {
			<-done
		}
	}
}

// 10 MB of text.
func BenchmarkTenMB(b *testing.B) {
	w := newBench(b)
	for b.Loop() {
		c := w.start(process.Spec{Command: "seq 1 1400000", CloseStdin: true})
		if n := all(b.Context(), b, c, process.Offsets{}); n < 10_000_000 {
			b.Fatal(n)
		}
	}
}
