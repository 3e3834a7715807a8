package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// typeTime is how long a command may accept no keys before a viewer gets an error.
const typeTime = 5 * time.Second

// Names of who revoked control: the session's own terminal, or the end of a grant with a limit.
const (
	ByTerminal = "terminal"
	ByTime     = "time"
)

// control says who may type besides the session's own terminal. Host.mu guards it.
type control struct {
	grant   *protocol.Grant
	timer   *time.Timer     // timer of the grant
	permit  context.Context // cancelled when no viewer may type any more
	forbid  context.CancelFunc
	revoked time.Time // time of the last revocation at the terminal
}

// Typed receives the keys typed at the session's own terminal and returns those for the command. If
// others may type, Ctrl+\ revokes their control and is not passed on.
func (h *Host) Typed(keys []byte) (pass []byte, wait time.Duration) {
	if len(keys) == 0 {
		return h.reclaim.release(), 0
	}
	h.entering(keys)
	if !h.guarded.Load() || h.lapsed() {
		return append(h.reclaim.release(), keys...), 0
	}
	pass, found := h.reclaim.scan(keys)
	if found {
		h.reclaimed()
	}
	if len(h.reclaim.held) > 0 {
		wait = holdTime
	}
	return pass, wait
}

// entering passes keys that are about to be typed to h.enter.
func (h *Host) entering(keys []byte) {
	now, _ := h.stream.now()
	h.enter.keys(keys, now.seq)
}

// reclaimed revokes all control, at the session's terminal.
func (h *Host) reclaimed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agreeing != nil {
		close(h.agreeing)
		h.agreeing, h.control.revoked = nil, time.Now()
		return
	}
	if h.anyControl() {
		h.control.revoked = time.Now()
		h.revokeAll(ByTerminal, `Ctrl+\ was pressed`)
		h.opt.Notify("control taken back: only this terminal types now", true)
	}
}

// lapsed reports whether Ctrl+\ goes to the command again.
func (h *Host) lapsed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agreeing != nil || h.anyControl() || time.Since(h.control.revoked) < afterwards {
		return false
	}
	h.guarded.Store(false)
	return true
}

// anyControl reports whether anyone besides the session's own terminal may type. The caller holds
// h.mu.
func (h *Host) anyControl() bool {
	if h.control.grant != nil {
		return true
	}
	for v := range h.viewers {
		if v.control {
			return true
		}
	}
	return false
}

// may returns a context that lasts as long as v may type, or nil if it may not.
func (h *Host) may(v *viewer) context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v.attach.Kind == protocol.Human && v.control || v.attach.Kind != protocol.Human && h.control.grant != nil {
		return h.permitted()
	}
	return nil
}

// permitted returns the context of viewers that may type. The caller holds h.mu.
func (h *Host) permitted() context.Context {
	if h.control.permit == nil {
		h.control.permit, h.control.forbid = context.WithCancel(h.ctx)
	}
	return h.control.permit
}

// revokeAll revokes all control. The caller holds h.mu.
func (h *Host) revokeAll(by, reason string) {
	for v := range h.viewers {
		v.control = false
	}
	h.dropGrant()
	h.changed(session.EventRevoke, map[string]any{"by": by, "reason": reason}, reason)
}

// dropGrant ends the grant, and interrupts typing. The caller holds h.mu.
func (h *Host) dropGrant() {
	if h.control.timer != nil {
		h.control.timer.Stop()
	}
	if h.control.forbid != nil {
		h.control.forbid()
	}
	h.control.grant, h.control.timer, h.control.permit, h.control.forbid = nil, nil, nil, nil
}

// changed records a change of control and notifies all viewers. The caller holds h.mu.
func (h *Host) changed(event string, data map[string]any, reason string) {
	if event == session.EventGrant {
		h.guarded.Store(true)
	}
	h.typing.flush()
	h.opt.Record.Mark(session.ControlMark(event, data))
	h.tell(reason)
}

// request executes a viewer's ControlRequest.
func (h *Host) request(v *viewer, r protocol.ControlRequest) *protocol.Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return &protocol.Error{Code: protocol.CodeEnded, Message: "the session is over"}
	}
	human := v.attach.Kind == protocol.Human
	switch r.Action {
	case protocol.Take:
		return h.take(v)
	case protocol.Release:
		if v.control {
			v.control = false
			h.changed(session.EventRevoke, map[string]any{"by": v.attach.Name, "kind": string(protocol.Human),
				"reason": "given up"}, v.attach.Name+" gave control up")
		}
		return nil
	case protocol.Allow, protocol.Revoke:
		if !human {
			return &protocol.Error{Code: protocol.CodeNotAllowed, Message: "only people may do that"}
		}
		if r.Action == protocol.Revoke {
			if h.anyControl() {
				h.revokeAll(v.attach.Name, v.attach.Name+" took control back")
			}
			return nil
		}
		return h.allow(v, r.For)
	}
	return &protocol.Error{Code: protocol.CodeBadRequest, Message: fmt.Sprintf("unknown action %q", r.Action)}
}

// take gives control to v. The caller holds h.mu.
func (h *Host) take(v *viewer) *protocol.Error {
	if h.opt.Watched != "" {
		return &protocol.Error{Code: protocol.CodeUnavailable, Message: h.opt.Watched}
	}
	if v.attach.Kind != protocol.Human {
		if h.control.grant == nil {
			return &protocol.Error{Code: protocol.CodeNoControl, Message: "programs may not type: nobody has granted it"}
		}
		return nil
	}
	if !v.control {
		v.control = true
		h.changed(session.EventGrant, map[string]any{"by": v.attach.Name, "kind": string(protocol.Human)},
			v.attach.Name+" took control")
		h.opt.Notify(fmt.Sprintf(`%s types here, too; Ctrl+\ ends that`, v.attach.Name), false)
	}
	return nil
}

// allow grants control to programs. The caller holds h.mu.
func (h *Host) allow(v *viewer, limit time.Duration) *protocol.Error {
	if h.opt.Watched != "" {
		return &protocol.Error{Code: protocol.CodeUnavailable, Message: h.opt.Watched}
	}
	if limit < 0 {
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: "the length of a grant must be at least 0"}
	}
	if h.control.timer != nil {
		h.control.timer.Stop()
		h.control.timer = nil
	}
	now := time.Now().UTC()
	g := &protocol.Grant{By: v.attach.Name, At: now}
	data := map[string]any{"by": v.attach.Name, "kind": string(protocol.Agent)}
	if limit > 0 {
		until := now.Add(limit)
		g.Until = &until
		data["until"] = until.Format(time.RFC3339Nano)
		h.control.timer = time.AfterFunc(limit, func() { h.expire(g) })
	}
	h.control.grant = g
	h.changed(session.EventGrant, data, v.attach.Name+" let programs type")
	h.opt.Notify(`programs may type here; Ctrl+\ ends that`, false)
	return nil
}

// expire ends a grant at its time limit.
func (h *Host) expire(g *protocol.Grant) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.control.grant != g || h.over {
		return
	}
	h.dropGrant()
	h.changed(session.EventRevoke, map[string]any{"by": ByTime, "kind": string(protocol.Agent),
		"reason": "the grant's time is over"}, "the grant's time is over")
}

// input passes a viewer's keys to the command.
func (h *Host) input(v *viewer, keys []byte) *protocol.Error {
	permit := h.may(v)
	if permit == nil {
		return noControl(v)
	}
	if len(keys) == 0 {
		return nil
	}
	if !v.answers() && !cancels(keys) {
		h.prompts.Lock()
		defer h.prompts.Unlock()
		if h.asks(permit) {
			return &protocol.Error{Code: protocol.CodeAsking, Message: "the agent asks a question, and this might answer it"}
		}
	}
	ctx, stop := context.WithTimeout(permit, typeTime)
	defer stop()
	h.typed.Store(time.Now().UnixNano())
	h.entering(keys)
	notify(h.echo)
	err := h.opt.Command.Type(ctx, keys, func(shown []byte) { h.typing.typed(v, keys, shown) })
	switch {
	case err == nil:
		return nil
	case h.isOver():
		return &protocol.Error{Code: protocol.CodeEnded, Message: "the session is over"}
	case permit.Err() != nil:
		return &protocol.Error{Code: protocol.CodeNoControl, Message: "control was taken back while this was typed"}
	case ctx.Err() != nil:
		return &protocol.Error{Code: protocol.CodeUnavailable,
			Message: "the command does not read its input: not everything was typed"}
	}
	return &protocol.Error{Code: protocol.CodeEnded, Message: err.Error()}
}

// prompt reserves the prompt for a viewer, or records the text that it sent.
func (h *Host) prompt(v *viewer, r protocol.PromptRequest) *protocol.Error {
	if h.may(v) == nil {
		return noControl(v)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.prompting != nil && h.prompting != v:
		return &protocol.Error{Code: protocol.CodePrompting, Message: "another prompt is being sent"}
	case r.Text == "":
		h.prompting = v
		return nil
	}
	h.prompting = nil
	h.opt.Record.Mark(session.ControlMark(session.EventPrompt, map[string]any{"by": v.attach.Name, "text": r.Text}))
	return nil
}

func noControl(v *viewer) *protocol.Error {
	if v.host.opt.Watched != "" {
		return &protocol.Error{Code: protocol.CodeUnavailable, Message: v.host.opt.Watched}
	}
	if v.attach.Kind == protocol.Human {
		return &protocol.Error{Code: protocol.CodeNoControl, Message: "you do not have control"}
	}
	return &protocol.Error{Code: protocol.CodeNoControl, Message: "programs may not type: nobody has granted it"}
}

// kill sends a signal to the command for a viewer.
func (h *Host) kill(v *viewer, r protocol.Kill) *protocol.Error {
	if h.may(v) == nil {
		return noControl(v)
	}
	if r.Signal < 1 || r.Signal > 31 {
		return &protocol.Error{Code: protocol.CodeBadRequest, Message: fmt.Sprintf("invalid signal %d", r.Signal)}
	}
	h.opt.Command.Signal(r.Signal)
	return nil
}

// state returns who is attached and who may type. The caller holds h.mu.
func (h *Host) state(reason string) protocol.Control {
	c := protocol.Control{Viewers: []protocol.Viewer{}, Grant: h.control.grant, Reason: reason}
	for v := range h.viewers {
		c.Viewers = append(c.Viewers, protocol.Viewer{
			ID: v.id(), Name: v.attach.Name, Kind: v.attach.Kind, Since: v.since,
			Control: v.control || v.attach.Kind != protocol.Human && h.control.grant != nil,
		})
	}
	slices.SortFunc(c.Viewers, func(a, b protocol.Viewer) int { return a.Since.Compare(b.Since) })
	return c
}

// tell sends all viewers who is attached and who may type. The caller holds h.mu.
func (h *Host) tell(reason string) { h.post(protocol.TypeControl, h.state(reason)) }

// tellWho notifies all viewers that someone attached or left. Of many such frames, only the last
// one is sent.
func (h *Host) tellWho(reason string) {
	f, err := protocol.JSON(protocol.TypeControl, h.state(reason))
	if err != nil {
		return
	}
	b := protocol.Append(nil, f)
	for v := range h.viewers {
		v.postAs(b, true)
	}
}

// post queues a frame for all viewers. The caller holds h.mu.
func (h *Host) post(t protocol.Type, what any) {
	f, err := protocol.JSON(t, what)
	if err != nil {
		return
	}
	b := protocol.Append(nil, f)
	for v := range h.viewers {
		v.post(b)
	}
}
