package session

import (
	"bytes"
	"encoding/json"
)

// Control events record who may type into a live session besides its own terminal, and who did.
// They are markers in the raw log (see ControlMark), so a replay has them, too.
const (
	// data: by, until; kind "agent": programs may type; kind "human": the viewer named by may
	EventGrant  = "control:grant"
	EventRevoke = "control:revoke" // data: by, reason; ends all grants, or those of kind "agent" or "human"
	EventPrompt = "control:prompt" // data: by, text: a prompt that the agent accepted; becomes a user entry, not an event
	EventInput  = "control:input"  // data: by, kind, text as typed; secret instead of text if the command read a password
)

// EventImported replaces the control events of an imported recording, because anyone can write such
// a file. data: the marker's data, and event, its name.
const EventImported = "control:imported"

// markStart is the prefix of a control event's marker. JSON with its keys in another order is an
// ordinary label.
const markStart = `{"ptyrec":"control:`

// ControlMark returns the marker label that records a control event. If data cannot be encoded as
// JSON, the label has no data.
func ControlMark(event string, data map[string]any) []byte {
	label := struct {
		Event string         `json:"ptyrec"`
		Data  map[string]any `json:"data"`
	}{event, data}
	b, err := json.Marshal(label)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"ptyrec": event})
	}
	return b
}

// ReadControlMark decodes a label made by ControlMark. ok is false for other labels.
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
