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

// Variable names the socket of a test's strings, for this test binary as a program in a terminal.
const Variable = "PTYREC_TEST_PUPPET"

// Deed is what a puppet saw, or is to do.
type Deed struct {
	Ev    string `json:"ev"` // saw: spawn, write, resize, kill; to do: output, exit
	Data  string `json:"data,omitempty"`
	Bytes []byte `json:"bytes,omitempty"` // of output: what is no text
	Times int    `json:"times,omitempty"`
	Code  int    `json:"code,omitempty"`
	Cols  int    `json:"cols,omitempty"`
	Rows  int    `json:"rows,omitempty"`
	Term  string `json:"term,omitempty"`
}

// Main is the program if this process is a puppet, and does not return then. TestMain calls it.
func Main() {
	if socket := os.Getenv(Variable); socket != "" {
		run(socket)
	}
}

// run does as it is told, and tells what it sees.
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
	todo := make(chan Deed)
	go func() {
		in := json.NewDecoder(bufio.NewReader(conn))
		for {
			var d Deed
			if in.Decode(&d) != nil {
				os.Exit(100) // the test is gone
			}
			todo <- d
		}
	}()
	size := func(ev string) Deed {
		cols, rows, _ := term.GetSize(0)
		return Deed{Ev: ev, Cols: cols, Rows: rows, Term: os.Getenv("TERM")}
	}
	_ = tell.Encode(size("spawn"))
	for {
		select {
		case k := <-keys:
			_ = tell.Encode(Deed{Ev: "write", Data: k})
		case s := <-signals:
			if s == syscall.SIGWINCH {
				_ = tell.Encode(size("resize"))
				continue
			}
			_ = tell.Encode(Deed{Ev: "kill"})
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

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// Puppets are the test's side of Puppets.
type Puppets struct {
	t      testing.TB
	socket string
	Conns  chan net.Conn
	conn   net.Conn // of the puppet that came last
	in     *json.Decoder
	Since  time.Time // when the last client left
}

// New makes the test's side. Its socket is in dir, whose path is short.
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

// Command is what runs a puppet.
func (p *Puppets) Command() []string {
	return []string{"/usr/bin/env", Variable + "=" + p.socket, os.Args[0]}
}

// Saw returns what the puppet saw next, and waits for it if need be.
func (p *Puppets) Saw() Deed {
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
	var d Deed
	if err := p.in.Decode(&d); err != nil {
		p.t.Fatalf("the puppet sees nothing more: %v", err)
	}
	return d
}

// Meet waits for a puppet.
func (p *Puppets) Meet() {
	p.t.Helper()
	if p.conn == nil {
		p.Await(Deed{Ev: "spawn"})
	}
}

// Do has the puppet do something.
func (p *Puppets) Do(d Deed) {
	p.t.Helper()
	p.Meet()
	if err := json.NewEncoder(p.conn).Encode(d); err != nil {
		p.t.Fatal(err)
	}
}

// Await waits until the puppet has seen this; sizes and texts count where they are told.
func (p *Puppets) Await(want Deed) {
	p.t.Helper()
	text := ""
	for {
		got := p.Saw()
		if got.Ev != want.Ev {
			if got.Ev == "spawn" {
				if want.Ev == "resize" && got.Cols == want.Cols && got.Rows == want.Rows {
					return // it came before the puppet
				}
				continue
			}
			p.t.Fatalf("the puppet saw %+v, want %+v", got, want)
		}
		text += got.Data
		if want.Ev == "write" && text != want.Data && strings.HasPrefix(want.Data, text) {
			continue
		}
		if want.Ev == "write" && text != want.Data || want.Cols != 0 && (got.Cols != want.Cols || got.Rows != want.Rows) || want.Term != "" && got.Term != want.Term {
			p.t.Fatalf("the puppet saw %+v, want %+v", got, want)
		}
		return
	}
}
