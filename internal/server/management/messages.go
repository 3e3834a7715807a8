package management

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	wire "github.com/ptyrec/ptyrec/protocol/management"
)

// The messages that clients and servers share.
type (
	request      = wire.Request
	agentEntry   = wire.Agent
	sessionEntry = wire.Session
	membership   = wire.Membership
	liveness     = wire.Liveness
)

// handlers are the accepted messages, in the order in which server_hello lists them.
var handlers = []struct {
	name   string
	needs  []string // required fields
	handle func(*conn, *request) error
}{
	{"ping", []string{"timestamp"}, (*conn).ping},
	{"subscribe", []string{"agent_id"}, (*conn).subscribe},
	{"unsubscribe", []string{"agent_id"}, (*conn).unsubscribe},
	{"list_agents", nil, (*conn).listAgents},
	{"list_sessions", []string{"agent_id"}, (*conn).listSessions},
	{"start_shell", []string{"agent_id"}, (*conn).startShell},
	{"create_session", []string{"agent_id", "session_name", "session_type", "command"}, (*conn).createSession},
	{"send_command", []string{"agent_id", "command"}, (*conn).sendCommand},
	{"send_input", []string{"agent_id", "command_id", "data"}, (*conn).sendInput},
	{"pty_resize", []string{"agent_id", "command_id", "cols", "rows"}, (*conn).ptyResize},
	{"attach_session", []string{"agent_id", "session_name"}, (*conn).attachSession},
	{"detach_session", []string{"agent_id", "session_name"}, (*conn).detachSession},
	{"kill_session", []string{"agent_id", "session_name"}, (*conn).killSession},
	{"join_session", nil, (*conn).joinSession},
	{"leave_session", []string{"session_id"}, (*conn).leaveSession},
	{"session_input", []string{"session_id", "data"}, (*conn).sessionInput},
	{"session_resize", []string{"session_id"}, (*conn).sessionResize},
}

// parse parses a message and finds its handler.
func parse(message []byte) (r *request, handle func(*conn, *request) error, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(message, &fields); err != nil {
		return nil, nil, err
	}
	if fields == nil {
		return nil, nil, errors.New("it is not an object")
	}
	r = &request{}
	if err := json.Unmarshal(message, r); err != nil {
		return nil, nil, err
	}
	if r.Type == "" {
		return nil, nil, errors.New("missing field `type`")
	}
	for _, h := range handlers {
		if h.name != r.Type {
			continue
		}
		for _, name := range h.needs {
			if value, ok := fields[name]; !ok || bytes.Equal(value, []byte("null")) {
				return nil, nil, fmt.Errorf("missing field `%s`", name)
			}
		}
		return r, h.handle, nil
	}
	return nil, nil, fmt.Errorf("unknown variant `%s`", r.Type)
}

// The messages to clients.
type (
	helloMessage struct {
		Type     string   `json:"type"` // server_hello
		Version  string   `json:"server_version"`
		Accepted []string `json:"supported_client_messages"`
		Features []string `json:"features"`
	}
	errorMessage struct {
		Type    string `json:"type"` // error
		Message string `json:"message"`
	}
	pongMessage struct {
		Type      string `json:"type"` // pong
		Timestamp int64  `json:"timestamp"`
	}
	agentMessage struct {
		Type    string `json:"type"` // subscribed, unsubscribed
		AgentID string `json:"agent_id"`
	}
	agentListMessage struct {
		Type   string       `json:"type"` // agent_list
		Agents []agentEntry `json:"agents"`
	}
	sessionListMessage struct {
		Type     string         `json:"type"` // session_list
		AgentID  string         `json:"agent_id"`
		Sessions []sessionEntry `json:"sessions"`
	}
	commandMessage struct {
		Type      string `json:"type"` // shell_started, input_sent
		AgentID   string `json:"agent_id"`
		CommandID string `json:"command_id"`
	}
	commandStartedMessage struct {
		Type      string `json:"type"` // command_started
		AgentID   string `json:"agent_id"`
		CommandID string `json:"command_id"`
		Command   string `json:"command"`
	}
	createdMessage struct {
		Type        string `json:"type"` // session_created
		AgentID     string `json:"agent_id"`
		SessionName string `json:"session_name"`
		SessionType string `json:"session_type"`
		CommandID   string `json:"command_id"`
	}
	namedMessage struct {
		Type        string `json:"type"` // session_attached, session_detached, session_killed
		AgentID     string `json:"agent_id"`
		SessionName string `json:"session_name"`
		CommandID   string `json:"command_id,omitempty"`
		ExitCode    *int   `json:"exit_code,omitempty"`
	}
	joinedMessage struct {
		Type       string `json:"type"` // session_joined
		SessionID  string `json:"session_id"`
		Role       string `json:"role"`
		CurrentSeq int64  `json:"current_seq"`
	}
	leftMessage struct {
		Type      string `json:"type"` // session_left
		SessionID string `json:"session_id"`
	}
	outputMessage struct {
		Type      string `json:"type"` // output
		AgentID   string `json:"agent_id"`
		CommandID string `json:"command_id"`
		Stream    string `json:"stream"`
		Data      string `json:"data"`
		TS        int64  `json:"ts"`
		Seq       int64  `json:"seq"`
	}
)

// The messages of kind session_frame.
type (
	frameHead struct {
		Type      string `json:"type"`
		SessionID string `json:"session_id"`
		Seq       int64  `json:"seq"`
		TS        int64  `json:"ts"`
		Kind      string `json:"kind"`
	}
	resizeFrame struct {
		frameHead
		Cols int `json:"cols"`
		Rows int `json:"rows"`
	}
	roleFrame struct { // role_assigned
		frameHead
		Role string `json:"role"`
	}
	membersFrame struct { // membership_changed
		frameHead
		Controllers []string `json:"controllers"`
		Observers   []string `json:"observers"`
	}
	closedFrame struct {
		frameHead
		ExitCode *int `json:"exit_code"`
	}
	errorFrame struct {
		frameHead
		Message string `json:"message"`
	}
)
