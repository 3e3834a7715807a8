//go:build linux

package server_test

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

// puppetVariable names the socket of a test's strings, for this test binary as a program in a terminal.
const puppetVariable = "PTYREC_TEST_PUPPET"

// deed is what a puppet saw, or is to do.
type deed struct {
	Ev    string `json:"ev"` // saw: spawn, write, resize, kill; to do: output, exit
	Data  string `json:"data,omitempty"`
	Times int    `json:"times,omitempty"`
	Code  int    `json:"code,omitempty"`
	Cols  int    `json:"cols,omitempty"`
	Rows  int    `json:"rows,omitempty"`
	Term  string `json:"term,omitempty"`
}

// puppet is the program: it does as it is told, and tells what it sees.
func puppet(socket string) {
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
	todo := make(chan deed)
	go func() {
		in := json.NewDecoder(bufio.NewReader(conn))
		for {
			var d deed
			if in.Decode(&d) != nil {
				os.Exit(100) // the test is gone
			}
			todo <- d
		}
	}()
	size := func(ev string) deed {
		cols, rows, _ := term.GetSize(0)
		return deed{Ev: ev, Cols: cols, Rows: rows, Term: os.Getenv("TERM")}
	}
	_ = tell.Encode(size("spawn"))
	for {
		select {
		case k := <-keys:
			_ = tell.Encode(deed{Ev: "write", Data: k})
		case s := <-signals:
			if s == syscall.SIGWINCH {
				_ = tell.Encode(size("resize"))
				continue
			}
			_ = tell.Encode(deed{Ev: "kill"})
			signal.Reset(syscall.SIGHUP)
			_ = syscall.Kill(os.Getpid(), syscall.SIGHUP)
		case d := <-todo:
			if d.Ev == "exit" {
				os.Exit(d.Code)
			}
			_, _ = os.Stdout.WriteString(strings.Repeat(d.Data, max(1, d.Times)))
		}
	}
}

// puppets are the test's side of puppets.
type puppets struct {
	t      testing.TB
	socket string
	conns  chan net.Conn
	conn   net.Conn // of the puppet that came last
	in     *json.Decoder
	since  time.Time // when the last client left
}

func newPuppets(t testing.TB, dir string) *puppets {
	p := &puppets{t: t, socket: filepath.Join(dir, "puppets"), conns: make(chan net.Conn, 10)}
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
			p.conns <- conn
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

// command is what runs a puppet.
func (p *puppets) command() []string {
	return []string{"/usr/bin/env", puppetVariable + "=" + p.socket, os.Args[0]}
}

// saw gives what the puppet saw next; it waits for one to come first.
func (p *puppets) saw() deed {
	p.t.Helper()
	if p.conn == nil {
		select {
		case p.conn = <-p.conns:
			p.in = json.NewDecoder(p.conn)
		case <-time.After(patience):
			p.t.Fatal("no puppet comes")
		}
	}
	if err := p.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		p.t.Fatal(err)
	}
	var d deed
	if err := p.in.Decode(&d); err != nil {
		p.t.Fatalf("the puppet sees nothing more: %v", err)
	}
	return d
}

// meet waits for a puppet.
func (p *puppets) meet() {
	p.t.Helper()
	if p.conn == nil {
		p.await(deed{Ev: "spawn"})
	}
}

// do has the puppet do something.
func (p *puppets) do(d deed) {
	p.t.Helper()
	p.meet()
	if err := json.NewEncoder(p.conn).Encode(d); err != nil {
		p.t.Fatal(err)
	}
}

// await waits until the puppet has seen this; sizes and texts count where they are told.
func (p *puppets) await(want deed) {
	p.t.Helper()
	text := ""
	for {
		got := p.saw()
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
