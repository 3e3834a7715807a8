package management

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	wire "github.com/ptyrec/ptyrec/protocol/management"
)

// take processes a message of the server. over reports that the session has ended.
func (l *link) take(m *wire.Message) (over bool, err error) {
	f := l.f
	switch m.Type {
	case wire.TypeFrame:
		if m.SessionID != f.id || l.live {
			return false, nil
		}
		return l.takeFrame(m)
	case wire.TypeOutput:
		return false, l.takeOutput(m)
	case wire.TypeKilled:
		if l.answer(m.Type, nil) || !l.ours(m) || m.SessionName != f.name {
			return false, nil
		}
		return true, l.exit(m.ExitCode, max(f.next.Load(), 0))
	case wire.TypeShellStarted:
		if l.ours(m) {
			f.command = m.CommandID
			l.mu.Lock()
			l.command = m.CommandID
			l.mu.Unlock()
		}
	case wire.TypeJoined:
		if m.SessionID == f.id {
			return false, l.rejoined(m)
		}
	case wire.TypePong:
		return false, l.pong()
	case wire.TypeError:
		return false, l.complaint(m.Message)
	}
	return false, nil
}

// maxSeq is the maximum plausible number of a frame: the largest integer that is exact in JSON.
const maxSeq = 1 << 53

// minGap is the number of missing frames from which a keyframe is taken for their replacement. A
// few numbers are always missing: their frames were for other clients, or had nothing for this one.
const minGap = 16

// ours reports whether a message is about a shell of the agent that the link follows.
func (l *link) ours(m *wire.Message) bool { return l.live && m.AgentID == l.f.agent }

// wants reports whether the viewer lacks a frame, or it ends the session.
func (f *Follower) wants(m *wire.Message) bool {
	return m.Seq >= 0 && m.Seq <= maxSeq && (m.Seq >= f.next.Load() || m.Kind == wire.FrameClosed)
}

// takeFrame passes on a frame of the session, unless the viewer has it.
func (l *link) takeFrame(m *wire.Message) (over bool, err error) {
	f := l.f
	if !f.wants(m) {
		return false, nil
	}
	gap := f.next.Load() >= 0 && m.Seq >= f.next.Load()+minGap
	switch m.Kind {
	case wire.FrameOutput:
		err = l.output(m)
	case wire.FrameKeyframe:
		err = l.keyframe(m, gap)
	case wire.FrameResize:
		err = l.resize(m)
	case wire.FrameRoleAssigned:
		return false, l.role(m)
	case wire.FrameMembership:
		err = l.members(m)
	case wire.FrameError:
		err = l.lost(m.Seq+1, clean(m.Message))
	case wire.FrameClosed:
		if err := l.exit(m.ExitCode, max(m.Seq, f.next.Load())); err != nil {
			return false, err
		}
		return true, nil
	}
	if err == nil && (f.shown || !l.asked) {
		f.reach(m.Seq + 1)
	}
	return false, err
}

// reset resets the viewer's terminal.
const reset = "\x1bc"

// output passes on output. Before the first output of a replay it resets the viewer's terminal.
func (l *link) output(m *wire.Message) error {
	f := l.f
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil {
		return l.lost(m.Seq+1, fmt.Sprintf("frame %d is damaged", m.Seq))
	}
	if !f.shown && m.Seq < l.current && l.paints() {
		if err := l.snapshot(nil); err != nil {
			return err
		}
	}
	return l.write(m.Seq, m.TS, data)
}

// write passes on bytes of output in the viewer's mode.
func (l *link) write(seq, ts int64, data []byte) error {
	f := l.f
	switch l.attach.Mode {
	case protocol.ModeFrames:
		n := protocol.Numbered{Number: seq, Outputs: f.outputs + 1, At: l.at(ts), Kind: protocol.NumberedOutput, Data: data}
		if err := l.numbered(n); err != nil {
			return err
		}
	case protocol.ModeScreen, protocol.ModeBytes:
		for rest, at := data, f.written; len(rest) > 0; {
			part := rest[:min(len(rest), protocol.MaxOutput)]
			if err := protocol.Write(l.viewer, protocol.Output(at, part)); err != nil {
				return err
			}
			rest, at = rest[len(part):], at+int64(len(part))
		}
	case protocol.ModeText, protocol.ModeNone:
	}
	f.shown = true
	f.outputs++
	f.written += int64(len(data))
	return nil
}

func (l *link) numbered(n protocol.Numbered) error {
	_, err := l.viewer.Write(protocol.AppendNumbered(nil, n))
	return err
}

// at returns the time of a frame since the session's start. It never decreases.
func (l *link) at(ts int64) time.Duration {
	l.f.last = max(l.f.last, time.UnixMilli(min(max(ts, 0), maxTime)).Sub(l.f.began))
	return l.f.last
}

// maxTime is the latest plausible time, in Unix milliseconds: the end of the year 2200.
const maxTime = 7289654400_000

// keyframe shows a picture of the screen if the viewer does not have the output that leads to it:
// at the beginning, and after a gap, when the server has dropped frames because we were too slow.
func (l *link) keyframe(m *wire.Message, gap bool) error {
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil || l.f.shown && !gap {
		return nil //nolint:nilerr // ignore a damaged one
	}
	if gap && l.f.shown {
		if err := l.lost(m.Seq, ""); err != nil {
			return err
		}
	}
	if !l.paints() && !gap {
		return nil
	}
	return l.snapshot(data)
}

// snapshot makes the viewer's terminal show what data draws on an empty terminal.
func (l *link) snapshot(data []byte) error {
	f := l.f
	if l.attach.Mode != protocol.ModeScreen && l.attach.Mode != protocol.ModeFrames {
		return nil
	}
	s := protocol.Snapshot{Seq: f.written, Cols: f.cols, Rows: f.rows, Data: append([]byte(reset), data...)}
	if err := protocol.Write(l.viewer, s.Frame()); err != nil {
		return err
	}
	f.shown = true
	return nil
}

func (l *link) resize(m *wire.Message) error {
	f := l.f
	if !isSize(m.Cols, m.Rows) {
		return nil
	}
	f.cols, f.rows = m.Cols, m.Rows
	if l.attach.Mode == protocol.ModeFrames {
		return l.numbered(protocol.Numbered{Number: m.Seq, Outputs: f.outputs, At: l.at(m.TS),
			Kind: protocol.NumberedResize, Data: protocol.NumberedSize(m.Cols, m.Rows)})
	}
	return l.json(protocol.TypeResize, protocol.Size{Seq: f.written, Cols: m.Cols, Rows: m.Rows})
}

// role handles the role that the server has assigned to us. It follows the replay; the number of
// the next frame tells a viewer of frames where the replay ended. A server from before 2026-05-21
// without a keyframe replays nothing if no frame is named, so it is asked again for everything.
func (l *link) role(m *wire.Message) error {
	f := l.f
	if !f.shown && !l.asked && f.replayable && l.paints() && m.Seq > 0 {
		l.asked = true
		if err := l.setRole(m.Role, ""); err != nil {
			return err
		}
		r := l.joinRequest(m.Role == wire.Controller)
		r.ReplayFrom = new(uint64)
		return l.socket.send(l.ctx, r)
	}
	f.reach(m.Seq + 1)
	if l.attach.Mode == protocol.ModeFrames {
		if err := l.numbered(protocol.Numbered{Number: f.next.Load(), Outputs: f.outputs, At: f.last,
			Kind: protocol.NumberedNext}); err != nil {
			return err
		}
	}
	return l.setRole(m.Role, "")
}

// setRole reports to the viewer whether it may type, if that has changed.
func (l *link) setRole(role, reason string) error {
	l.mu.Lock()
	typist := role == wire.Controller
	changed := typist != l.typist
	l.typist = typist
	l.mu.Unlock()
	if !changed {
		return nil
	}
	return l.json(protocol.TypeControl, l.control(reason))
}

// members requests control once it is free, if the viewer wants it.
func (l *link) members(m *wire.Message) error {
	free := l.held && len(m.Controllers) == 0
	l.held = len(m.Controllers) > 0
	l.mu.Lock()
	wants := l.wants && !l.typist
	l.mu.Unlock()
	if !free || !wants {
		return nil
	}
	l.f.reach(m.Seq + 1)
	return l.socket.send(l.ctx, l.joinRequest(true))
}

// lost reports to the viewer that the frames up to a number are lost.
func (l *link) lost(to int64, text string) error {
	f := l.f
	from := max(f.next.Load(), 0)
	if text == "" {
		text = fmt.Sprintf("frames %d to %d are lost", from, to-1)
	}
	if err := l.notice(text); err != nil {
		return err
	}
	if l.attach.Mode != protocol.ModeFrames {
		return nil
	}
	return l.numbered(protocol.Numbered{Number: from, Outputs: f.outputs, At: f.last, Kind: protocol.NumberedLost,
		Data: protocol.NumberedEnd(to)})
}

// exit reports the end of the session. status is nil if it is unknown.
func (l *link) exit(status *int, number int64) error {
	f, code := l.f, -1
	if status != nil {
		code = *status
	}
	if l.attach.Mode == protocol.ModeFrames {
		if err := l.numbered(protocol.Numbered{Number: number, Outputs: f.outputs, At: f.last, Kind: protocol.NumberedExit,
			Data: protocol.NumberedStatus(code)}); err != nil {
			return err
		}
	}
	return l.json(protocol.TypeExit, protocol.Exit{Status: code, Seq: f.written})
}

// complaint handles an error message, which may be the response to a request.
func (l *link) complaint(text string) error {
	text = clean(text)
	switch {
	case strings.HasPrefix(text, fellBehind):
		if l.live {
			return fmt.Errorf("the server: %s", text)
		}
		return nil
	case strings.HasPrefix(text, wire.NotController):
		return l.setRole(wire.Observer, text)
	case l.answer("", &protocol.Error{Code: protocol.CodeUnavailable, Message: text}):
		return nil
	}
	return l.notice("the server says: " + text)
}

// liveOnly continues with output messages, because the server refuses to let us join the session.
func (l *link) liveOnly(text string) error {
	f := l.f
	l.live, l.typist = true, l.attach.Control
	f.next.Store(-1)
	f.shown, l.command = false, f.command
	l.notes = append(l.notes, "live output only: the server refused to join the session: "+text)
	if l.attach.Control && f.name == wire.MainSession {
		return l.socket.send(l.ctx, wire.Request{Type: "start_shell", AgentID: &f.agent})
	}
	return l.socket.send(l.ctx, wire.Request{Type: "subscribe", AgentID: &f.agent})
}

// takeOutput passes on an output message, if the session could not be joined.
func (l *link) takeOutput(m *wire.Message) error {
	f := l.f
	if !l.live || m.AgentID != f.agent || m.CommandID != f.command || m.Stream == "log" {
		return nil
	}
	l.number++
	return l.write(l.number-1, m.TS, []byte(m.Data))
}
