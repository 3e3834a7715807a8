package process

import (
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// spares keeps one idle host that waits for an order, because starting a process takes long.
type spares struct {
	program string

	mu     sync.Mutex // guards the fields below
	ready  *wire
	busy   bool // a host is being started
	closed bool

	filling sync.WaitGroup // none starts after closed is set
}

// launch starts a host. It exits if the connection is closed before it has received an order.
func (s *spares) launch() (*wire, error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	for _, fd := range ends {
		syscall.CloseOnExec(fd)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "host"), os.NewFile(uintptr(ends[1]), "host")
	defer theirs.Close()
	defer ours.Close()
	cmd := exec.Cmd{
		Path: s.program, Args: []string{hostName}, ExtraFiles: []*os.File{theirs},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	// The process ends with the host, which may outlive this program. The command's status comes
	// over the connection.
	go func() { _ = cmd.Wait() }()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	return newWire(conn), nil
}

// fill starts an idle host in the background if there is none.
func (s *spares) fill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != nil || s.busy || s.closed {
		return
	}
	s.busy = true
	s.filling.Go(func() {
		w, err := s.launch()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy = false
		if err != nil {
			return // start tries again, and returns the error
		}
		if s.closed {
			_ = w.conn.Close()
			return
		}
		s.ready = w
	})
}

// start sends an order to a host and returns its reply. If the command runs, w will receive a
// second reply when it has ended, and the caller must close w. The error is about the host.
func (s *spares) start(o *order) (w *wire, r reply, err error) {
	s.mu.Lock()
	w = s.ready
	s.ready = nil
	s.mu.Unlock()
	defer s.fill()
	if w != nil {
		if r, err = give(w, o); err == nil {
			return w, r, nil
		}
		// The idle host was killed. If it had already started the command, the next one reports
		// that.
	}
	if w, err = s.launch(); err != nil {
		return nil, r, err
	}
	r, err = give(w, o)
	return w, r, err
}

// give sends an order. It closes the connection unless the command runs.
func give(w *wire, o *order) (r reply, err error) {
	if err = w.send(request{Op: opStart, Order: o}); err == nil {
		_, err = w.receive(&r)
	}
	if err != nil || r.Error != "" {
		_ = w.conn.Close()
	}
	return r, err
}

// close ends the idle host.
func (s *spares) close() {
	s.mu.Lock()
	s.closed = true
	if s.ready != nil {
		_ = s.ready.conn.Close()
		s.ready = nil
	}
	s.mu.Unlock()
	s.filling.Wait()
}
