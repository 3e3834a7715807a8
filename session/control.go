package session

import (
	"bytes"
	"encoding/json"
)

// Names of the events that record who may type into a live session besides its own terminal, and
// who did. They are markers in the raw log (ControlMark), so that reading it again restores them.
const (
	EventGrant  = "control:grant"  // data: by; kind "agent": programs may type, perhaps until a time; kind "human": by himself may
	EventRevoke = "control:revoke" // data: by, reason; nobody may any more, or with kind "agent" no program, with kind "human" not by himself
	EventPrompt = "control:prompt" // data: by, text; a prompt that an agent took. It is no event of the log: the user entry gets its words
	EventInput  = "control:input"  // data: by, kind, text as it was typed; or secret, where the command read a password
)

// EventImported is the name of the events that stand for the markers above in a recording that was
// imported: that they are there is all that is known, since anybody can write such a file. data:
// that of the marker, and event, its name.
const EventImported = "control:imported"

// markStart is how the label of a control event's marker begins. JSON of another order is a label
// like any other.
const markStart = `{"ptyrec":"control:`

// ControlMark returns the label of the marker that records a control event.
func ControlMark(event string, data map[string]any) []byte {
	label := struct {
		Event string         `json:"ptyrec"`
		Data  map[string]any `json:"data"`
	}{event, data}
	b, err := json.Marshal(label)
	if err != nil { // data holds what JSON cannot say
		b, _ = json.Marshal(map[string]string{"ptyrec": event})
	}
	return b
}

// ReadControlMark returns the control event that a marker records. ok is false for other labels.
func ReadControlMark(label []byte) (event string, data map[string]any, ok bool) {
	if !bytes.HasPrefix(label, []byte(markStart)) {
		return "", nil, false
	}
	var mark struct {
		Event string         `json:"ptyrec"`
		Data  map[string]any `json:"data"`
	}
	if json.Unmarshal(label, &mark) != nil {
		return "", nil, false
	}
	switch mark.Event {
	case EventGrant, EventRevoke, EventInput, EventPrompt:
		return mark.Event, mark.Data, true
	}
	return "", nil, false
}
