package session

import "bytes"

// The raw log of a session can be read as numbered frames (docs/format.md, "Frames"): the numbers
// derive from its events alone. Markers with the names below take numbers, too.
const (
	EventRole     = "frame:role"     // data: client, role; somebody joined, or has another role: two numbers
	EventLeave    = "frame:leave"    // data: client; one number
	EventKeyframe = "frame:keyframe" // a picture of the screen: one number
)

// EventLost is the name of a marker where the frames of a recording of another machine's session
// have a gap. data: from, to. It takes no number.
const EventLost = "frame:lost"

// FrameBytes is the most output in one frame. An Output event with more is several frames.
const FrameBytes = 16 << 10

// FrameMark returns the label of a marker that takes numbers.
func FrameMark(event string, data map[string]any) []byte { return ControlMark(event, data) }

// FrameMarkNumbers returns how many numbers a marker with this label takes.
func FrameMarkNumbers(label []byte) int64 {
	for event, n := range map[string]int64{EventRole: 2, EventLeave: 1, EventKeyframe: 1} {
		if bytes.HasPrefix(label, []byte(`{"ptyrec":"`+event+`"`)) {
			return n
		}
	}
	return 0
}

// FramePlace is a place in a raw log between two events: how many there are before it of each.
type FramePlace struct {
	Event   int64 // events
	Frame   int64 // frame numbers
	Outputs int64 // frames of output
	Offset  int64 // bytes of output
}

// Frame is a part of the raw log with a number of its own.
type Frame struct {
	Number  int64
	Outputs int64 // frames of output up to and with this one
	Offset  int64 // bytes of output before it
	Event         // Output with at most FrameBytes, Resize, Marker (of those above) or Exit
}

// Cut calls give for each frame of the event at p, and moves p behind it. give may be nil; its
// error ends the frames, but p is behind the event all the same. The frames share the event's data.
func (p *FramePlace) Cut(e Event, give func(Frame) error) (err error) {
	p.Event++
	next := func(e Event, numbers int64) {
		if e.Kind == Output {
			p.Outputs++
		}
		if give != nil && err == nil {
			err = give(Frame{Number: p.Frame, Outputs: p.Outputs, Offset: p.Offset, Event: e})
		}
		p.Frame += numbers
	}
	switch e.Kind {
	case Output:
		for data := e.Data; len(data) > 0; {
			e.Data = data[:min(len(data), FrameBytes)]
			data = data[len(e.Data):]
			next(e, 1)
			p.Offset += int64(len(e.Data))
		}
	case Resize, Exit:
		next(e, 1)
	case Marker:
		if n := FrameMarkNumbers(e.Data); n > 0 {
			next(e, n)
		}
	case Input:
	}
	return err
}
