package watch

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// tailSandbox writes the last entries of a sandbox, and further ones as commands end, while a
// command is live. Unless JSON is set, the output of commands with pipes is written line by line.
func tailSandbox(ctx context.Context, l *library.Library, s *library.Sandbox, o tailOutput) error {
	tick := time.NewTicker(tailPoll)
	defer tick.Stop()
	t := &sandboxTail{tailOutput: o, lib: l, out: &tailWriter{tailOutput: o}, done: map[string]bool{},
		running: map[string]*commandTail{}}
	for first := true; ; first = false {
		live := s.Live() // before reading entries, so that none is missed at the end
		entries, of, err := s.Entries(ctx, o.JSON)
		if err != nil {
			return err
		}
		for i, e := range entries {
			if err := t.put(ctx, e, of[e], first, len(entries)-i); err != nil {
				return err
			}
		}
		if !live {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if err := s.Load(ctx); err != nil {
			return err
		}
	}
}

// sandboxTail writes the entries of a sandbox.
type sandboxTail struct {
	tailOutput
	lib     *library.Library
	out     *tailWriter
	done    map[string]bool         // ids of the final entries
	running map[string]*commandTail // by session id
}

// put writes what is new in an entry of the command info. left is the number of entries from it on;
// first means that this is the first look at the sandbox.
func (t *sandboxTail) put(ctx context.Context, e *session.Entry, info *store.Info, first bool, left int) (err error) {
	switch growing := t.running[info.ID]; {
	case t.done[e.ID]:
	case e.Status == session.StatusStreaming && (t.JSON || !info.Piped()):
	case e.Status == session.StatusStreaming && growing == nil:
		t.running[info.ID], err = newCommandTail(ctx, t.lib, t.out, info, e.Seq, t.Last > 0 || !first)
	case e.Status == session.StatusStreaming:
		err = growing.follow(ctx)
	case growing != nil:
		t.done[e.ID] = true
		err = growing.end(ctx, e)
	default:
		t.done[e.ID] = true
		if !first || left <= t.Last {
			t.out.now = nil
			err = t.write(e)
		}
	}
	return err
}
