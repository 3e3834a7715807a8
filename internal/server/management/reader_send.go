package management

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// send sends one frame, unless the client has it or must not receive it.
func (r *reader) send(e *entry) (err error) {
	if r.next >= 0 && e.number < r.next {
		return nil
	}
	if e.kind == protocol.NumberedLost {
		return r.lost(e.number, e.lost)
	}
	r.next = e.number + 1
	r.told.Store(r.next)
	if r.plain {
		err = r.sendOutput(e)
	} else {
		err = r.sendFrame(e)
	}
	r.moved.Store(time.Now().UnixNano())
	return err
}

func (r *reader) head(seq, ts int64, kind string) frameHead {
	return frameHead{"session_frame", r.h.id, seq, ts, kind}
}

// sendFrame sends a frame as session_frame messages.
func (r *reader) sendFrame(e *entry) error {
	switch e.kind {
	case protocol.NumberedOutput:
		return r.data(e, e.number, "output", e.clean)
	case protocol.NumberedResize:
		return r.json(resizeFrame{r.head(e.number, e.ts, "resize"), e.cols, e.rows})
	case protocol.NumberedExit:
		seq := e.number
		if len(e.clean) > 0 { // what redaction held back gets this number, and the end the next one
			if err := r.data(e, seq, "output", e.clean); err != nil {
				return err
			}
			seq++
		}
		r.c.forget(r)
		return r.json(closedFrame{r.head(seq, e.ts, "closed"), e.status})
	case protocol.NumberedMark:
		return r.sendMark(e)
	case protocol.NumberedLost, protocol.NumberedNext:
	}
	return nil
}

// sendMark sends what a marker means: a keyframe, or a change of membership since the client
// joined.
func (r *reader) sendMark(e *entry) error {
	seq := e.number
	switch {
	case e.event == session.EventKeyframe:
		if e.private && r.picture != e.number {
			return nil
		}
		return r.data(e, seq, "keyframe", e.data)
	case e.event == "" || e.number < r.joined.number:
		return nil
	case e.event == session.EventRole:
		r.next++
		if e.client == r.c.id {
			if err := r.json(roleFrame{r.head(seq, e.ts, "role_assigned"), e.role}); err != nil {
				return err
			}
		}
		seq++
	}
	return r.json(membersFrame{r.head(seq, e.ts, "membership_changed"), e.controllers, e.observers})
}

// data sends a frame with bytes, unless there are none. If several readers send the same message
// for an entry, it is encoded once.
func (r *reader) data(e *entry, seq int64, kind string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if !e.shared {
		r.message = appendDataFrame(r.message[:0], r.h.id, seq, e.ts, kind, data)
		return r.c.write(r.message)
	}
	e.once.Do(func() { e.message = appendDataFrame(nil, r.h.id, seq, e.ts, kind, data) })
	return r.c.write(e.message)
}

// appendDataFrame appends a session_frame message with bytes to b.
func appendDataFrame(b []byte, id string, seq, ts int64, kind string, data []byte) []byte {
	b = slices.Grow(b, dataHead+base64.StdEncoding.EncodedLen(len(data)))
	b = append(b, `{"type":"session_frame","session_id":"`...)
	b = append(b, id...)
	b = append(b, `","seq":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"ts":`...)
	b = strconv.AppendInt(b, ts, 10)
	b = append(b, `,"kind":"`...)
	b = append(b, kind...)
	b = append(b, `","stream":"stdout","data":"`...)
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, `"}`...)
}

// dataHead is the space for what appendDataFrame adds around the data, in bytes.
const dataHead = 192

// sendOutput sends a frame of output as text.
func (r *reader) sendOutput(e *entry) error {
	if e.kind == protocol.NumberedExit && len(r.rest) > 0 {
		return r.text(e.outputs, e.ts, "\uFFFD")
	}
	if e.kind != protocol.NumberedOutput {
		return nil
	}
	text := slices.Concat(r.rest, e.data)
	whole := wholeCharacters(text)
	r.rest = text[whole:]
	if e.outputs <= r.after {
		return nil
	}
	r.after = e.outputs
	if whole == 0 {
		return nil
	}
	return r.text(e.outputs, e.ts, string(text[:whole]))
}

// wholeCharacters returns the length of text without an incomplete character at its end.
func wholeCharacters(text []byte) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

func (r *reader) text(seq, ts int64, text string) error {
	return r.json(outputMessage{"output", r.h.p.AgentID, commandIDOf(r.h.id), "stdout", text, ts, seq})
}

func (r *reader) json(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return r.c.write(b)
}

// lost reports to the client what cannot be sent, and continues after it.
func (r *reader) lost(from, to int64) error {
	from = max(from, r.next, 0)
	if to <= from {
		return errGone // nothing follows
	}
	r.next = to
	if r.plain {
		return nil // output messages cannot express that; their numbers show it
	}
	return r.json(errorFrame{r.head(to-1, time.Now().UnixMilli(), "error"),
		fmt.Sprintf("frames %d to %d are lost", from, to-1)})
}
