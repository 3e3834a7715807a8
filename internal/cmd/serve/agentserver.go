package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/internal/sys"
)

// agentServer is an agentapi server to start, with its options. Command, Database, Sessions and Log
// are required.
type agentServer struct {
	Command    []string
	Agent      string // a type or name of agentapi.TypeOf
	Cols, Rows int    // of the window, in cells
	Prompt     string // the first prompt; empty: read Stdin, unless it is a terminal
	Stdin      *os.File
	Database   string   // path of the database
	Environ    []string // environment of the command
	Sessions   *client.Client
	Redact     *redact.Redactor // masks secrets on the screen

	Address   string // host:port to listen on
	Access    agentapi.Access
	ChatBase  string // base path of the chat page, as clients see it through a proxy
	Markdown  bool   // messages contain Markdown
	Tools     bool   // messages contain a line for each tool call
	StateFile string
	LoadState bool // load StateFile at the start
	SaveState bool // save StateFile at the end and at SIGUSR1
	PIDFile   string

	Listening func(a net.Addr) // called when the server accepts requests
	Stderr    io.Writer        // receives the last screen of an agent that fails
	Log       *slog.Logger
}

// serveAgent serves a new session until it ends, ctx is cancelled, or SIGINT, SIGTERM or SIGHUP
// arrives. It returns an error if the command fails.
func serveAgent(ctx context.Context, o agentServer) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Address)
	if err != nil {
		return failure.New(err, "another server may be running; choose another port with --port")
	}
	defer func() { _ = l.Close() }()
	removePID, err := writePID(o.PIDFile)
	if err != nil {
		return err
	}
	defer removePID()
	files, err := agentapi.NewFolder()
	if err != nil {
		return err
	}
	defer func() { _ = files.Remove() }()
	if o.Prompt == "" {
		o.Prompt = promptFrom(o.Stdin)
	}
	s, id, end, err := o.start(ctx)
	if err != nil {
		return err
	}
	defer end()
	defer o.saveOnSignal(s)()
	api := &agentapi.API{
		Session: s, Chat: o.ChatBase, Uploads: files, Version: buildinfo.Version(), Log: o.Log,
		Sender: func(r *http.Request) agentapi.Sender { return senderFor(o.Sessions, id, r) },
	}
	o.Listening(l.Addr())
	err = api.Serve(ctx, l, o.Access)
	o.save(s)
	if ctx.Err() == nil && err == nil {
		return o.ended(s)
	}
	return err
}

// stdinTime is how long to wait for the end of a first prompt on stdin.
const stdinTime = 2 * time.Second

// promptFrom reads the first prompt from stdin, unless it is a terminal. If stdin does not end in
// time, there is no prompt.
func promptFrom(stdin *os.File) string {
	if term.IsTerminal(int(stdin.Fd())) {
		return ""
	}
	read := make(chan string, 1)
	go func() { // a read from a pipe cannot be interrupted; it ends at the latest with the process
		text, _ := io.ReadAll(stdin) // an error leaves what was read
		read <- string(text)
	}()
	select {
	case text := <-read:
		return text
	case <-time.After(stdinTime):
		return ""
	}
}

// writePID writes the server's process id to a file, if path is not empty. remove must be called at
// the end.
func writePID(path string) (remove func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	if err := sys.PrivateFolder(filepath.Dir(path)); err != nil {
		return nil, failure.New(err, "see --pid-file")
	}
	f, err := sys.OpenPrivate(path)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	}
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, failure.New(err, "see --pid-file")
	}
	return func() { _ = os.Remove(path) }, nil // it may have been removed
}

// save writes the state file.
func (o *agentServer) save(s *agentapi.Session) {
	if !o.SaveState {
		return
	}
	state, ok := s.State()
	if !ok {
		return // the state of the previous run is not loaded, so the file has more
	}
	if err := agentapi.WriteState(o.StateFile, state); err != nil {
		o.Log.Error("the state is not saved", "error", err)
		s.Warn("the state is not saved: " + err.Error())
	}
}

// saveOnSignal saves the state at each SIGUSR1 until stop is called.
func (o *agentServer) saveOnSignal(s *agentapi.Session) (stop func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		defer close(done)
		for range signals {
			o.save(s)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}

// ended returns the error of a session that ended by itself, or nil.
func (o *agentServer) ended(s *agentapi.Session) error {
	status := s.ExitStatus()
	if status == 0 {
		return nil
	}
	fmt.Fprintf(o.Stderr, "========\n%s\n========\n", strings.TrimSpace(s.Screen()))
	if status < 0 {
		return failure.New(errors.New("lost the connection to the session"), "`ptyrec list` shows its status")
	}
	return failure.New(fmt.Errorf("the agent ended with status %d", status),
		"its last screen is above; `ptyrec show last` shows the conversation")
}
