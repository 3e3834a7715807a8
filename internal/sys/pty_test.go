package sys

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// The two ends belong together, though the garbage collector moves the stack of whoever opens them.
func TestEndsBelongTogether(t *testing.T) {
	stop := make(chan struct{})
	collecting := make(chan struct{})
	go func() {
		defer close(collecting)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer func() { close(stop); <-collecting }()
	for i := range 1000 {
		failed := make(chan error)
		go func() {
			deep(3000) // a stack so large is made smaller when it is not needed any more
			failed <- together(i)
		}()
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
}

func deep(n int) int {
	var frame [16]int
	if n > 0 {
		frame[n%16] = deep(n - 1)
	}
	return frame[n%16] + n
}

func together(i int) error {
	ptmx, tty, err := OpenPTY()
	if err != nil {
		return err
	}
	defer ptmx.Close()
	defer tty.Close()
	text := fmt.Sprint("this is ", i)
	if _, err := tty.WriteString(text); err != nil {
		return err
	}
	_ = ptmx.SetReadDeadline(time.Now().Add(time.Minute))
	got := make([]byte, len(text))
	n, err := ptmx.Read(got)
	if err == nil && string(got[:n]) != text {
		err = fmt.Errorf("wrote %q to %s, read %q", text, tty.Name(), got[:n])
	}
	return err
}

// Deadlines work, and a read ends when the pseudoterminal is closed.
func TestReadsEnd(t *testing.T) {
	ptmx, tty, err := OpenPTY()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	_ = ptmx.SetReadDeadline(time.Now())
	if _, err := ptmx.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("behind the deadline: %v", err)
	}
	_ = ptmx.SetReadDeadline(time.Time{})
	ended := make(chan error)
	go func() {
		_, err := ptmx.Read(make([]byte, 1))
		ended <- err
	}()
	time.AfterFunc(10*time.Millisecond, func() { _ = ptmx.Close() })
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
