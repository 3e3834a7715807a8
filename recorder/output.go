package recorder

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long the output may go on when the child is gone but something else keeps the PTY open.
const (
	drainQuiet = 100 * time.Millisecond // ends when nothing came for so long,
	drainLimit = 400 * time.Millisecond // at most after so much waiting,
	drainBytes = 4 << 20                // or after so many bytes: more than a PTY holds
)

// readSize is how much is read from the PTY at once, in bytes.
const readSize = 64 << 10

// outputPump carries the child's output to the terminal and the tee. A terminal that does not read holds up the child, as it does
// without us; nothing else does.
type outputPump struct {
	child        *child
	term         *terminal
	tee          *tee
	terminalLost chan syscall.Signal // gets what the child is to be sent when the terminal is gone
	done         chan struct{}
}

func startOutput(c *child, t *terminal, tee *tee) *outputPump {
	p := &outputPump{child: c, term: t, tee: tee, terminalLost: make(chan syscall.Signal, 1), done: make(chan struct{})}
	go p.run()
	return p
}

// drain is called when the child is gone. It returns when all that the child wrote has been carried.
func (p *outputPump) drain() {
	p.child.release()
	_ = p.child.ptmx.SetReadDeadline(time.Now()) // wakes the reader; it is ours until close
	<-p.done
}

func (p *outputPump) run() {
	defer close(p.done)
	defer p.term.guard()
	buf := make([]byte, readSize)
	for {
		n, err := p.child.ptmx.Read(buf)
		if n > 0 {
			p.carry(buf[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil { // EIO: every end of the PTY is closed, and all was read
			return
		}
	}
	p.runDrain(buf)
}

func (p *outputPump) runDrain(buf []byte) {
	var waited time.Duration
	for total := 0; total < drainBytes && waited < drainLimit; {
		begun := time.Now()
		_ = p.child.ptmx.SetReadDeadline(begun.Add(min(drainQuiet, drainLimit-waited)))
		n, err := p.child.ptmx.Read(buf)
		waited += time.Since(begun)
		if n > 0 {
			p.carry(buf[:n])
			total += n
		}
		if err != nil {
			return
		}
	}
}

func (p *outputPump) carry(data []byte) {
	at := p.tee.now()
	if err := p.term.write(data); err != nil {
		p.lost(err)
	}
	p.tee.output(at, data)
}

// lost tells that the terminal is gone: the child gets what it would have got from it.
func (p *outputPump) lost(err error) {
	sig := unix.SIGHUP
	if errors.Is(err, syscall.EPIPE) {
		sig = unix.SIGPIPE
	}
	if !signal.Ignored(sig) {
		p.terminalLost <- sig
	}
}
