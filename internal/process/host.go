package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// host runs one command, records it, and answers the Manager.
type host struct {
	order   order
	manager *peer.Process // the process that ordered the command
	log     *journal.Writer
	child   *child
	ring    ring

	mu       sync.Mutex // guards the fields below
	status   status
	attached int
	idle     *time.Timer
	ending   State         // why the command is being ended; empty if it is not
	ended    chan struct{} // closed when the command has ended
	conns    sync.WaitGroup
}

// maxWaiting is how much output may wait to be written to disk before the command is blocked, in
// bytes.
const maxWaiting = 2 << 20

// diskWait is how long the command is blocked at a time because of a slow disk.
const diskWait = time.Second

// hostName is the value of os.Args[0] with which an executable is started as a host.
const hostName = "ptyrec-command-host"

// If a program that imports this package is started as a host, its main is not called. So a host
// runs nothing else, such as the tests of a test binary.
func init() { BeHost() }

// BeHost runs the host and exits if this process was started as a host. Otherwise it returns.
func BeHost() {
	if os.Args[0] != hostName {
		return
	}
	if hostMain(os.NewFile(orderFile, "order")) != nil { // the Manager has received the error
		os.Exit(1)
	}
	os.Exit(0)
}

// orderFile is the file descriptor from which a host reads its order.
const orderFile = 3

// hostMain reads an order from f, one end of a socket pair, runs the command, and returns when it
// has ended and is recorded. It returns without running anything if the other end is closed.
func hostMain(f *os.File) error {
	heedSignals()
	conn, err := net.FileConn(f)
	_ = f.Close()
	if err != nil {
		return err
	}
	defer conn.Close()
	w := newWire(conn)
	var q request
	if _, err := w.receive(&q); err != nil || q.Order == nil {
		return err
	}
	h := &host{order: *q.Order, manager: managerOf(conn), ended: make(chan struct{})}
	l, err := h.begin()
	if err != nil {
		r := reply{Error: err.Error(), Exists: errors.Is(err, os.ErrExist)}
		return errors.Join(err, w.send(r))
	}
	var serving sync.WaitGroup
	serving.Go(func() { h.serve(l) })
	h.conns.Go(func() {
		h.answer(w, request{Op: opState})
		h.answer(w, request{Op: opWait})
	})
	h.run()
	h.mu.Lock()
	lost := h.status.Notice != ""
	h.mu.Unlock()
	if lost { // a reader of the recorded part still needs what only the ring has
		time.Sleep(lostTime)
	}
	_ = l.Close()
	serving.Wait()
	h.leave()
	return nil
}

// heedSignals handles the signals that serve was started to ignore, as nohup(1) and a shell's & do.
// So commands begin with the default action: exec resets handled signals, but not ignored ones. The
// host itself continues to ignore them.
func heedSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// begin starts the recording and then the command.
func (h *host) begin() (net.Listener, error) {
	proc.Adopt()
	proc.Mark()
	o := &h.order
	if o.Dir != "" {
		if err := os.Chdir(o.Dir); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrStart, err)
		}
	}
	o.Record.StartedAt = time.Now().UTC()
	var err error
	if h.log, err = sqlite.Record(o.DB, o.Record, nil); err != nil {
		return nil, err
	}
	if files, _ := journal.List(sqlite.JournalFolder(o.DB)); len(journal.Of(files, o.Record.ID)) > 1 {
		return nil, errors.Join(os.ErrExist, h.log.Discard())
	}
	l, err := listen(o.DB, o.Record.ID)
	if err == nil {
		h.child, err = startChild(o)
	}
	if err != nil {
		if l != nil {
			_ = l.Close()
		}
		return nil, errors.Join(err, h.log.Discard())
	}
	if o.Input {
		h.child.typed = func(data []byte) { h.log.Put(session.Event{At: h.now(), Kind: session.Input, Data: data}) }
	}
	h.status = status{PID: h.child.pid, State: Running, Started: o.Record.StartedAt, Record: o.Record}
	if t := o.Timeout; t > 0 {
		time.AfterFunc(t, func() { h.limit(TimedOut) })
	}
	h.mu.Lock()
	h.watchIdle()
	h.mu.Unlock()
	return l, nil
}

// run passes on the output until the command has ended and no process holds its pipes.
func (h *host) run() {
	h.child.carry(h.output, h.exited)
	h.child.awaitTyped()
	h.mu.Lock()
	code, why := h.status.Exit, h.status.State
	h.mu.Unlock()
	e := session.Event{At: h.now(), Kind: session.Exit, Status: code}
	if why != Exited {
		e.Data = []byte(why)
	}
	h.log.Put(e)
	lost, err := h.log.Close()
	h.notice(lost, err)
}

// leaveTime is how long readers have to read the rest of the output.
const leaveTime = 5 * time.Second

// lostTime is how long output that could not be recorded is kept for readers after the command's
// end. Clients try to reconnect for 16 s.
const lostTime = 30 * time.Second

// leave waits for the connections until they have read everything, or its time limit has passed.
func (h *host) leave() {
	done := make(chan struct{})
	go func() { h.conns.Wait(); close(done) }() // the host exits after leave
	select {
	case <-done:
	case <-time.After(leaveTime):
	}
}

func (h *host) now() time.Duration {
	return time.Since(h.order.Record.StartedAt).Truncate(time.Microsecond)
}

// output records what the command wrote and shows it to readers.
func (h *host) output(s Stream, data []byte) {
	at := h.now()
	offset := h.ring.put(s, session.Text(data), h.order.Record.StartedAt.Add(at))
	e := session.Event{At: at, Kind: session.Pipe, Stream: int(s), Text: offset, Data: data}
	if h.order.PTY {
		e = session.Event{At: at, Kind: session.Output, Data: data}
	}
	h.log.Put(e)
	if h.log.Waiting() > maxWaiting {
		ctx, stop := context.WithTimeout(context.Background(), diskWait)
		_ = h.log.Settle(ctx) // output for which the disk is too slow is lost, and the loss is reported
		stop()
		h.notice(h.log.Lost())
	}
}

// notice stores a problem of the recording, for clients.
func (h *host) notice(lost int64, err error) {
	if lost == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status.Notice = fmt.Sprintf("%d bytes of output are not recorded: %v", lost, err)
}

// exited records the command's end. Its background processes may still write.
func (h *host) exited(code int) {
	if s := h.order.State; s != nil {
		s.finish()
	}
	h.mu.Lock()
	h.status.State, h.status.Exit, h.status.Ended = Exited, code, time.Now().UTC()
	if h.ending != "" {
		h.status.State = h.ending
	}
	close(h.ended)
	h.mu.Unlock()
	h.notice(h.log.Lost())
	h.ring.finish()
}

func (h *host) running() bool {
	select {
	case <-h.ended:
		return false
	default:
		return true
	}
}

// end ends the command and its descendants: by sig, and by SIGKILL after grace. If grace is 0, a
// signal other than SIGKILL is sent without waiting. Otherwise it returns when all have ended.
func (h *host) end(why State, sig syscall.Signal, grace time.Duration) {
	if grace <= 0 && sig != syscall.SIGKILL && why == Killed {
		h.child.kill(sig)
		return
	}
	h.mu.Lock()
	if h.running() && h.ending == "" {
		h.ending = why
	}
	h.mu.Unlock()
	for begun, now := time.Now(), sig; h.running() || h.child.hasDescendants(); time.Sleep(killStep) {
		if time.Since(begun) >= grace {
			now = syscall.SIGKILL
		}
		if now != 0 {
			h.child.kill(now)
		}
		if now != syscall.SIGKILL {
			now = 0 // send it only once
		}
	}
}

// limit ends the command because it has reached one of its Spec's limits.
func (h *host) limit(why State) {
	sig := syscall.SIGTERM
	if h.order.Grace <= 0 {
		sig = syscall.SIGKILL
	}
	h.end(why, sig, h.order.Grace)
}

// killStep is the interval at which it checks whether killed processes have ended.
const killStep = 5 * time.Millisecond

// attach adds n to the number of attached clients.
func (h *host) attach(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attached += n
	h.watchIdle()
	if h.attached == 0 && n < 0 && h.order.KillOnDisconnect {
		h.conns.Go(func() { h.limit(Killed) }) // the connection of the detaching client still counts
	}
}

// watchIdle starts or stops the timer of Spec.IdleTimeout. h.mu must be held.
func (h *host) watchIdle() {
	if h.idle != nil {
		h.idle.Stop()
	}
	if t := h.order.IdleTimeout; t > 0 && h.attached == 0 {
		h.idle = time.AfterFunc(t, func() { h.limit(IdledOut) })
	}
}
