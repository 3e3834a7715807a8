package live

import (
	"encoding/binary"
	"errors"
	"net"
	"time"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// write is the writer. It ends when the session is over and everything is sent, or when the viewer
// has left.
func (v *viewer) write() {
	if v.sendEntries() != nil {
		return
	}
	for v.ctx.Err() == nil {
		if q := v.taken(); len(q) > 0 && v.put(q) != nil {
			return
		}
		more, wait, err := v.show()
		if err != nil || v.ctx.Err() != nil {
			return
		}
		if more {
			continue
		}
		v.sleep(wait)
	}
}

// sleep waits until the viewer is woken, for at most limit, if that is not 0.
func (v *viewer) sleep(limit time.Duration) {
	var later <-chan time.Time
	if limit == 0 && v.attach.Mode == protocol.ModeText { // to check the shell
		later = time.After(shellTime)
	}
	if limit > 0 {
		v.asleep.Store(time.Now().Add(limit).UnixNano())
		later = time.After(limit)
	}
	select {
	case <-v.wake:
	case <-later:
	case <-v.ctx.Done():
	}
	v.asleep.Store(0)
}

// errOver means that the session is over and everything was sent.
var errOver = errors.New("the session is over")

// show sends the next part of the output. If more is false, it need not be called again before the
// viewer is woken or, if it is not 0, wait is over.
func (v *viewer) show() (more bool, wait time.Duration, err error) {
	switch v.attach.Mode {
	case protocol.ModeScreen:
		return v.showScreen()
	case protocol.ModeText:
		return v.showText()
	case protocol.ModeBytes:
		return v.showBytes()
	case protocol.ModeFrames:
		more, err = v.showFrames()
	default:
		more, err = v.showNothing()
	}
	return more, 0, err
}

// showScreen sends the screen to a viewer that has none or has fallen behind, and otherwise output.
func (v *viewer) showScreen() (more bool, wait time.Duration, err error) {
	stale := v.stale.Load()
	if !v.painted && v.attach.From == nil {
		stale = true
	}
	if oldest, _ := v.host.stream.oldest(); v.at.seq < oldest ||
		v.host.stream.waiting(v.at.seq) > min(farBehind, v.host.share()) {
		stale = true
	}
	if stale {
		if wait := v.host.snapshotTime() - time.Since(v.snapshot); wait > 0 {
			return false, wait, nil
		}
		v.stale.Store(false)
		s := v.host.screen.snapshot(v.ctx)
		v.painted, v.snapshot = true, time.Now()
		v.at = v.host.stream.at(s.Seq)
		return true, 0, v.put(net.Buffers{protocol.Append(nil, s.Frame())})
	}
	v.painted = true
	p := v.host.stream.next(&v.at, farBehind)
	if p.behind {
		return true, 0, nil
	}
	more, err = v.give(p)
	return more, 0, err
}

// showBytes sends every byte: from the raw log what the stream no longer has.
func (v *viewer) showBytes() (more bool, wait time.Duration, err error) {
	limit := int64(batchBytes)
	if v.host.floods() {
		limit = min(limit, v.host.share())
	}
	before := v.at.seq
	p := v.host.stream.next(&v.at, int(limit))
	if p.behind {
		return true, 0, v.fromPast(p.start)
	}
	more, err = v.give(p)
	wait = v.pace(v.at.seq - before)
	return more && wait == 0, wait, err
}

// pace returns how long to wait after n bytes, so that a session that writes much has priority.
func (v *viewer) pace(n int64) time.Duration {
	if n == 0 || !v.host.floods() {
		return 0
	}
	return beatTime * time.Duration(n) / time.Duration(v.host.share())
}

// showNothing waits for the end of the session.
func (v *viewer) showNothing() (more bool, err error) {
	for {
		p := v.host.stream.next(&v.at, keepBytes)
		if p.behind {
			v.at.seq = p.start
			continue
		}
		if len(p.data) == 0 {
			return v.give(p)
		}
	}
}

// give sends a piece of the stream.
func (v *viewer) give(p piece) (more bool, err error) {
	switch {
	case p.size != nil:
		return true, v.send(protocol.TypeResize, p.size)
	case len(p.data) > 0:
		return true, v.output(p.seq, p.data)
	case p.exit != nil:
		return false, v.exit(p.exit)
	}
	return false, nil
}

// exit sends the end of the session, after the answer to a request that may have caused it. It
// returns errOver.
func (v *viewer) exit(e *protocol.Exit) error {
	v.handling.Lock()
	answers := v.taken()
	v.handling.Unlock()
	if len(answers) > 0 {
		if err := v.put(answers); err != nil {
			return err
		}
	}
	if err := v.send(protocol.TypeExit, e); err != nil {
		return err
	}
	return errOver
}

// output writes pieces of the output without copying them.
func (v *viewer) output(seq int64, data [][]byte) error {
	var b net.Buffers
	for _, d := range data {
		for len(d) > 0 {
			n := min(len(d), protocol.MaxOutput)
			header := make([]byte, 0, headerBytes)
			header = append(header, byte(protocol.TypeOutput))
			header = binary.BigEndian.AppendUint32(header, uint32(8+n))
			header = binary.BigEndian.AppendUint64(header, uint64(seq))
			b = append(b, header, d[:n])
			d, seq = d[n:], seq+int64(n)
		}
	}
	return v.put(b)
}

// fromPast sends output that the stream no longer has from the raw log, at least up to byte to.
func (v *viewer) fromPast(to int64) error {
	h := v.host
	h.settle(v.ctx)
	begun := v.at.seq
	err := h.past(v.ctx, v.at.seq, func(seq int64, e session.Event) error {
		if e.Kind == session.Resize {
			return v.send(protocol.TypeResize, protocol.Size{Seq: seq, Cols: e.Cols, Rows: e.Rows})
		}
		if err := v.gap(seq); err != nil {
			return err
		}
		if len(e.Data) > 0 {
			if err := v.output(seq, [][]byte{e.Data}); err != nil {
				return err
			}
			v.at.seq = seq + int64(len(e.Data))
			if wait := v.pace(int64(len(e.Data))); wait > 0 {
				v.sleep(wait)
			}
		}
		if v.at.seq >= to {
			if to, _ = h.stream.oldest(); v.at.seq >= to {
				return errEnough
			}
		}
		return v.ctx.Err()
	})
	v.at.sizes = 0
	if errors.Is(err, errEnough) || err == nil && v.at.seq > begun {
		return nil
	}
	if v.ctx.Err() != nil {
		return v.ctx.Err()
	}
	oldest, _ := h.stream.oldest()
	return v.gap(oldest) // the log does not have it
}

// gap sends a Gap up to byte to.
func (v *viewer) gap(to int64) error {
	if to <= v.at.seq {
		return nil
	}
	err := v.send(protocol.TypeGap, protocol.Gap{From: v.at.seq, To: to})
	v.at.seq = to
	return err
}
