// Package session has the types that all packages share: Session, Entry, Message, Event, View.
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
	EndedAt   *time.Time `json:"ended_at,omitempty"`  // nil while it runs, or where it was cut off
	ExitCode  *int       `json:"exit_code,omitempty"` // nil while it runs, or where it was cut off
	Cols      int        `json:"cols"`                // window size at the start, in cells
	Rows      int        `json:"rows"`
	Agents    []Agent    `json:"agents"`        // each agent that was seen, in order of appearance
	Git       *Git       `json:"git,omitempty"` // the repository in Cwd; nil: none, or it is not known

	// These are set if a program asked for the command, see package process.
	Sandbox string `json:"sandbox,omitempty"` // the name that it gave
	Process string `json:"process,omitempty"` // its id of the command
	Asked   *Asked `json:"asked,omitempty"`

	Source *Source `json:"source,omitempty"` // nil: it was recorded

	Continues string `json:"continues,omitempty"` // the id of the session whose conversation goes on in this one
	Private   bool   `json:"private,omitempty"`   // it is never sent to the server of a team
}

// Source says where a session without a recording comes from: an agent's own log.
type Source struct {
	Kind  string `json:"kind"`  // SourceAgentLog
	Agent string `json:"agent"` // whose log it is
	ID    string `json:"id"`    // the agent's own id of the conversation
	Path  string `json:"path,omitempty"`
}

// SourceAgentLog is the kind of a session that was read from an agent's own log.
const SourceAgentLog = "agent-log"

// Recorded reports whether the session has a recording.
func (s *Session) Recorded() bool { return s.Source == nil }

// Piped reports whether the session is a command whose output went through pipes: its events are
// Pipe, and lines end without a carriage return.
func (s *Session) Piped() bool { return s.Process != "" && (s.Asked == nil || !s.Asked.PTY) }

// Asked says how a program asked for a command.
type Asked struct {
	By        string `json:"by,omitempty"`         // who: its User-Agent and address
	Shell     string `json:"shell,omitempty"`      // the shell session that the command belongs to
	Apart     bool   `json:"apart,omitempty"`      // beside the other commands of the shell session
	PTY       bool   `json:"pty,omitempty"`        // the command has a PTY
	Forgotten bool   `json:"forgotten,omitempty"`  // the program dropped it: its id is free again
	Listed    bool   `json:"listed,omitempty"`     // the program finds it in the list of processes
	Brief     bool   `json:"brief,omitempty"`      // until it ends
	TTL       int64  `json:"ttl_ms,omitempty"`     // how long the program finds its record after its end, in ms; 0: always
	Timeout   int64  `json:"timeout_ms,omitempty"` // how long it may run, in ms; 0: as long as it likes
	End       string `json:"end,omitempty"`        // why it ended, if not by itself: killed, timeout, idle
}

// Agent is one agent CLI as its banner names it.
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
	RoleCommand   = "command" // an agent's own command, such as /context
	RoleShell     = "shell"   // a shell command and its output
	RoleSystem    = "system"  // a banner or a notice of the agent
)

// Event names.
const (
	EventNewSession    = "cli:newSession"    // an agent started; data: version, model, cwd
	EventCLIExit       = "cli:exit"          // an agent was left
	EventClear         = "cli:clear"         // the agent's conversation was cleared
	EventInterrupted   = "cli:interrupted"   // the user stopped a reply
	EventScreenRefresh = "cli:screenRefresh" // the screen was erased
	EventBusy          = "cli:busy"          // the agent works
	EventIdle          = "cli:idle"          // the agent waits for a prompt
	EventAsking        = "cli:asking"        // the agent asks for approval
	EventResize        = "pty:resize"        // data: cols, rows
	EventExit          = "pty:exit"          // data: status
)

// Message states.
const (
	StatusComplete  = "complete"
	StatusPartial   = "partial"   // interrupted, or the recording ends in it
	StatusStreaming = "streaming" // live
)

// Tool is what an agent showed of one tool call.
type Tool struct {
	Name      string `json:"name"`
	Input     string `json:"input"`
	Output    string `json:"output"`
	Status    string `json:"status"` // ok, error, running, rejected
	Truncated bool   `json:"truncated"`
}

// Where lines of a message are missing.
const (
	TruncatedHead   = "head"
	TruncatedMiddle = "middle"
	TruncatedTail   = "tail"
)

// Truncate notes that lines of the message are missing. Where they are missing in more than one
// place, the first call counts.
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

// Message is one message as it stood on the screen, before the log gave it an identity.
type Message struct {
	Role     string
	Agent    string
	Text     string // plain: paragraphs one line each, code lines kept
	Markdown string // the same as Markdown
	Tool     *Tool  // Role == RoleTool
	Output   string // Role == RoleShell or RoleCommand: what it printed
	Partial  bool   // the user stopped it
	Details
}

// Details are what is known about a message besides its text. Unknown fields are not set.
type Details struct {
	Truncated    bool     `json:"truncated,omitempty"`     // lines of its text or output are missing
	TruncatedAt  string   `json:"truncated_at,omitempty"`  // where: TruncatedHead, TruncatedMiddle or TruncatedTail
	OmittedLines int      `json:"omitted_lines,omitempty"` // how many lines were cut
	Sent         bool     `json:"sent,omitempty"`          // of a prompt: the words are those that were sent, the screen showed a part or other blanks
	ExitStatus   *int     `json:"exit_status,omitempty"`   // of a shell command, as its shell reported it
	Cwd          string   `json:"cwd,omitempty"`           // the folder in which a shell command was started
	Duration     *float64 `json:"duration,omitempty"`      // of a shell command, in seconds
}

// IsZero reports whether no field is set.
func (d Details) IsZero() bool { return d == Details{} }

// Entry is one entry of the terminal log: a message or an event. Its JSON is that of a transcript.
type Entry struct {
	ID           string         `json:"id"`
	Seq          int            `json:"seq"` // from 1, in order
	Type         string         `json:"type"`
	Event        string         `json:"event,omitempty"`
	Role         string         `json:"role,omitempty"`
	Agent        string         `json:"agent,omitempty"`
	Conversation int            `json:"conversation"` // counts up at each cli:newSession and cli:clear
	Text         string         `json:"text,omitempty"`
	Markdown     string         `json:"markdown,omitempty"`
	Output       string         `json:"output,omitempty"` // of a shell line or an in-agent command
	Tool         *Tool          `json:"tool,omitempty"`
	Data         map[string]any `json:"data,omitempty"`
	At           time.Time      `json:"at"`               // when it appeared
	EndAt        *time.Time     `json:"end_at,omitempty"` // when it last changed
	Offset       int64          `json:"offset"`           // byte of the raw output at which it appeared
	Status       string         `json:"status,omitempty"`
	Details
}

// Transcript is what export and extract write as JSON.
type Transcript struct {
	Format  string   `json:"format"`  // TranscriptFormat
	Version int      `json:"version"` // TranscriptVersion
	Session Session  `json:"session"`
	Entries []*Entry `json:"entries"`
	Usage   []Usage  `json:"-"` // what the agents printed of the tokens that they used
}

// The transcript's own name and version.
const (
	TranscriptFormat  = "ptyrec.transcript"
	TranscriptVersion = 1
)
