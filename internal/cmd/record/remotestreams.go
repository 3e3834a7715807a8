package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/ptyrec/ptyrec/client"
)

// errLeft reports that the user has left the command, which may continue to run.
var errLeft = errors.New("left the command")

// remoteStreams connects a command to this process.
type remoteStreams struct {
	Stdin          io.Reader // nil: no input
	Stdout, Stderr io.Writer
	// Interrupts receives a value for each Ctrl+C. The first one kills the command, the second one
	// leaves it.
	Interrupts <-chan struct{}
	// LeaveKey is the key that leaves the command when it is read from Stdin; 0 means none.
	LeaveKey byte
	// Note reports a problem with the streams to the user.
	Note func(message string)
}

// connectRemote passes on input and output until the command has ended, and returns its exit code.
// If the output can no longer be written, it kills the command. The error is errLeft, or that of
// Next. A goroutine that reads Stdin may outlive it.
func connectRemote(ctx context.Context, c *client.Command, s remoteStreams) (exitCode int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if s.Stdin != nil {
		go s.feed(ctx, cancel, c)
	}
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel(nil)
	watcher.Go(func() { s.watch(ctx, cancel, c) })
	for {
		e, err := c.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return c.ExitCode(), nil
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case err != nil:
			return 0, err
		}
		if s.show(e) != nil {
			_ = c.Kill(ctx) // the end of the command follows
			s.Stdout, s.Stderr = io.Discard, io.Discard
		}
	}
}

// show writes a part of the output.
func (s *remoteStreams) show(e client.CommandEvent) error {
	switch e := e.(type) {
	case client.Gap:
		s.Note(fmt.Sprintf("%d bytes of %v are lost, from byte %d on", e.Size(), e.Stream, e.From))
	case client.Chunk:
		w := s.Stdout
		if e.Stream == client.Stderr {
			w = s.Stderr
		}
		_, err := io.WriteString(w, e.Text)
		return err
	}
	return nil
}

// watch waits for interrupts.
func (s *remoteStreams) watch(ctx context.Context, cancel context.CancelCauseFunc, c *client.Command) {
	var killing sync.WaitGroup
	defer killing.Wait()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-s.Interrupts:
		}
		if n > 0 {
			cancel(errLeft)
			return
		}
		killing.Go(func() { _ = c.Kill(ctx) }) // it may have ended
	}
}

// feed passes the input on.
func (s *remoteStreams) feed(ctx context.Context, cancel context.CancelCauseFunc, c *client.Command) {
	buf := make([]byte, 32<<10)
	for {
		n, err := s.Stdin.Read(buf)
		data := buf[:n]
		leave := -1
		if s.LeaveKey != 0 {
			leave = bytes.IndexByte(data, s.LeaveKey)
		}
		if leave >= 0 {
			data = data[:leave]
		}
		if len(data) > 0 {
			if inputErr := c.Input(ctx, data); inputErr != nil {
				if ctx.Err() == nil && !errors.Is(inputErr, client.ErrDisconnected) {
					s.Note(inputErr.Error())
				}
				return
			}
		}
		if leave >= 0 {
			cancel(errLeft)
			return
		}
		if err != nil {
			_ = c.CloseInput(ctx) // the command may have ended
			return
		}
	}
}
