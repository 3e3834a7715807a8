//go:build linux

package live_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// numbered reads frames, beside the test, until one is of the kind. The returned function waits for
// them all. A viewer that nobody reads is dropped once its socket is full.
func (p *peer) numbered(until protocol.NumberedKind) (wait func() []protocol.Numbered) {
	var all []protocol.Numbered
	done := make(chan error, 1)
	go func() {
		for {
			f, err := p.read()
			if err == nil && f.Type != protocol.TypeNumbered {
				continue
			}
			var n protocol.Numbered
			if err == nil {
				n, err = f.Numbered()
			}
			if err != nil {
				done <- err
				return
			}
			n.Data = bytes.Clone(n.Data)
			if all = append(all, n); n.Kind == until {
				done <- nil
				return
			}
		}
	}()
	return func() []protocol.Numbered {
		p.t.Helper()
		if err := <-done; err != nil {
			p.t.Fatal(err)
		}
		return all
	}
}

// cutAll returns the frames of a raw log, as text.
func cutAll(events []session.Event) (all []string) {
	var at session.FramePlace
	for _, e := range events {
		_ = at.Cut(e, func(f session.Frame) error {
			kind, data := map[session.EventKind]protocol.NumberedKind{session.Output: 'o', session.Resize: 'r',
				session.Marker: 'm', session.Exit: 'x'}[f.Kind], f.Data
			switch f.Kind {
			case session.Resize:
				data = protocol.NumberedSize(f.Cols, f.Rows)
			case session.Exit:
				data = protocol.NumberedStatus(f.Status)
			default:
			}
			all = append(all, describe(protocol.Numbered{Number: f.Number, Outputs: f.Outputs, At: f.At, Kind: kind,
				Data: data}))
			return nil
		})
	}
	return all
}

func describe(n protocol.Numbered) string {
	return fmt.Sprintf("%d %d %s %c %.20q %d", n.Number, n.Outputs, n.At, n.Kind, n.Data, len(n.Data))
}

// The numbers of frames derive from the raw log alone, wherever a reader begins, and whether they
// come from memory or from the log.
func TestFramesAreThoseOfTheLog(t *testing.T) {
	r := start(t, "sh", "-c",
		`stty -echo; echo ready; read x; seq 1 250000; read x; head -c 40000 /dev/zero | tr '\0' x; read x; exit 3`)
	live := r.attach(protocol.Attach{Kind: protocol.Human, Mode: protocol.ModeFrames, From: new(int64), Control: true})
	liveFrames := live.numbered(protocol.NumberedExit)
	r.user.Await(t, "ready")
	ask := func(typ protocol.Type, v any) {
		t.Helper()
		live.send(typ, v)
	}
	ask(protocol.TypeMark, protocol.MarkRequest{ID: 1, Event: session.EventRole,
		Data: map[string]any{"client": "ws-1", "role": "observer"}})
	ask(protocol.TypeMark, protocol.MarkRequest{ID: 2, Event: "control:grant"})
	ask(protocol.TypeSize, protocol.SizeRequest{ID: 3, Cols: 100, Rows: 30, Keep: true})
	r.user.Type(t, "\n")
	r.user.Await(t, "250000")
	ask(protocol.TypeMark, protocol.MarkRequest{ID: 4, Event: session.EventLeave})
	late := r.attach(protocol.Attach{Mode: protocol.ModeFrames, From: ptr[int64](2)})
	lateFrames := late.numbered(protocol.NumberedExit)
	r.user.Type(t, "\n")
	r.user.Type(t, "\n")
	got, lateGot := liveFrames(), lateFrames()
	if n := lateGot[0]; n.Kind != protocol.NumberedNext || n.Number != 2 {
		t.Fatalf("the first frame is %+v", n)
	}
	r.wait()
	want := cutAll(r.log.snapshot())
	compare := func(name string, got []protocol.Numbered, from int) {
		t.Helper()
		for len(got) > 0 && got[0].Kind == protocol.NumberedNext {
			got = got[1:]
		}
		for i, n := range got {
			if i+from >= len(want) || describe(n) != want[i+from] {
				t.Fatalf("%s: frame %d is %s", name, i, describe(n))
			}
		}
		if len(got) != len(want)-from {
			t.Errorf("%s: %d frames, want %d", name, len(got), len(want)-from)
		}
	}
	compare("live", got, 0)
	first := 0
	for first < len(got) && got[first].Number < 2 || got[first].Kind == protocol.NumberedNext {
		first++
	}
	compare("late", lateGot, first-1)
	if len(want) < 100 {
		t.Errorf("only %d frames", len(want))
	}
}

func ptr[T any](v T) *T { return &v }
