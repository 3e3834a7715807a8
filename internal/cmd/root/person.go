package root

import (
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

// asks contains the commands that change or delete recordings, and when they do. Inside a recorded
// session, the person at its terminal has to agree, so that an agent cannot destroy the record of
// what it did. forget is not among them, because the session itself asks.
var asks = map[string]func(cmd *cobra.Command, args []string) bool{
	"ptyrec rm":     always,
	"ptyrec prune":  always,
	"ptyrec rename": always,
	"ptyrec redact": always,
	"ptyrec tag":    func(cmd *cobra.Command, args []string) bool { return len(args) > 1 || cmd.Flags().Changed("rm") },
	"ptyrec note":   func(cmd *cobra.Command, args []string) bool { return len(args) > 1 || cmd.Flags().Changed("rm") },
	"ptyrec doctor": flagged("repair"),
	"ptyrec sync":   flagged("never", "withdraw"),

	"ptyrec team user add": always, "ptyrec team user email": always, "ptyrec team user rm": always,
	"ptyrec team token add": always, "ptyrec team token rm": always,
	"ptyrec team space add": always, "ptyrec team space member": always,
	"ptyrec team retention set": always, "ptyrec team retention release": always,
	"ptyrec team policy add": always, "ptyrec team policy rm": always,
}

// Asking returns the names of these commands.
func Asking() []string { return slices.Sorted(maps.Keys(asks)) }

func always(*cobra.Command, []string) bool { return true }

func flagged(names ...string) func(*cobra.Command, []string) bool {
	return func(cmd *cobra.Command, _ []string) bool {
		for _, name := range names {
			if on, err := cmd.Flags().GetBool(name); on || err != nil {
				return true
			}
		}
		return false
	}
}

// person asks the person at the terminal of the session in which this process runs.
type person struct {
	IO   *cli.IO
	Live join.Live
}

// askFirst makes the commands in asks below cmd ask the person first.
func (p person) askFirst(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		p.askFirst(c)
	}
	changes, run := asks[cmd.CommandPath()], cmd.RunE
	if changes == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if changes(cmd, args) {
			if err := p.agrees(cmd.Context(), "run "+strings.Join(append([]string{cmd.CommandPath()}, args...),
				" ")); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
}

// agrees returns nil if this process was started outside of all recorded sessions, or if the person
// at the terminal of the outermost session agrees. The errors have hints.
func (p person) agrees(ctx context.Context, what string) error {
	if peer.Here() == peer.Outside {
		return nil
	}
	const hint = "run this in a terminal outside of recorded sessions; a tmux server counts as inside if its first " +
		"window was opened inside"
	around, known := peer.Around()
	if !known || len(around) == 0 {
		return failure.New(errors.New("this was started in a recorded session that has ended, so nobody can be asked"), hint)
	}
	if err := p.agreedIn(ctx, around[len(around)-1], what); err != nil {
		return failure.New(err, hint)
	}
	return nil
}

// agreedIn asks at the terminal of a session. Only the session's recorder may answer: the path of
// the socket comes from the environment, which the caller of this process controls.
func (p person) agreedIn(ctx context.Context, s peer.Session, what string) error {
	c, err := p.Live.Dial(ctx)
	if err != nil {
		return err
	}
	conn, err := c.Connect(ctx, s.ID)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // no more is sent
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if !isRecorder(conn, s.Recorder) {
		return errors.New("cannot ask for confirmation: another program has the session's socket")
	}
	signal.Ignore(syscall.SIGQUIT) // Ctrl+\ must not end it
	defer signal.Reset(syscall.SIGQUIT)
	return p.askOn(conn, what)
}

// isRecorder reports whether the process at the other end of a connection has this pid. It is
// always true if pid is 0.
func isRecorder(conn io.ReadWriteCloser, pid int) bool {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	got, alive, release, err := peer.Unix(c)
	if err != nil {
		return false
	}
	defer release()
	return (pid == 0 || got == pid) && alive()
}

// askOn asks over a connection to a session, and returns nil if the person agrees.
func (p person) askOn(conn io.ReadWriter, what string) error {
	attach, err := protocol.JSON(protocol.TypeAttach,
		protocol.Attach{Version: protocol.Version, Name: "ptyrec", Kind: protocol.Agent, Mode: protocol.ModeNone})
	if err != nil {
		return err
	}
	request, err := protocol.JSON(protocol.TypeRequest, protocol.ControlRequest{ID: 1, Action: protocol.Agree, What: what})
	if err != nil {
		return err
	}
	for _, f := range []protocol.Frame{attach, request} {
		if err := protocol.Write(conn, f); err != nil {
			return err
		}
	}
	for r := protocol.NewReader(bufio.NewReader(conn)); ; {
		f, err := r.Next()
		if err != nil {
			return err
		}
		switch f.Type {
		case protocol.TypeNotice:
			var n protocol.Notice
			if err := f.Decode(&n); err == nil && live.IsAsk(n.Text) {
				p.IO.Notice("%s", n.Text)
			}
		case protocol.TypeRefused:
			refused := &protocol.Error{}
			return errors.Join(f.Decode(refused), refused)
		case protocol.TypeAck:
			var ack protocol.Ack
			if err := f.Decode(&ack); err != nil || ack.Error == nil {
				return err
			}
			return ack.Error
		}
	}
}
