// Package management defines the messages of the management WebSocket, over which dashboards and
// clients use the terminals of a server's machines ("agents"). A message is a JSON object whose
// type field names its kind; docs/management.md describes them.
package management

// Path is the path at which ptyrec serves the protocol. Other servers accept any path.
const Path = "/ws/sandbox"

// ClientHeader is the HTTP header that ptyrec's own client sends when it connects. The server then
// includes the sizes of sessions, a field that other clients do not know.
const ClientHeader = "Ptyrec-Client"

// MaxMessage is the maximum length of a message, in bytes.
const MaxMessage = 1 << 20

// MainSession is the session_name of the shell that start_shell makes.
const MainSession = "main"

// Roles of clients that join a session.
const (
	Observer   = "observer"
	Controller = "controller"
)

// Minimum size of a session, in cells.
const (
	MinCols = 20
	MinRows = 5
)

// NotController is the prefix of the error for input or a resize by a client that is not the
// controller.
const NotController = "Attached as observer (read-only); re-attach with role=controller to "

// Request is a message of a client. Nil fields are left out.
type Request struct {
	Type        string   `json:"type"`
	AgentID     *string  `json:"agent_id,omitempty"`
	SessionID   *string  `json:"session_id,omitempty"`
	SessionName *string  `json:"session_name,omitempty"`
	SessionType *string  `json:"session_type,omitempty"`
	CommandID   *string  `json:"command_id,omitempty"`
	Command     *string  `json:"command,omitempty"`
	Args        []string `json:"args,omitempty"`
	WorkingDir  *string  `json:"working_dir,omitempty"`
	Data        *string  `json:"data,omitempty"`
	Role        *string  `json:"role,omitempty"`
	Timestamp   *int64   `json:"timestamp,omitempty"`
	Cols        *uint32  `json:"cols,omitempty"`
	Rows        *uint32  `json:"rows,omitempty"`
	Signal      *int32   `json:"signal,omitempty"`
	ReplayFrom  *uint64  `json:"replay_from,omitempty"`
}

// Size returns the size in a message, in cells, with defaults for missing fields.
func (r *Request) Size() (cols, rows int) {
	cols, rows = 80, 24
	if r.Cols != nil {
		cols = int(*r.Cols)
	}
	if r.Rows != nil {
		rows = int(*r.Rows)
	}
	return cols, rows
}

// Agent is an entry of agent_list: a machine.
type Agent struct {
	ID            string `json:"id"`
	Hostname      string `json:"hostname"`
	IPAddress     string `json:"ip_address"`
	Status        string `json:"status"`
	ConnectedAt   int64  `json:"connected_at"` // Unix milliseconds, as all times
	LastHeartbeat int64  `json:"last_heartbeat"`
}

// Session is an entry of session_list.
type Session struct {
	SessionName      string     `json:"session_name"`
	CommandID        string     `json:"command_id"`
	SessionID        string     `json:"session_id"`
	SessionType      string     `json:"session_type"`
	Command          string     `json:"command"`
	Running          bool       `json:"running"`
	PTYURL           string     `json:"pty_ws_url"`
	PTYSubprotocol   string     `json:"pty_ws_subprotocol"`
	ObserverURL      string     `json:"orchestrator_observer_url"`
	ControllerURL    string     `json:"orchestrator_controller_url"`
	DefaultRole      string     `json:"default_role"`
	ControllerPolicy string     `json:"controller_policy"`
	Membership       Membership `json:"membership"`
	Liveness         Liveness   `json:"liveness"`
	Cols             int        `json:"cols,omitempty"` // of its window; see ClientHeader
	Rows             int        `json:"rows,omitempty"`
}

// Membership lists the clients that have joined a session, by id.
type Membership struct {
	Controllers []string `json:"controllers"`
	Observers   []string `json:"observers"`
	Attachments int      `json:"attachment_count"`
}

// Liveness describes the progress of a session and its clients.
type Liveness struct {
	AgentConnected  bool   `json:"agent_connected"`
	ReplayNewestSeq *int64 `json:"replay_newest_seq"` // nil if nothing can be replayed
	MaxClientLag    int64  `json:"max_client_lag"`
}

// Types of a server's messages that clients of sessions handle.
const (
	TypeError         = "error"
	TypePong          = "pong"
	TypeAgentList     = "agent_list"
	TypeSessionList   = "session_list"
	TypeShellStarted  = "shell_started"
	TypeCreated       = "session_created"
	TypeJoined        = "session_joined"
	TypeKilled        = "session_killed"
	TypeOutput        = "output"
	TypeFrame         = "session_frame"
	FrameOutput       = "output" // kinds of session_frame
	FrameKeyframe     = "keyframe"
	FrameResize       = "resize"
	FrameRoleAssigned = "role_assigned"
	FrameMembership   = "membership_changed"
	FrameClosed       = "closed"
	FrameError        = "error"
)

// Message is a message of a server. Only the fields of its type are set.
type Message struct {
	Type        string    `json:"type"`
	Message     string    `json:"message"`
	AgentID     string    `json:"agent_id"`
	SessionID   string    `json:"session_id"`
	SessionName string    `json:"session_name"`
	CommandID   string    `json:"command_id"`
	Agents      []Agent   `json:"agents"`
	Sessions    []Session `json:"sessions"`
	Role        string    `json:"role"`
	CurrentSeq  int64     `json:"current_seq"`
	Seq         int64     `json:"seq"`
	TS          int64     `json:"ts"` // Unix milliseconds
	Kind        string    `json:"kind"`
	Stream      string    `json:"stream"`
	Data        string    `json:"data"` // base64 in a session_frame, text in output
	Cols        int       `json:"cols"`
	Rows        int       `json:"rows"`
	Controllers []string  `json:"controllers"`
	ExitCode    *int      `json:"exit_code"`
}
