package live

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
)

// checkEvery is the number of events between two known places of the log, and so the maximum number
// to read before a frame is found.
const checkEvery = 256

// frames counts the frames of the raw log (see session.FramePlace), and keeps the newest while
// there are readers. It may be used concurrently.
type frames struct {
	mu     sync.Mutex // guards the fields below
	kept   int        // number of readers
	now    session.FramePlace
	places []session.FramePlace // places every checkEvery events, from the beginning
	list   []session.Frame      // newest frames, without a gap
	bytes  int                  // size of list
}

// event processes a raw event, and does not keep its data.
func (f *frames) event(e session.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.Event%checkEvery == 0 {
		f.places = append(f.places, f.now)
	}
	if f.kept == 0 {
		_ = f.now.Cut(e, nil) // returns no error of its own
		return
	}
	e.Data = bytes.Clone(e.Data)
	_ = f.now.Cut(e, func(one session.Frame) error {
		f.list = append(f.list, one)
		f.bytes += len(one.Data) + headerBytes
		return nil
	})
	drop := 0
	for ; f.bytes > keepBytes && drop < len(f.list)-1; drop++ {
		f.bytes -= len(f.list[drop].Data) + headerBytes
	}
	clear(f.list[:drop])
	f.list = f.list[drop:]
}

// keep changes the number of readers by n. Without readers, no frames are kept.
func (f *frames) keep(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept += n; f.kept == 0 {
		f.list, f.bytes = nil, 0
	}
}

// end returns the place after all frames.
func (f *frames) end() session.FramePlace {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// at returns the number of the first kept frame (or of the next frame) with at least offset bytes
// of output before it, and the number of output frames before it.
func (f *frames) at(offset int64) (number, outputs int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := sort.Search(len(f.list), func(i int) bool { return f.list[i].Offset >= offset })
	switch {
	case i == len(f.list):
		return f.now.Frame, f.now.Outputs
	case f.list[i].Kind == session.Output:
		return f.list[i].Number, f.list[i].Outputs - 1
	}
	return f.list[i].Number, f.list[i].Outputs
}

// next returns frames starting with a number, up to about limit bytes. behind means that the first
// one is no longer kept.
func (f *frames) next(number int64, limit int) (found []session.Frame, behind bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if number >= f.now.Frame {
		return nil, false
	}
	if len(f.list) == 0 || number < f.list[0].Number {
		return nil, true
	}
	i := sort.Search(len(f.list), func(i int) bool { return f.list[i].Number >= number })
	end, size := i, 0
	for ; end < len(f.list) && size < limit; end++ {
		size += len(f.list[end].Data) + headerBytes
	}
	return slices.Clone(f.list[i:end]), false
}

// oldest returns the number of the first kept frame, or of the next frame.
func (f *frames) oldest() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) > 0 {
		return f.list[0].Number
	}
	return f.now.Frame
}

// before returns the last known place that is not after the first frame that the viewer wants.
func (f *frames) before(number, outputs int64) session.FramePlace {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := sort.Search(len(f.places), func(i int) bool {
		return f.places[i].Frame > number &&
			f.places[i].Outputs >= outputs
	})
	if i == 0 {
		return session.FramePlace{}
	}
	return f.places[i-1]
}

// behind returns the first known place that is not before the event with this number.
func (f *frames) behind(event int64) session.FramePlace {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := sort.Search(len(f.places), func(i int) bool { return f.places[i].Event >= event })
	if i == len(f.places) {
		return f.now
	}
	return f.places[i]
}

// showFrames sends the frames from the viewer's number on, from memory or the raw log.
func (v *viewer) showFrames() (more bool, err error) {
	h := v.host
	if !v.painted {
		v.painted = true
		return true, v.beginFrames()
	}
	limit := batchBytes
	if h.floods() {
		limit = int(min(int64(limit), h.share()))
	}
	found, behind := h.frames.next(v.frame, limit)
	if behind {
		return true, v.framesFromPast()
	}
	for _, f := range found {
		if err := v.frameOut(f); err != nil {
			return false, err
		}
	}
	if err := v.flushFrames(); err != nil || len(found) > 0 {
		return true, err
	}
	if _, exit := h.stream.ending(); exit != nil && v.frame >= h.frames.end().Frame {
		return v.give(piece{exit: exit})
	}
	return false, nil
}

// beginFrames sends the number of the first frame, and before it the screen unless the viewer named
// a frame to begin with.
func (v *viewer) beginFrames() error {
	h, outputs := v.host, int64(0)
	switch end := h.frames.end(); {
	case v.attach.From != nil:
		v.frame = min(*v.attach.From, end.Frame)
	case v.attach.After != nil:
		v.after = min(*v.attach.After, end.Outputs)
		v.frame = h.frames.before(end.Frame, v.after).Frame
	default:
		s := h.screen.snapshot(v.ctx)
		v.frame, outputs = h.frames.at(s.Seq)
		if err := v.put([][]byte{protocol.Append(nil, s.Frame())}); err != nil {
			return err
		}
	}
	v.out = protocol.AppendNumbered(v.out, protocol.Numbered{Number: v.frame, Outputs: outputs,
		Kind: protocol.NumberedNext})
	return v.flushFrames()
}

// frameOut sends a frame, unless the viewer has it or skips it.
func (v *viewer) frameOut(f session.Frame) error {
	if f.Number < v.frame {
		return nil
	}
	n := protocol.Numbered{Number: f.Number, Outputs: f.Outputs, At: f.At, Data: f.Data}
	v.frame = f.Number + 1
	switch f.Kind {
	case session.Output:
		if f.Outputs <= v.after {
			return nil
		}
		n.Kind = protocol.NumberedOutput
	case session.Resize:
		n.Kind, n.Data = protocol.NumberedResize, protocol.NumberedSize(f.Cols, f.Rows)
	case session.Marker:
		n.Kind = protocol.NumberedMark
		v.frame = f.Number + session.FrameMarkNumbers(f.Data)
	case session.Exit:
		n.Kind, n.Data = protocol.NumberedExit, protocol.NumberedStatus(f.Status)
	case session.Input:
		return nil
	}
	v.out = protocol.AppendNumbered(v.out, n)
	if len(v.out) < batchBytes {
		return nil
	}
	return v.flushFrames()
}

func (v *viewer) flushFrames() error {
	if len(v.out) == 0 {
		return nil
	}
	err := v.put([][]byte{v.out})
	v.out = v.out[:0]
	return err
}

// framesLost notifies the viewer that the frames up to a number are not available.
func (v *viewer) framesLost(to int64) {
	if to > v.frame {
		v.out = protocol.AppendNumbered(v.out, protocol.Numbered{Number: v.frame, Kind: protocol.NumberedLost,
			Data: protocol.NumberedEnd(to)})
		v.frame = to
	}
}

// framesFromPast sends frames from the raw log, until the next one is in memory.
func (v *viewer) framesFromPast() error {
	h := v.host
	h.settle(v.ctx)
	at, begun := h.frames.before(v.frame, v.after), v.frame
	read := func(number int64, e session.Event) error {
		if number > at.Event { // events in between are lost, so the count is unknown
			at = h.placeBehind(v.ctx, number)
			v.framesLost(at.Frame)
		}
		if number < at.Event {
			return nil
		}
		if err := at.Cut(e, v.frameOut); err != nil {
			return err
		}
		if v.frame >= h.frames.oldest() {
			return errEnough
		}
		return v.ctx.Err()
	}
	var err error
	if h.opt.Events != nil {
		err = h.opt.Events(v.ctx, at.Event, read)
	}
	if v.ctx.Err() != nil {
		return v.ctx.Err()
	}
	if !errors.Is(err, errEnough) && v.frame == begun {
		v.framesLost(h.frames.oldest()) // the log does not have them
	}
	return v.flushFrames()
}

// placeBehind returns the place before the event with this number, which follows lost ones, by
// counting back from the next known place. If more events are lost in between, it returns the place
// after those.
func (h *Host) placeBehind(ctx context.Context, event int64) session.FramePlace {
	known := h.frames.behind(event)
	run := session.FramePlace{Event: event} // counts frames from the event to the known place
	begin := event
	err := h.opt.Events(ctx, event, func(number int64, e session.Event) error {
		if number >= known.Event {
			return errEnough
		}
		if number != run.Event {
			begin, run = number, session.FramePlace{Event: number}
		}
		return run.Cut(e, nil)
	})
	if err != nil && !errors.Is(err, errEnough) || run.Event != known.Event {
		return known
	}
	return session.FramePlace{
		Event: begin, Frame: known.Frame - run.Frame, Outputs: known.Outputs - run.Outputs, Offset: known.Offset - run.Offset,
	}
}

// mark adds a numbered marker to the log, for a viewer of frames.
func (h *Host) mark(v *viewer, r protocol.MarkRequest) *protocol.Error {
	label := session.FrameMark(r.Event, r.Data)
	switch {
	case v.place == peer.Within || v.attach.Mode != protocol.ModeFrames:
		return &protocol.Error{Code: protocol.CodeNotAllowed,
			Message: "markers require the mode frames"}
	case session.FrameMarkNumbers(label) == 0 || len(label) > maxMark:
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: "this is not a frame marker"}
	case h.isOver():
		return &protocol.Error{Code: protocol.CodeEnded, Message: "the session is over"}
	}
	h.opt.Record.Mark(label)
	return nil
}

// maxMark is the maximum length of a viewer's marker, in bytes.
const maxMark = 4 << 10

// events is Options.Events.
type events = func(ctx context.Context, from int64, fn func(number int64, e session.Event) error) error
