package recorder

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// inputPump carries keys from the terminal to the PTY. It polls the terminal, which other programs
// use, too: it must neither be closed nor made non-blocking.
type inputPump struct {
	term    *terminal
	child   *child
	tee     *tee
	record  bool
	enabled atomic.Bool
	wakeR   *os.File
	wakeW   *os.File
	fds     [2]unix.PollFd // wakeR and the terminal
	done    chan struct{}
	closing atomic.Bool
}

// startInput starts a pump that is not yet enabled. It returns nil if there are no file descriptors
// left.
func startInput(t *terminal, c *child, tee *tee, record bool) *inputPump {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	p := &inputPump{term: t, child: c, tee: tee, record: record, wakeR: r, wakeW: w, done: make(chan struct{})}
	p.fds = [2]unix.PollFd{{Fd: int32(r.Fd()), Events: unix.POLLIN}, {Fd: int32(t.in.Fd()), Events: unix.POLLIN}}
	go p.run()
	return p
}

// enable starts or pauses reading. In the background, the terminal belongs to another program.
func (p *inputPump) enable(on bool) {
	if p.enabled.Swap(on) != on {
		p.wake()
	}
}

// stop stops the pump and waits for it. It must be called after the child has exited, which
// interrupts writes to it.
func (p *inputPump) stop() {
	p.closing.Store(true)
	p.wake()
	<-p.done
	_ = p.wakeR.Close()
	_ = p.wakeW.Close()
}

func (p *inputPump) wake() { _, _ = p.wakeW.Write([]byte{0}) } // our own pipe, which run reads

func (p *inputPump) run() {
	defer close(p.done)
	defer p.term.guard()
	buf := make([]byte, 4096)
	ended := false         // the terminal is gone
	var hold time.Duration // how long the host waits for more keys
	for !p.closing.Load() {
		ready, err := p.poll(!ended && p.enabled.Load(), hold)
		if err != nil {
			return
		}
		if !ready && hold > 0 {
			hold = p.pass(nil)
		}
		if !ready || !p.enabled.Load() {
			continue
		}
		n, err := unix.Read(int(p.fds[1].Fd), buf)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil || n == 0 {
			ended = true
			continue
		}
		hold = p.pass(buf[:n])
	}
}

// poll waits for wake and, if keys is set, for keys. It waits at most for limit, if that is not 0.
// ready reports whether there are keys.
func (p *inputPump) poll(keys bool, limit time.Duration) (ready bool, err error) {
	timeout := -1
	if limit > 0 {
		timeout = int(limit.Milliseconds()) + 1
	}
	watched := 1
	if keys {
		watched = 2
	}
	_, err = unix.Poll(p.fds[:watched], timeout)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if p.fds[0].Revents != 0 {
		var drop [16]byte
		_, _ = unix.Read(int(p.fds[0].Fd), drop[:]) // the bytes have no meaning
	}
	return keys && p.fds[1].Revents != 0, nil
}

// pass passes keys to the child. hold is how long to wait for more keys, or 0 if none are held
// back.
func (p *inputPump) pass(keys []byte) (hold time.Duration) {
	if p.tee.host != nil {
		keys, hold = p.tee.host.Typed(keys)
	}
	if len(keys) == 0 {
		return hold
	}
	typed := func() {}
	if p.record {
		typed = p.tee.typing(p.child, keys, p.tee.input)
	}
	_ = p.child.typeKeys(context.Background(), keys) // a child that is gone ends the recording anyway
	typed()
	return hold
}
