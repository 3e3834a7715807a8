//go:build linux

package puppet

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/term"
)

// Variable is the environment variable with the path of the socket over which a test controls a
// puppet. If it is set, this test binary is a puppet.
const Variable = "PTYREC_TEST_PUPPET"

// Step is an observation of a puppet, or an action that the test orders.
type Step struct {
	Ev    string `json:"ev"` // observed: spawn, write, resize, kill; ordered: output, exit
	Data  string `json:"data,omitempty"`
	Bytes []byte `json:"bytes,omitempty"` // of output that is not text
	Times int    `json:"times,omitempty"`
	Code  int    `json:"code,omitempty"`
	Cols  int    `json:"cols,omitempty"`
	Rows  int    `json:"rows,omitempty"`
	Term  string `json:"term,omitempty"`
}

// Main runs the puppet and exits if this process is one. TestMain must call it.
func Main() {
	if socket := os.Getenv(Variable); socket != "" {
		run(socket)
	}
}

// run executes the actions from the socket, and reports observations.
func run(socket string) {
	if _, err := term.MakeRaw(0); err != nil {
		panic(err)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		panic(err)
	}
	tell := json.NewEncoder(conn)
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGHUP)
	keys := make(chan string)
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return
			}
			keys <- string(buf[:n])
		}
	}()
	todo := make(chan Step)
	go func() {
		in := json.NewDecoder(bufio.NewReader(conn))
		for {
			var d Step
			if in.Decode(&d) != nil {
				os.Exit(100) // the test has ended
			}
			todo <- d
		}
	}()
	size := func(ev string) Step {
		cols, rows, _ := term.GetSize(0)
		return Step{Ev: ev, Cols: cols, Rows: rows, Term: os.Getenv("TERM")}
	}
	_ = tell.Encode(size("spawn"))
	for {
		select {
		case k := <-keys:
			_ = tell.Encode(Step{Ev: "write", Data: k})
		case s := <-signals:
			if s == syscall.SIGWINCH {
				_ = tell.Encode(size("resize"))
				continue
			}
			_ = tell.Encode(Step{Ev: "kill"})
			signal.Reset(syscall.SIGHUP)
			_ = syscall.Kill(os.Getpid(), syscall.SIGHUP)
		case d := <-todo:
			if d.Ev == "exit" {
				os.Exit(d.Code)
			}
			_, _ = os.Stdout.WriteString(strings.Repeat(d.Data+string(d.Bytes), max(1, d.Times)))
		}
	}
}

// patience is how long a test waits for an expected step.
const patience = time.Minute

// Puppets is the test's side: it starts puppets, controls them, and reads their observations.
type Puppets struct {
	t      testing.TB
	socket string
	Conns  chan net.Conn
	conn   net.Conn // of the newest puppet
	in     *json.Decoder
	Since  time.Time // time when the last client left
}

// New returns the test's side. Its socket is in dir, whose path must be short.
func New(t testing.TB, dir string) *Puppets {
	p := &Puppets{t: t, socket: filepath.Join(dir, "puppets"), Conns: make(chan net.Conn, 10)}
	l, err := net.Listen("unix", p.socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.Conns <- conn
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		if p.conn != nil {
			_ = p.conn.Close()
		}
	})
	return p
}

// Command returns the command line of a puppet.
func (p *Puppets) Command() []string {
	return []string{"/usr/bin/env", Variable + "=" + p.socket, os.Args[0]}
}

// Saw returns the puppet's next observation, and waits for it if needed.
func (p *Puppets) Saw() Step {
	p.t.Helper()
	if p.conn == nil {
		select {
		case p.conn = <-p.Conns:
			p.in = json.NewDecoder(p.conn)
		case <-time.After(patience):
			p.t.Fatal("no puppet comes")
		}
	}
	if err := p.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		p.t.Fatal(err)
	}
	var d Step
	if err := p.in.Decode(&d); err != nil {
		p.t.Fatalf("the puppet sees nothing more: %v", err)
	}
	return d
}

// Meet waits for a puppet to connect.
func (p *Puppets) Meet() {
	p.t.Helper()
	if p.conn == nil {
		p.Await(Step{Ev: "spawn"})
	}
}

// Do orders an action.
func (p *Puppets) Do(d Step) {
	p.t.Helper()
	p.Meet()
	if err := json.NewEncoder(p.conn).Encode(d); err != nil {
		p.t.Fatal(err)
	}
}

// Await waits for an observation like want; empty fields match any value.
func (p *Puppets) Await(want Step) {
	p.t.Helper()
	text := ""
	for {
		got := p.Saw()
		if got.Ev != want.Ev {
			if got.Ev == "spawn" {
				if want.Ev == "resize" && got.Cols == want.Cols && got.Rows == want.Rows {
					return // it arrived before the puppet
				}
				continue
			}
			p.t.Fatalf("the puppet saw %+v, want %+v", got, want)
		}
		text += got.Data
		if want.Ev == "write" && text != want.Data && strings.HasPrefix(want.Data, text) {
			continue
		}
		if want.Ev == "write" && text != want.Data || want.Cols != 0 && (got.Cols != want.Cols || got.Rows != want.Rows) ||
			want.Term != "" && got.Term != want.Term {
			p.t.Fatalf("the puppet saw %+v, want %+v", got, want)
		}
		return
	}
}
