package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const (
	// stopTime is how long a session has to end before it is killed.
	stopTime = 5 * time.Second
	// maxStarted is the maximum number of running sessions that clients have started.
	maxStarted = 20
	// stopStep is the interval at which it checks whether the recorder has ended, too.
	stopStep = 50 * time.Millisecond
)

// owns reports whether the server has started a session.
func (s *Server) owns(id string) bool {
	_, ok := s.own.Load(id)
	return ok
}

func (s *Server) startTool() tool {
	return tool{
		name: "start_session", title: "Start a session", types: true,
		about: "Run a command in a new recorded session, which only you may type into. It ends when you disconnect.",
		params: []param{
			{name: "command", kind: kindTexts, about: "Program and arguments", required: true},
			{name: "cwd", kind: kindText, about: "Its folder"},
			{name: "cols", kind: kindWhole, about: "Width", least: 1, most: protocol.MaxCols, standard: 120},
			{name: "rows", kind: kindWhole, about: "Height", least: 1, most: protocol.MaxRows, standard: 40},
			{name: "keep", kind: kindBoolean, about: "Continue after you disconnect"},
		},
		run: s.start,
	}
}

// started is the result of start_session.
type started struct {
	About   string      `json:"about"`
	Session sessionItem `json:"session"`
}

func (s *Server) start(ctx context.Context, c *toolCall) (answer, error) {
	command, cwd := c.texts("command"), c.text("cwd")
	switch {
	case len(command) == 0 || command[0] == "":
		return answer{}, toolErrorf("command must name a program.")
	case cwd != "" && !filepath.IsAbs(cwd):
		return answer{}, toolErrorf("cwd must be an absolute path.")
	}
	id, err := s.startOne(ctx, StartOptions{Command: command, Cwd: cwd, Cols: c.whole("cols"), Rows: c.whole("rows"),
		Keep: c.flag("keep")})
	if err != nil {
		return answer{}, err
	}
	db, info, _, err := s.find(ctx, id)
	if err != nil {
		return answer{}, err
	}
	granted := true
	out := started{about, s.item(ctx, db, info)}
	out.Session.Granted = &granted
	return answer{structured: out, text: "Started session " + id + ".\n" + recorded(out.Session.text())}, nil
}

// startOne starts a session, unless too many are running.
func (s *Server) startOne(ctx context.Context, o StartOptions) (id string, err error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	if n, err := s.started(ctx); err != nil || n >= maxStarted {
		return "", cmp.Or(err, toolErrorf("%d sessions that you have started still run: nothing was started. End one with "+
			"stop_session first.", n))
	}
	if id, err = s.Start(ctx, o); err != nil {
		return "", toolErrorf("The command did not start: %s.", clip(s.line(err.Error()), maxShown))
	}
	s.own.Store(id, true)
	return id, nil
}

// started returns the number of running sessions that clients have started.
func (s *Server) started(ctx context.Context) (n int, err error) {
	db, err := s.open(ctx)
	if db == nil || err != nil {
		return 0, err
	}
	ids, _ := db.Live.IDs() // without the folder of sockets there are none
	for _, id := range ids {
		if s.owns(id) {
			n++
		}
	}
	return n, nil
}

func (s *Server) stopTool() tool {
	return tool{
		name: "stop_session", title: "Stop a session", types: true,
		about:  "End a session that start_session has started.",
		params: []param{sessionParam},
		run:    s.stopSession,
	}
}

// stoppedSession is the result of stop_session.
type stoppedSession struct {
	Session string `json:"session"`
	Status  string `json:"status"`
}

func (s *Server) stopSession(ctx context.Context, c *toolCall) (answer, error) {
	db, info, _, err := s.find(ctx, c.text("session"))
	if err != nil {
		return answer{}, err
	}
	if !s.owns(info.ID) {
		return answer{}, toolErrorf("This server did not start the session, so it cannot stop it.")
	}
	stream, _, err := attach(ctx, db, info.ID,
		client.AttachOptions{Name: callerOf(c), Kind: protocol.Human, Control: true, Mode: protocol.ModeNone})
	if err != nil && !errors.Is(err, session.ErrNotFound) && !errors.Is(err, io.EOF) {
		return answer{}, typingError(info.ID, err)
	}
	if err == nil {
		defer func() { _ = stream.Close() }() // never fails
		if err := end(ctx, stream); err != nil {
			return answer{}, typingError(info.ID, err)
		}
	}
	for begun := time.Now(); ; { // its recorder ends a moment later
		if _, info, _, err = s.find(ctx, info.ID); err != nil {
			return answer{}, err
		}
		if info.Status != store.Live || time.Since(begun) > stopTime {
			break
		}
		select {
		case <-time.After(stopStep):
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	}
	return answer{structured: stoppedSession{info.ID, info.Status}, text: "Session " + info.ID + " has ended."}, nil
}

// end ends a session, and returns when it has ended.
func end(ctx context.Context, stream *client.Stream) error {
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGKILL} {
		if err := stream.Kill(ctx, signal); err != nil && !errors.Is(err, client.ErrDisconnected) {
			return err
		}
		wait, stop := context.WithTimeout(ctx, stopTime)
		for {
			e, err := stream.Next(wait)
			if _, ok := e.(protocol.Exit); ok || err != nil && wait.Err() == nil {
				stop()
				return nil
			}
			if err != nil {
				break
			}
		}
		stop()
	}
	return ctx.Err()
}
