package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// attach connects to the live session that a request names, for a single operation.
func (s *Server) attach(r *http.Request, o client.AttachOptions) (ctx context.Context, stream *client.Stream,
	done func(), err error) {
	info, err := s.findLive(r)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.Name == "" {
		o.Name = viewerName
	}
	o.Mode, o.Behalf = protocol.ModeNone, LinkOf(r)
	ctx, cancel := context.WithTimeout(r.Context(), answerTime)
	stream, err = s.Live.Attach(ctx, info.ID, o)
	if err != nil {
		cancel()
		return nil, nil, nil, notLive(err)
	}
	var reading = make(chan struct{})
	go func() { // answers arrive only while the stream is read
		defer close(reading)
		for {
			if _, err := stream.Next(context.WithoutCancel(ctx)); err != nil {
				return
			}
		}
	}()
	return ctx, stream, func() {
		cancel()
		_ = stream.Close()
		<-reading
	}, nil
}

// LinkOf returns the connection of a request.
func LinkOf(r *http.Request) *protocol.Link {
	var link protocol.Link
	// An invalid address does not match a process, and does not count as a person.
	link.Client, _ = netip.ParseAddrPort(r.RemoteAddr)
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		link.Server, _ = netip.ParseAddrPort(addr.String())
	}
	return &link
}

// getControl responds with the list of attached clients and grants.
func (s *Server) getControl(w http.ResponseWriter, r *http.Request) error {
	info, err := s.findLive(r)
	if err != nil {
		return err
	}
	c, err := s.controlOf(r.Context(), info.ID)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, c)
}

// controlOf returns that list for a session, without our own attachment.
func (s *Server) controlOf(ctx context.Context, id string) (protocol.Control, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	stream, err := s.Live.Attach(ctx, id, client.AttachOptions{Name: viewerName, Mode: protocol.ModeNone})
	if err != nil {
		return protocol.Control{}, notLive(err)
	}
	defer func() { _ = stream.Close() }()
	e, err := stream.Next(ctx)
	if err != nil {
		return protocol.Control{}, err
	}
	hello, ok := e.(client.Connected)
	if !ok {
		return protocol.Control{}, client.ErrDisconnected
	}
	c := hello.Control
	c.Viewers = slices.DeleteFunc(append([]protocol.Viewer{}, c.Viewers...),
		func(v protocol.Viewer) bool { return v.ID == hello.Viewer })
	return c, nil
}

// setControl grants or revokes permission for programs to type.
func (s *Server) setControl(w http.ResponseWriter, r *http.Request) error {
	var o struct {
		Action  protocol.Action `json:"action"`
		Seconds float64         `json:"seconds"`
	}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if o.Action != protocol.Allow && o.Action != protocol.Revoke || !(o.Seconds >= 0 && o.Seconds < 1e9) {
		return badRequest("action must be grant or revoke, and seconds at least 0")
	}
	ctx, stream, done, err := s.attach(r, client.AttachOptions{Name: "web"})
	if err != nil {
		return err
	}
	if o.Action == protocol.Allow {
		err = stream.Grant(ctx, time.Duration(o.Seconds*float64(time.Second)))
	} else {
		err = stream.Revoke(ctx)
	}
	done()
	if err != nil {
		return err
	}
	return s.getControl(w, r)
}

// sendInput types into a session.
func (s *Server) sendInput(w http.ResponseWriter, r *http.Request) error {
	o := struct {
		Text   string        `json:"text"`
		Base64 []byte        `json:"base64"`
		Kind   protocol.Kind `json:"kind"`
		Name   string        `json:"name"`
		Force  bool          `json:"force"`
	}{Kind: protocol.Agent, Name: "api"}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	keys := append([]byte(o.Text), o.Base64...)
	switch {
	case len(keys) == 0 || o.Text != "" && len(o.Base64) > 0:
		return badRequest("text or base64 is required")
	case len(keys) > protocol.MaxOutput:
		return problem(http.StatusRequestEntityTooLarge, "too_large", "at most %d bytes at once", protocol.MaxOutput)
	case o.Kind != protocol.Agent && o.Kind != protocol.Human || len(o.Name) > 100:
		return badRequest("kind must be agent or human, and name at most 100 bytes")
	}
	return s.ask(w, r, client.AttachOptions{Name: o.Name, Kind: o.Kind, Control: o.Kind == protocol.Human,
		Answers: &o.Force}, func(ctx context.Context, stream *client.Stream) error {
		return stream.Input(ctx, keys)
	})
}

// ask executes an operation on a live session, and responds without content.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, o client.AttachOptions,
	do func(ctx context.Context, stream *client.Stream) error) error {
	ctx, stream, done, err := s.attach(r, o)
	if err != nil {
		return err
	}
	defer done()
	if err := do(ctx, stream); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// resize sets the window's size. The size stays after we have detached.
func (s *Server) resize(w http.ResponseWriter, r *http.Request) error {
	var o struct {
		Cols int `json:"cols"`
		Rows int `json:"rows"`
	}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if !isSize(o.Cols, o.Rows) {
		return badRequest("the size must be 1x1 to %dx%d", protocol.MaxCols, protocol.MaxRows)
	}
	return s.ask(w, r, client.AttachOptions{Control: true}, func(ctx context.Context, stream *client.Stream) error {
		return stream.SetSize(ctx, o.Cols, o.Rows)
	})
}

// signals are the signals that may be sent.
var signals = map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT,
	"TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}

// kill sends a signal to the command.
func (s *Server) kill(w http.ResponseWriter, r *http.Request) error {
	o := struct {
		Signal string `json:"signal"`
	}{"HUP"}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	signal, ok := signals[o.Signal]
	if !ok {
		return badRequest("signal must be HUP, INT, QUIT, TERM or KILL")
	}
	return s.ask(w, r, client.AttachOptions{Control: true}, func(ctx context.Context, stream *client.Stream) error {
		return stream.Kill(ctx, signal)
	})
}

// notLive returns the error for a session that is live in the database but cannot be reached.
func notLive(err error) error {
	if p := problemOf(err); p.status == http.StatusNotFound {
		return problem(http.StatusConflict, "not_live",
			"the session cannot be reached: it has just ended, or does not accept viewers")
	}
	return err
}
