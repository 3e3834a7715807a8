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

// ErrBadFrame means that a frame's payload does not match its type.
var ErrBadFrame = errors.New("bad frame")

// Mode selects how a viewer receives the output.
type Mode string

// Modes of a viewer.
const (
	ModeScreen Mode = "screen" // Snapshot, then Output; a slow viewer gets a new Snapshot and loses the output before it
	ModeBytes  Mode = "bytes"  // every byte from From on, once, in order; a slow viewer gets it late
	ModeText   Mode = "text"   // Screen frames: at most one in 500 ms, and one after the last change and at the end
	ModeNone   Mode = "none"   // no output, only entries and states
	// Numbered frames of the raw log from From on, once, in order; without From, after a Snapshot
	ModeFrames Mode = "frames"
)

// Kind says who types. The log distinguishes people and programs, and only people can take control
// without a grant.
type Kind string

// Kinds of viewers.
const (
	Human Kind = "human"
	Agent Kind = "agent" // a program: can type only while a grant is in force
)

// Attach is the viewer's first frame.
type Attach struct {
	Version int    `json:"version"`
	Name    string `json:"name"` // name shown to other viewers, such as "attach on tty3" or "web"
	Kind    Kind   `json:"kind"`
	Mode    Mode   `json:"mode"`
	From    *int64 `json:"from,omitempty"`    // seq to continue from; nil means from now on, or in ModeBytes from 0
	After   *int64 `json:"after,omitempty"`   // in ModeFrames, instead of From: number of output frames to skip
	Entries *int   `json:"entries,omitempty"` // send entries numbered higher, then changes; nil means no entries
	// whether its input may answer a question of the agent, else CodeAsking; nil means only a
	// person's may
	Answers *bool `json:"answers,omitempty"`
	Behalf  *Link `json:"behalf,omitempty"`  // connection of the client for which a server attaches
	Control bool  `json:"control,omitempty"` // request control at once, as with a ControlRequest
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
	Viewer  string          `json:"viewer"`  // id of this viewer in Control
	Session session.Session `json:"session"` // EndedAt is set if the command has ended
	Cols    int             `json:"cols"`    // current size of the window, in cells
	Rows    int             `json:"rows"`
	Seq     int64           `json:"seq"`    // seq of the next byte of output
	Frames  int64           `json:"frames"` // number of the next frame of the raw log
	State   State           `json:"state"`
	Control Control         `json:"control"`
	Entered *int64          `json:"entered,omitempty"` // seq at the last Enter; nil if there was none, or it is unknown
	Entries int             `json:"entries,omitempty"` // number of the newest entry; 0 if there is none, or it is unknown
}

// State is the state of the agent.
type State struct {
	State string    `json:"state"`           // "busy", "idle", "asking", or "" if no agent runs
	Agent string    `json:"agent,omitempty"` // name of the agent
	At    time.Time `json:"at,omitzero"`     // time since when
}

// Shell is the state of the session's shell, as far as it is known.
type Shell struct {
	State ShellState `json:"state"`
}

// ShellState is the state of a shell.
type ShellState string

// States of a shell.
const (
	ShellUnknown ShellState = ""        // no shell, or a program such as an editor or ssh reads the keys
	ShellPrompt  ShellState = "prompt"  // waiting for a command
	ShellRunning ShellState = "running" // running a command
)

// StateOf returns the agent state that an entry reports. ok is false if it reports none. An agent
// that nobody has described has no name in it: nobody knows how to type to it.
func StateOf(e *session.Entry) (s State, ok bool) {
	s = State{Agent: e.Agent, At: e.At}
	if e.Agent == session.UnknownAgent {
		s.Agent = ""
	}
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
	Grant   *Grant   `json:"grant,omitempty"` // set while programs may type
	Reason  string   `json:"reason,omitempty"`
}

// Viewer is an attached viewer.
type Viewer struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    Kind      `json:"kind"`
	Control bool      `json:"control"` // whether it can type
	Since   time.Time `json:"since"`
}

// Grant is a permission for programs to type.
type Grant struct {
	By    string     `json:"by"` // name of the viewer who granted it
	At    time.Time  `json:"at"`
	Until *time.Time `json:"until,omitempty"` // nil if it lasts until it is revoked
}

// Size is the size of the session's window from Seq on.
type Size struct {
	Seq  int64 `json:"seq"`
	Cols int   `json:"cols"` // cells
	Rows int   `json:"rows"`
}

// Entries are the new, changed and removed entries of the log.
type Entries struct {
	Entries []*session.Entry `json:"entries"`
	Gone    []string         `json:"gone,omitempty"` // ids of removed entries
	Title   string           `json:"title,omitempty"`
	Agents  []session.Agent  `json:"agents,omitempty"`
}

// Screen is the screen as text, without control sequences.
type Screen struct {
	Seq    int64    `json:"seq"`
	Cols   int      `json:"cols"`
	Rows   int      `json:"rows"`
	Title  string   `json:"title,omitempty"`
	Alt    bool     `json:"alt,omitempty"`
	Lines  []string `json:"lines"` // one per row, without trailing blanks
	Cursor Cursor   `json:"cursor"`
}

// Cursor is the position of the cursor, in cells from 0.
type Cursor struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Visible bool `json:"visible"`
}

// Gap means that the bytes [From, To) are not available.
type Gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Notice is a message for the user: the output may be incomplete, or a request may have no effect.
// Sessions do not send it; package client does, for servers of other protocols.
type Notice struct {
	Text string `json:"text"`
}

// Exit is the end of the command.
type Exit struct {
	Status int   `json:"status"` // exit status, 128+n after signal n
	Seq    int64 `json:"seq"`    // length of the output, in bytes
}

// SizeRequest requests another size of the session's window, in cells. It requires control. When
// the last viewer that requested one has left, the window returns to its own size.
type SizeRequest struct {
	ID   uint32 `json:"id"`
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Keep bool   `json:"keep,omitempty"` // make this the window's own size
}

// ControlRequest requests a change of who may type, or one of the other Actions.
type ControlRequest struct {
	ID     uint32        `json:"id"`
	Action Action        `json:"action"`
	For    time.Duration `json:"for,omitempty"`  // duration of a grant, in nanoseconds; 0 means until it is revoked
	What   string        `json:"what,omitempty"` // of Agree: what the user agrees to, such as "delete 2 sessions"
}

// Action is the action of a ControlRequest.
type Action string

// Actions. Only people can grant, or take control without a grant; every viewer can release its own
// control.
const (
	Take    Action = "take"    // take control
	Release Action = "release" // give up control
	Allow   Action = "grant"   // allow programs to type
	Forget  Action = "forget"  // stop recording and delete what was recorded
	Agree   Action = "agree"   // ask for Ctrl+\ at the session's terminal, before an action elsewhere
	Revoke  Action = "revoke"  // end all control and grants
)

// Kill requests that the command's process group get a signal, by number. It requires control.
type Kill struct {
	ID     uint32 `json:"id"`
	Signal int    `json:"signal"`
}

// PromptRequest without Text begins a prompt: until one with the Text that the agent accepted, or
// until the viewer leaves, no other viewer can send a prompt. It requires control.
type PromptRequest struct {
	ID   uint32 `json:"id"`
	Text string `json:"text,omitempty"`
}

// Ack answers an Input, SizeRequest, ControlRequest, Kill or PromptRequest.
type Ack struct {
	ID    uint32 `json:"id"`
	Error *Error `json:"error,omitempty"` // nil if the request succeeded
}

// Error is a refused request. It implements error.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// Codes of errors.
const (
	CodeNoControl   = "no_control"  // input, size or signal without control or grant
	CodeNotAllowed  = "not_allowed" // a program requested what only people may do
	CodeBadRequest  = "bad_request" // malformed request, or size out of range
	CodeBadVersion  = "bad_version" // the viewer's version is too new
	CodeTooMany     = "too_many"    // too many viewers
	CodeEnded       = "ended"       // the command has ended
	CodeAsking      = "asking"      // the agent is asking something that the input would answer
	CodePrompting   = "prompting"   // another viewer is sending a prompt
	CodeUnavailable = "unavailable" // not supported by the session
)

// JSON returns a frame with v, one of the types above, as its payload.
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
