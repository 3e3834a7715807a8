// Package session defines the types that all packages share: Session, Entry, Message, Event, View.
package session

import "time"

// Session describes one recorded command. It is the "session" object of a transcript
// (docs/format.md).
type Session struct {
	ID        string     `json:"id"`
	Command   []string   `json:"command"`
	Cwd       string     `json:"cwd,omitempty"`
	Title     string     `json:"title,omitempty"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`  // nil while the session runs, or if it was cut off
	ExitCode  *int       `json:"exit_code,omitempty"` // likewise; 128+n after signal n
	Cols      int        `json:"cols"`                // window size at the start, in cells
	Rows      int        `json:"rows"`
	Agents    []Agent    `json:"agents"`        // agents that were seen, in order of appearance
	Git       *Git       `json:"git,omitempty"` // repository around Cwd; nil if there is none, or it is unknown

	// Set if a program requested the command; see package process.
	Sandbox string `json:"sandbox,omitempty"` // name given by the program
	Process string `json:"process,omitempty"` // the program's id of the command
	Asked   *Asked `json:"asked,omitempty"`

	Source *Source `json:"source,omitempty"` // nil if the session was recorded

	Continues string `json:"continues,omitempty"` // id of the session whose conversation this one continues
	Private   bool   `json:"private,omitempty"`   // never sent to a team's server
}

// Source is the origin of a session without a recording: an agent's own log.
type Source struct {
	Kind  string `json:"kind"`  // SourceAgentLog
	Agent string `json:"agent"` // agent that wrote the log
	ID    string `json:"id"`    // the agent's id of the conversation
	Path  string `json:"path,omitempty"`
}

// SourceAgentLog is the kind of a session that was read from an agent's own log.
const SourceAgentLog = "agent-log"

// Recorded reports whether the session has a recording.
func (s *Session) Recorded() bool { return s.Source == nil }

// Piped reports whether the command wrote to pipes instead of a terminal. The session's output is
// then Pipe events, and its lines end without a carriage return.
func (s *Session) Piped() bool { return s.Process != "" && (s.Asked == nil || !s.Asked.PTY) }

// Asked describes how a program requested a command.
type Asked struct {
	By        string `json:"by,omitempty"`         // User-Agent and address of the program
	Shell     string `json:"shell,omitempty"`      // shell session in which the command ran
	Apart     bool   `json:"apart,omitempty"`      // did not wait for the shell session's other commands
	PTY       bool   `json:"pty,omitempty"`        // ran in a PTY
	Forgotten bool   `json:"forgotten,omitempty"`  // dropped by the program, which may use its id again
	Listed    bool   `json:"listed,omitempty"`     // in the program's list of processes
	Brief     bool   `json:"brief,omitempty"`      // in that list only until it ends
	TTL       int64  `json:"ttl_ms,omitempty"`     // how long its record is kept after its end, in ms; 0: forever
	Timeout   int64  `json:"timeout_ms,omitempty"` // limit of its run time, in ms; 0: none
	End       string `json:"end,omitempty"`        // why it was ended: killed, timeout, idle; empty if it exited
}

// Agent is an agent CLI, as its banner names it.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Model   string `json:"model,omitempty"`
}

// Entry types.
const (
	TypeMessage = "message"
	TypeEvent   = "event"
)

// Message roles.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
	RoleThinking  = "thinking"
	RoleCommand   = "command" // a command of the agent itself, such as /context
	RoleShell     = "shell"   // a shell command and its output
	RoleSystem    = "system"  // a banner or a notice of the agent
)

// Event names.
const (
	EventNewSession    = "cli:newSession"    // an agent started; data: version, model, cwd
	EventCLIExit       = "cli:exit"          // the agent exited
	EventClear         = "cli:clear"         // the agent's conversation was cleared
	EventInterrupted   = "cli:interrupted"   // the user stopped a reply
	EventScreenRefresh = "cli:screenRefresh" // the screen was erased
	EventBusy          = "cli:busy"          // the agent is working
	EventIdle          = "cli:idle"          // the agent waits for a prompt
	EventAsking        = "cli:asking"        // the agent is asking for approval
	EventResize        = "pty:resize"        // data: cols, rows
	EventExit          = "pty:exit"          // data: status
)

// Message states.
const (
	StatusComplete  = "complete"
	StatusPartial   = "partial"   // interrupted, or cut off by the end of the recording
	StatusStreaming = "streaming" // still being written, in a live session
)

// Tool is a tool call as the agent showed it.
type Tool struct {
	Name      string `json:"name"`
	Input     string `json:"input"`
	Output    string `json:"output"`
	Status    string `json:"status"` // one of the Tool states below
	Truncated bool   `json:"truncated"`
}

// UnknownAgent is the name of all agents that ptyrec does not know.
const UnknownAgent = "unknown"

// Places where lines of a message are missing.
const (
	TruncatedHead   = "head"
	TruncatedMiddle = "middle"
	TruncatedTail   = "tail"
)

// Truncate records that lines are missing at TruncatedHead, TruncatedMiddle or TruncatedTail. Of
// several calls, the first decides about TruncatedAt.
func (d *Details) Truncate(at string) {
	d.Truncated = true
	if d.TruncatedAt == "" {
		d.TruncatedAt = at
	}
}

// Tool states.
const (
	ToolOK       = "ok"
	ToolError    = "error"
	ToolRunning  = "running"
	ToolRejected = "rejected"
)

// Message is a message as the screen showed it. An Entry is a message with an id and a time.
type Message struct {
	Role     string
	Agent    string
	Text     string // plain text: a line per paragraph, and the lines of code
	Markdown string // the same text as Markdown
	Tool     *Tool  // nil unless Role is RoleTool
	Output   string // of RoleShell and RoleCommand: what the command printed
	Partial  bool   // stopped by the user
	Details
}

// Details are facts about a message besides its text. Unknown ones are not set.
type Details struct {
	Truncated    bool   `json:"truncated,omitempty"`     // whether lines of the text or output are missing
	TruncatedAt  string `json:"truncated_at,omitempty"`  // TruncatedHead, TruncatedMiddle or TruncatedTail
	OmittedLines int    `json:"omitted_lines,omitempty"` // number of lines left out in the middle
	// of a prompt: the text is what was sent, the screen showed only a part
	Sent       bool     `json:"sent,omitempty"`
	ExitStatus *int     `json:"exit_status,omitempty"` // of a shell command, as the shell reported it
	Cwd        string   `json:"cwd,omitempty"`         // folder in which a shell command started
	Duration   *float64 `json:"duration,omitempty"`    // of a shell command, in seconds
}

// IsZero reports whether no field is set.
func (d Details) IsZero() bool { return d == Details{} }

// Entry is one entry of a transcript, a message or an event, with the transcript's JSON
// (docs/format.md).
type Entry struct {
	ID    string `json:"id"`
	Seq   int    `json:"seq"` // position, from 1
	Type  string `json:"type"`
	Event string `json:"event,omitempty"`
	Role  string `json:"role,omitempty"`
	Agent string `json:"agent,omitempty"`
	// number of the conversation; cli:newSession and cli:clear begin a new one
	Conversation int            `json:"conversation"`
	Text         string         `json:"text,omitempty"`
	Markdown     string         `json:"markdown,omitempty"`
	Output       string         `json:"output,omitempty"` // what a shell command or an agent's own command printed
	Tool         *Tool          `json:"tool,omitempty"`
	Data         map[string]any `json:"data,omitempty"`
	At           time.Time      `json:"at"`               // time when it appeared
	EndAt        *time.Time     `json:"end_at,omitempty"` // time of its last change
	Offset       int64          `json:"offset"`           // number of bytes of output before it appeared
	Status       string         `json:"status,omitempty"`
	Details
}

// Transcript is a session with its entries, as export and extract write it in JSON.
type Transcript struct {
	Format  string   `json:"format"`  // TranscriptFormat
	Version int      `json:"version"` // TranscriptVersion
	Session Session  `json:"session"`
	Entries []*Entry `json:"entries"`
	Usage   []Usage  `json:"-"` // token usage that the agents printed
}

// Values of a transcript's Format and Version.
const (
	TranscriptFormat  = "ptyrec.transcript"
	TranscriptVersion = 1
)
