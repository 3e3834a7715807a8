package recorder

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/session"
)

// stampLog is a Log that keeps the last event.
type stampLog struct {
	Log
	last session.Event
}

func (l *stampLog) Put(e session.Event) { l.last = e }

// While a terminal takes no output, the Processor's time goes on. Output stamped with the time
// before would come to it too late, and a replay would read other frames.
func TestOutputIsStampedWhenTheTerminalHasTakenIt(t *testing.T) {
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = r.Close(), w.Close() })
		return r, w
	}
	ptmx, command := pipe()
	reader, out := pipe()
	fd := int(out.Fd())
	for fill, err := make([]byte, 4<<10), unix.SetNonblock(fd, true); !errors.Is(err,
		unix.EAGAIN); _, err = unix.Write(fd, fill) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
	log := &stampLog{}
	tee := &tee{started: time.Now(), log: log}
	p := &outputPump{child: &child{ptmx: ptmx}, term: newTerminal(Options{Stdin: ptmx, Stdout: out}), tee: tee,
		buf: make([]byte, readSize)}
	if _, err := command.WriteString("hello"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.carry(-1)
		_ = out.Close()
		done <- err
	}()
	for tee.read.Load() == 0 {
		runtime.Gosched()
	}
	at := tee.now()
	for tee.now() == at {
		runtime.Gosched()
	}
	got, err := io.ReadAll(reader)
	if err = errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(got, []byte("hello")) {
		t.Fatalf("the terminal got %d bytes", len(got))
	}
	if log.last.At <= at {
		t.Errorf("stamped %v, but the terminal took no output before %v", log.last.At, at)
	}
}
