package recorder

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/session"
)

// Limits of reading after the child has exited, while another process keeps the PTY open.
const (
	drainQuiet = 100 * time.Millisecond // without output
	drainLimit = 400 * time.Millisecond // in total
	drainBytes = 4 << 20                // more than a PTY holds
)

// Available output is read at once, up to readSize bytes, because each read costs a write to the
// terminal and an event. The kernel returns it in pieces; a piece of less than pieceSize bytes is
// the last one available.
const (
	readSize  = 64 << 10
	pieceSize = 1 << 10
)

// outputPump carries the child's output to the terminal and the tee. Only a terminal that does not
// read holds up the child, as it would without ptyrec.
type outputPump struct {
	child        *child
	term         *terminal
	tee          *tee
	buf          []byte
	terminalLost chan syscall.Signal // receives the signal for the child when the terminal is lost
	done         chan struct{}
}

func startOutput(c *child, t *terminal, tee *tee) *outputPump {
	p := &outputPump{child: c, term: t, tee: tee, buf: make([]byte, readSize),
		terminalLost: make(chan syscall.Signal, 1), done: make(chan struct{})}
	go p.run()
	return p
}

// drain reads the rest of the output after the child has exited.
func (p *outputPump) drain() {
	p.child.release()
	<-p.done
}

func (p *outputPump) run() {
	defer close(p.done)
	defer p.term.guard()
	var err error
	for err == nil {
		_, err = p.carry(-1)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // otherwise all ends of the PTY are closed, and everything was read
		p.runDrain()
	}
}

func (p *outputPump) runDrain() {
	var waited time.Duration
	for total := 0; total < drainBytes && waited < drainLimit; {
		begun := time.Now()
		n, err := p.carry(min(drainQuiet, drainLimit-waited))
		waited += time.Since(begun)
		total += n
		if err != nil {
			break
		}
	}
	// If the processor was busy, the time may be over before anything was read.
	for total := 0; total < drainBytes; {
		n, err := p.carry(0)
		if err != nil {
			return
		}
		total += n
	}
}

// carry reads output and passes it on. Limit and error are those of child.read.
func (p *outputPump) carry(limit time.Duration) (int, error) {
	n, err := p.child.read(p.buf, limit)
	if err != nil {
		return 0, err
	}
	data := p.buf[:n]
	p.tee.read.Add(int64(n))
	if err := p.term.write(data); err != nil {
		p.lost(err)
	}
	// A terminal may be slow. The indexer's clock continues meanwhile; an event with an earlier
	// time would come too late for it, and a replay would find other frames.
	p.tee.put(session.Event{At: p.tee.now(), Kind: session.Output, Data: data})
	p.child.carried.Store(true)
	// Without a yield, Go's monitor thread considers this goroutine too long-running, and wakes up
	// every 20 µs for a while.
	runtime.Gosched()
	return len(data), nil
}

// lost handles the loss of the terminal: the child gets the signal that the terminal would have
// caused.
func (p *outputPump) lost(err error) {
	sig := unix.SIGHUP
	if errors.Is(err, syscall.EPIPE) {
		sig = unix.SIGPIPE
	}
	if !signal.Ignored(sig) {
		p.terminalLost <- sig
	}
}
