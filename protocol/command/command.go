// Package command defines the messages of the command socket, LangSmith's protocol for running a
// command in a sandbox: JSON messages over a WebSocket at DATAPLANE/execute/ws, one command a
// socket.
//
// The client speaks first, with an execute or a reconnect Request. The server's first Reply on
// each socket is started; stdout and stderr follow in order of arrival, and exit or error ends it.
// Both sides ignore fields that they do not know, and clients ignore unknown types.
//
// Offsets count the bytes of a stream's text in UTF-8, from 0.
package command

// Path is the path of the socket below a dataplane's URL.
const Path = "/execute/ws"

// KeyHeader is the HTTP header that carries the client's token.
const KeyHeader = "X-Api-Key"

// Subprotocol is the WebSocket subprotocol with acknowledged input. In it, input Requests have an
// Offset, the server answers each with an ack Reply, and started reports how much input it has. So
// a client can resend input after a lost connection without sending anything twice. Input may be
// binary. Servers that do not support it select no subprotocol.
const Subprotocol = "ptyrec.command.v1"

// Types of Requests.
const (
	Execute    = "execute"     // run Command; the first message of a socket
	Reconnect  = "reconnect"   // attach to CommandID at the offsets; the first message of a socket
	Input      = "input"       // Data for stdin
	CloseStdin = "close_stdin" // end of stdin
	Kill       = "kill"        // SIGKILL to all processes of the command
)

// Types of Replies.
const (
	Started = "started"
	Stdout  = "stdout"
	Stderr  = "stderr"
	Exit    = "exit"
	Error   = "error"
	Ack     = "ack" // of input, in Subprotocol only
)

// Error types of an error Reply.
const (
	CommandTimeout  = "CommandTimeout"
	CommandNotFound = "CommandNotFound"
	SessionExpired  = "SessionExpired"
	CommandError    = "CommandError" // any other error
)

// Defaults of an execute Request, in seconds. Never turns a limit off.
const (
	DefaultTimeout     = 60
	DefaultIdleTimeout = 300
	DefaultTTL         = 600
	Never              = -1
)

// DefaultShell runs commands as SHELL -c COMMAND.
const DefaultShell = "/bin/bash"

// Request is a message of the client.
type Request struct {
	Type      string `json:"type"`
	CommandID string `json:"command_id,omitempty"` // execute: chosen by the client; never runs twice

	// Of execute.
	Command          string            `json:"command,omitempty"`
	Shell            string            `json:"shell,omitempty"`
	Env              map[string]string `json:"env,omitempty"`
	Cwd              string            `json:"cwd,omitempty"`
	RunConfig        *RunConfig        `json:"run_config,omitempty"`
	TimeoutSeconds   *float64          `json:"timeout_seconds,omitempty"`
	IdleTimeout      *float64          `json:"idle_timeout_seconds,omitempty"` // while no client is attached
	TTL              *float64          `json:"ttl_seconds,omitempty"`          // of the result, from the command's end
	KillOnDisconnect *bool             `json:"kill_on_disconnect,omitempty"`
	CloseStdin       bool              `json:"close_stdin,omitempty"` // stdin is empty; ignored with PTY
	PTY              bool              `json:"pty,omitempty"`         // one stream, stdout

	// Of reconnect: offset of the first byte of each stream that the client does not have.
	StdoutOffset *int64 `json:"stdout_offset,omitempty"`
	StderrOffset *int64 `json:"stderr_offset,omitempty"`

	// Of input.
	Data   string `json:"data,omitempty"`
	Binary []byte `json:"data_b64,omitempty"` // instead of Data, in Subprotocol only
	Offset *int64 `json:"offset,omitempty"`   // of the first byte in all input, in Subprotocol only
}

// RunConfig is another form of Env and Cwd; a Request has one form or the other.
type RunConfig struct {
	EnvVars map[string]string `json:"env_vars,omitempty"`
	WorkDir string            `json:"work_dir,omitempty"`
	User    string            `json:"user,omitempty"`
}

// Reply is a message of the server.
type Reply struct {
	Type        string `json:"type"`
	CommandID   string `json:"command_id,omitempty"`   // of started
	PID         int    `json:"pid,omitempty"`          // of started; positive
	StdinOffset *int64 `json:"stdin_offset,omitempty"` // of started and ack, in Subprotocol: input taken
	Data        string `json:"data,omitempty"`         // of stdout and stderr
	Offset      *int64 `json:"offset,omitempty"`       // of Data's first byte
	Info        string `json:"info,omitempty"`         // why Offset is greater than expected
	ExitCode    *int   `json:"exit_code,omitempty"`    // of exit; 128+n after signal n
	ErrorType   string `json:"error_type,omitempty"`
	Error       string `json:"error,omitempty"`
}
