package protocol

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// ErrBadFrame says that a frame's payload is not what its type says.
var ErrBadFrame = errors.New("bad frame")

// Mode says what a viewer wants of the output.
type Mode string

// The modes.
const (
	ModeScreen Mode = "screen" // the screen as it is: a viewer that falls behind gets a new Snapshot, and misses what was between
	ModeBytes  Mode = "bytes"  // every byte from From on, once, in order; a viewer that falls behind gets it late
	ModeText   Mode = "text"   // Screen frames instead: at most one in 500 ms, and always one after the last change and at the end
	ModeNone   Mode = "none"   // no output: entries and states only
	ModeFrames Mode = "frames" // Numbered frames of the raw log from From on, each once, in order; without From behind a Snapshot
)

// Kind says who types: people and programs are told apart in the log, and only people may take
// control unasked.
type Kind string

// The kinds.
const (
	Human Kind = "human"
	Agent Kind = "agent" // a program: it types only while the user has granted it
)

// Attach is the viewer's first frame.
type Attach struct {
	Version int    `json:"version"`
	Name    string `json:"name"` // shown to the others: "attach on tty3", "web", "send"
	Kind    Kind   `json:"kind"`
	Mode    Mode   `json:"mode"`
	From    *int64 `json:"from,omitempty"`    // seq to go on from; nil: from now on, in ModeScreen behind a Snapshot. Bytes: nil means 0
	After   *int64 `json:"after,omitempty"`   // in ModeFrames, instead of From: begin behind so many frames of output
	Entries *int   `json:"entries,omitempty"` // entries with a greater seq number come at once, then as they change; nil: none are wanted
	Answers *bool  `json:"answers,omitempty"` // what it types may answer a question of the agent's; nil: only if it is a person. Otherwise CodeAsking
	Behalf  *Link  `json:"behalf,omitempty"`  // of whom a server attaches: his connection to it
	Control bool   `json:"control,omitempty"` // asks for control at once; refused for programs without a grant, as a ControlRequest is
}

// Link is a TCP connection.
type Link struct {
	Client netip.AddrPort `json:"client"`
	Server netip.AddrPort `json:"server"`
}

// Hello is the session's first frame.
type Hello struct {
	Version int             `json:"version"`
	Server  string          `json:"server"`  // "ptyrec 1.2.3"
	Viewer  string          `json:"viewer"`  // the id that Control lists this viewer under
	Session session.Session `json:"session"` // with EndedAt if the child is over
	Cols    int             `json:"cols"`    // of the window now, in cells
	Rows    int             `json:"rows"`
	Seq     int64           `json:"seq"`    // of the next byte that the child writes
	Frames  int64           `json:"frames"` // the number of the next frame of the raw log
	State   State           `json:"state"`
	Control Control         `json:"control"`
	Entered *int64          `json:"entered,omitempty"` // the seq of what was written since Enter was typed last; nil: it was not, or it is not known
	Entries int             `json:"entries,omitempty"` // the number of the newest entry of the log; 0: there is none, or it is not known
}

// State is what the agent does.
type State struct {
	State string    `json:"state"`           // "busy", "idle", "asking"; "" where no agent runs
	Agent string    `json:"agent,omitempty"` // its name
	At    time.Time `json:"at,omitzero"`     // since when
}

// Shell is what the session's shell does, as far as that can be told: the session may have none.
type Shell struct {
	State ShellState `json:"state"`
}

// ShellState is the state of a shell.
type ShellState string

// The states.
const (
	ShellUnknown ShellState = ""        // there is no shell, or a program in it takes keys, such as an editor or ssh
	ShellPrompt  ShellState = "prompt"  // it waits for a command
	ShellRunning ShellState = "running" // a command runs
)

// StateOf returns the state that an entry of the log reports. ok is false if it reports none.
func StateOf(e *session.Entry) (s State, ok bool) {
	s = State{Agent: e.Agent, At: e.At}
	switch e.Event {
	case session.EventBusy:
		s.State = "busy"
	case session.EventIdle:
		s.State = "idle"
	case session.EventAsking:
		s.State = "asking"
	case session.EventCLIExit, session.EventExit:
		s.Agent = ""
	default:
		return State{}, false
	}
	return s, true
}

// Control says who is attached and who may type.
type Control struct {
	Viewers []Viewer `json:"viewers"`
	Grant   *Grant   `json:"grant,omitempty"` // programs may type
	Reason  string   `json:"reason,omitempty"`
}

// Viewer is one of those that are attached.
type Viewer struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    Kind      `json:"kind"`
	Control bool      `json:"control"` // it may type
	Since   time.Time `json:"since"`
}

// Grant allows programs to type.
type Grant struct {
	By    string     `json:"by"` // who gave it
	At    time.Time  `json:"at"`
	Until *time.Time `json:"until,omitempty"` // nil: until it is taken back
}

// Size is the size of the session's window, and since when.
type Size struct {
	Seq  int64 `json:"seq"`
	Cols int   `json:"cols"` // cells
	Rows int   `json:"rows"`
}

// Entries are the log's entries that are new or changed, and those that were taken back.
type Entries struct {
	Entries []*session.Entry `json:"entries"`
	Gone    []string         `json:"gone,omitempty"` // their ids
	Title   string           `json:"title,omitempty"`
	Agents  []session.Agent  `json:"agents,omitempty"`
}

// Screen is the screen as text, without any escapes.
type Screen struct {
	Seq    int64    `json:"seq"`
	Cols   int      `json:"cols"`
	Rows   int      `json:"rows"`
	Title  string   `json:"title,omitempty"`
	Alt    bool     `json:"alt,omitempty"`
	Lines  []string `json:"lines"` // as many as there are rows, without the blanks at their ends
	Cursor Cursor   `json:"cursor"`
}

// Cursor is the cursor's place, in cells from 0.
type Cursor struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Visible bool `json:"visible"`
}

// Gap says that the bytes [From, To) cannot be had.
type Gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Notice is a message for the user: what was shown may be incomplete, or what was asked may not
// happen. Package client sends it for servers of other protocols.
type Notice struct {
	Text string `json:"text"`
}

// Exit is the child's end.
type Exit struct {
	Status int   `json:"status"` // 128+n where signal n ended it
	Seq    int64 `json:"seq"`    // the length of the output
}

// SizeRequest asks for another size of the session's window, in cells. It needs control. When the
// last viewer who asked for one has left, the window gets its own back.
type SizeRequest struct {
	ID   uint32 `json:"id"`
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Keep bool   `json:"keep,omitempty"` // this is the window's own from now on
}

// ControlRequest asks for a change of who may type.
type ControlRequest struct {
	ID     uint32        `json:"id"`
	Action Action        `json:"action"`
	For    time.Duration `json:"for,omitempty"`  // of a grant, in nanoseconds; 0: until it is taken back
	What   string        `json:"what,omitempty"` // of Agree: what is to be done, as "delete 2 sessions"
}

// Action is what a ControlRequest asks for.
type Action string

// The actions. Only people grant, and take control unasked; anybody may give up his own.
const (
	Take    Action = "take"    // control for this viewer
	Release Action = "release" // this viewer releases it
	Allow   Action = "grant"   // programs may type
	Forget  Action = "forget"  // the recording stops, and what was recorded is deleted
	Agree   Action = "agree"   // somebody is to press Ctrl+\ at the session's terminal, before something is done
	Revoke  Action = "revoke"  // nobody but the session's own terminal types any more
)

// Kill asks to send the child a signal, by number. It needs control.
type Kill struct {
	ID     uint32 `json:"id"`
	Signal int    `json:"signal"`
}

// PromptRequest begins a prompt to the agent, which nobody else may meanwhile, or says with its
// Text that the agent took it. It also ends when the viewer leaves. It needs control.
type PromptRequest struct {
	ID   uint32 `json:"id"`
	Text string `json:"text,omitempty"`
}

// Ack answers an Input, SizeRequest, ControlRequest, Kill or PromptRequest.
type Ack struct {
	ID    uint32 `json:"id"`
	Error *Error `json:"error,omitempty"` // nil: it was done
}

// Error is a refusal. It is an error.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// The codes of errors.
const (
	CodeNoControl   = "no_control"  // input, size or signal without control or grant
	CodeNotAllowed  = "not_allowed" // a program asks for what only people may
	CodeBadRequest  = "bad_request" // not to be understood, or a size out of bounds
	CodeBadVersion  = "bad_version" // the viewer is too new
	CodeTooMany     = "too_many"    // viewers
	CodeEnded       = "ended"       // the child is over
	CodeAsking      = "asking"      // the agent asks something: what was to be typed would answer it
	CodePrompting   = "prompting"   // somebody else sends a prompt
	CodeUnavailable = "unavailable" // the session has no such thing
)

// JSON makes a frame of one of the structs above.
func JSON(t Type, v any) (Frame, error) {
	payload, err := json.Marshal(v)
	if err != nil {
		return Frame{}, err
	}
	if len(payload) > MaxPayload {
		return Frame{}, ErrTooLong
	}
	return Frame{Type: t, Payload: payload}, nil
}

// Decode reads a frame's JSON into v.
func (f Frame) Decode(v any) error {
	if err := json.Unmarshal(f.Payload, v); err != nil {
		return fmt.Errorf("%w of type %q: %w", ErrBadFrame, f.Type, err)
	}
	return nil
}

// Output makes a frame of output; seq is that of its first byte.
func Output(seq int64, data []byte) Frame {
	return Frame{TypeOutput, append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(data)), uint64(seq)), data...)}
}

// Output decodes an Output frame. The data shares the payload's memory.
func (f Frame) Output() (seq int64, data []byte, err error) {
	if len(f.Payload) < 8 {
		return 0, nil, fmt.Errorf("%w: output of %d bytes", ErrBadFrame, len(f.Payload))
	}
	return int64(binary.BigEndian.Uint64(f.Payload)), f.Payload[8:], nil
}

// Snapshot is a screen, as bytes that make a terminal of that size show it (and have its modes),
// whatever it showed before.
type Snapshot struct {
	Seq        int64 // the output goes on with
	Cols, Rows int   // of the window, in cells
	Data       []byte
}

// Frame makes a frame of the snapshot.
func (s Snapshot) Frame() Frame {
	buf := binary.BigEndian.AppendUint64(make([]byte, 0, 12+len(s.Data)), uint64(s.Seq))
	buf = binary.BigEndian.AppendUint16(buf, uint16(s.Cols))
	buf = binary.BigEndian.AppendUint16(buf, uint16(s.Rows))
	return Frame{TypeSnapshot, append(buf, s.Data...)}
}

// Snapshot decodes a Snapshot frame. Its data shares the payload's memory.
func (f Frame) Snapshot() (Snapshot, error) {
	if len(f.Payload) < 12 {
		return Snapshot{}, fmt.Errorf("%w: snapshot of %d bytes", ErrBadFrame, len(f.Payload))
	}
	return Snapshot{
		Seq:  int64(binary.BigEndian.Uint64(f.Payload)),
		Cols: int(binary.BigEndian.Uint16(f.Payload[8:])),
		Rows: int(binary.BigEndian.Uint16(f.Payload[10:])),
		Data: f.Payload[12:],
	}, nil
}

// Input makes a frame of keys for the child.
func Input(id uint32, keys []byte) Frame {
	return Frame{TypeInput, append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(keys)), id), keys...)}
}

// Input decodes an Input frame. The keys share the payload's memory.
func (f Frame) Input() (id uint32, keys []byte, err error) {
	if len(f.Payload) < 4 || len(f.Payload) > 4+MaxOutput {
		return 0, nil, fmt.Errorf("%w: input of %d bytes", ErrBadFrame, len(f.Payload))
	}
	return binary.BigEndian.Uint32(f.Payload), f.Payload[4:], nil
}
