package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/internal/detached"
	"github.com/ptyrec/ptyrec/prompt"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/server/agentapi"
	"github.com/ptyrec/ptyrec/vterm"
)

// endTime is how long the session may take to end with the server.
const endTime = 6 * time.Second

// agentapiServer serves a new session until it ends, or a signal comes.
func agentapiServer(ctx context.Context, a *app, f agentapiFlags, command []string) error {
	access, err := f.access()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.address())
	if err != nil {
		return fail(err, "another server may run; name another port with --port")
	}
	defer func() { _ = l.Close() }()
	removePID, err := f.writePID()
	if err != nil {
		return err
	}
	defer removePID()
	files, err := agentapi.NewFolder()
	if err != nil {
		return err
	}
	defer func() { _ = files.Remove() }()
	if f.prompt == "" {
		f.prompt = promptFrom(a.stdin)
	}
	log := f.log(a)
	s, end, err := f.session(ctx, a, command, log)
	if err != nil {
		return err
	}
	defer end()
	defer f.saveOnSignal(s, log)()
	api := &agentapi.API{Session: s, Chat: f.chatBase, Uploads: files, Version: buildinfo.Version(), Log: log}
	a.notice("agentapi's API is at http://%s/", l.Addr())
	err = agentapi.Serve(ctx, l, api.Guarded(access), s, log)
	f.save(s, log)
	if ctx.Err() == nil && err == nil {
		return f.ended(a, s)
	}
	return err
}

// session starts the command in a session that ends with this process, lets programs type, and
// shows it. end must be called.
func (f *agentapiFlags) session(ctx context.Context, a *app, command []string, log *slog.Logger) (s *agentapi.Session, end func(), err error) {
	path, err := a.dbPath()
	if err != nil {
		return nil, nil, err
	}
	starter, err := detached.NewStarter(path, a.environ)
	if err != nil {
		return nil, nil, err
	}
	closeOwner := func() { _ = starter.Close() }
	id, err := starter.StartOwned(ctx, command, "", f.width, f.height)
	if err != nil {
		closeOwner()
		return nil, nil, fail(fmt.Errorf("the command did not start: %w", err), "try it with `ptyrec run`")
	}
	sessions, err := a.liveSessions(ctx)
	var stream *client.Stream
	if err == nil {
		err = letType(ctx, sessions, id)
	}
	if err == nil {
		stream, err = sessions.Attach(ctx, id, client.AttachOptions{Name: agentapiName, Kind: protocol.Agent, Mode: protocol.ModeBytes, From: new(int64), Entries: new(int)})
	}
	if err != nil {
		closeOwner()
		return nil, nil, err
	}
	o := agentapi.Options{
		Type: f.agent, Sender: prompt.New(sessions, id, prompt.Options{Name: agentapiName}), Markdown: f.content == "markdown", Tools: f.tools, Banner: shownAtStart, Log: log,
		Start: agentapi.Start{Prompt: f.prompt},
	}
	if f.loadState {
		o.Start.Load = func() (agentapi.State, error) { return agentapi.ReadState(f.stateFile) }
	}
	s = agentapi.Follow(stream, o)
	return s, func() {
		closeOwner()
		select {
		case <-s.Ended():
		case <-time.After(endTime):
		}
		s.Close()
	}, nil
}

// letType lets programs type into a session, until `ptyrec revoke`. It returns nil if the session
// is over already.
func letType(ctx context.Context, sessions *client.Client, id string) error {
	s, err := sessions.Attach(ctx, id, client.AttachOptions{Name: agentapiName, Kind: protocol.Human, Mode: protocol.ModeNone})
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.Grant(ctx, 0)
	var refused *protocol.Error
	if errors.As(err, &refused) && refused.Code == protocol.CodeEnded || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// shownAtStart returns what an agent shows above its input box.
func shownAtStart(s *vterm.Snapshot, agent string) string {
	const frame = " │┃║╭╮╰╯─━┌┐└┘"
	var lines []string
	for _, row := range extractor.Look(s, agent).Talk {
		if row = strings.Trim(row, frame); row != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, row)
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// log returns the server's log.
func (f *agentapiFlags) log(a *app) *slog.Logger {
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
}

// promptFrom reads the first prompt from stdin, unless that is a terminal. A stdin that does not
// end has none.
func promptFrom(stdin *os.File) string {
	if isTerminal(stdin) {
		return ""
	}
	read := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(stdin) // what can be had
		read <- string(text)
	}()
	select {
	case text := <-read:
		return text
	case <-time.After(stdinTime):
		return ""
	}
}

// writePID writes the server's process id to --pid-file. remove must be called.
func (f *agentapiFlags) writePID() (remove func(), err error) {
	if f.pidFile == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(filepath.Dir(f.pidFile), 0o700); err != nil {
		return nil, fail(err, "see --pid-file")
	}
	if err := os.WriteFile(f.pidFile, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, fail(err, "see --pid-file")
	}
	return func() { _ = os.Remove(f.pidFile) }, nil // it may be gone
}

// save writes the state file.
func (f *agentapiFlags) save(s *agentapi.Session, log *slog.Logger) {
	if !f.saveState {
		return
	}
	state, ok := s.State()
	if !ok {
		return // the file has more
	}
	if err := agentapi.WriteState(f.stateFile, state); err != nil {
		log.Error("the state is not saved", "error", err)
		s.Warn("the state is not saved: " + err.Error())
	}
}

// saveOnSignal saves the state at each SIGUSR1 until stop is called.
func (f *agentapiFlags) saveOnSignal(s *agentapi.Session, log *slog.Logger) (stop func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		defer close(done)
		for range signals {
			f.save(s, log)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}

// ended is the result of a session that ended by itself.
func (f *agentapiFlags) ended(a *app, s *agentapi.Session) error {
	status := s.ExitStatus()
	if status == 0 {
		return nil
	}
	fmt.Fprintf(a.stderr, "========\n%s\n========\n", strings.TrimSpace(s.Screen()))
	if status < 0 {
		return fail(errors.New("the session cannot be reached any more"), "`ptyrec list` shows what became of it")
	}
	return fail(fmt.Errorf("the agent ended with status %d", status), "its last screen is above; `ptyrec show last` shows what was said")
}
