package management

import (
	"cmp"
	"context"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// entryOf describes a session for a session_list, with its size if sizes is set.
func (p *Protocol) entryOf(l live, sizes bool) sessionEntry {
	e := sessionEntry{
		SessionName: l.name, CommandID: commandIDOf(l.id), SessionID: l.id, SessionType: "interactive", Command: l.command,
		Running: true,
		PTYURL:  "wss://{host}/agents/" + p.AgentID + "/sessions/" + l.id + "/attach", PTYSubprotocol: "pty-ws.v1",
		ObserverURL:   "/ws/sessions/" + l.id + "/orchestrate?role=observer",
		ControllerURL: "/ws/sessions/" + l.id + "/orchestrate?role=controller",
		DefaultRole:   observer, ControllerPolicy: "controller input is policy-gated",
		Membership: membership{Controllers: []string{}, Observers: []string{}}, Liveness: liveness{AgentConnected: true},
	}
	p.mu.Lock()
	h := p.hubs[l.id]
	p.mu.Unlock()
	if h == nil {
		if sizes {
			e.Cols, e.Rows = p.sizeOf(l.id)
		}
		return e
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if sizes {
		e.Cols, e.Rows = h.cols, h.rows
	}
	e.Membership.Controllers, e.Membership.Observers = h.membersByRole()
	e.Membership.Attachments = len(h.members)
	if newest := h.next - 1; newest >= 0 {
		e.Liveness.ReplayNewestSeq = &newest
	}
	for r := range h.readers {
		e.Liveness.MaxClientLag = max(e.Liveness.MaxClientLag, h.next-cmp.Or(r.told.Load(), h.next))
	}
	return e
}

// sizeOf asks a session for its window size, in cells. It returns 0 if the session does not
// respond.
func (p *Protocol) sizeOf(id string) (cols, rows int) {
	ctx, cancel := context.WithTimeout(p.ctx, time.Second)
	defer cancel()
	stream, err := p.Sessions.Attach(ctx, id,
		client.AttachOptions{Name: p.name("list"), Kind: protocol.Agent, Mode: protocol.ModeNone})
	if err != nil {
		return 0, 0
	}
	defer func() { _ = stream.Close() }()
	event, _ := stream.Next(ctx)
	hello, _ := event.(client.Connected)
	return hello.Cols, hello.Rows
}
