package agentapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of HTTP: slower clients are cut off.
const (
	headerTime = 10 * time.Second
	readTime   = 2 * time.Minute // of a request; a file may take long
	idleConn   = 2 * time.Minute
)

// Serve answers the requests that come to l and that access allows. It returns when ctx is over or
// the session has ended, and closes all streams.
func (a *API) Serve(ctx context.Context, l net.Listener, access Access) error {
	streams, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler: a.Guarded(access), ConnContext: access.connContext, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, IdleTimeout: idleConn,
		ErrorLog:    slog.NewLogLogger(a.Log.Handler(), slog.LevelInfo),
		BaseContext: func(net.Listener) context.Context { return streams },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-a.Session.Ended():
		a.Session.linger()
	}
	end()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(late) != nil {
		_ = server.Close() // who still reads is cut off
	}
	if err == nil {
		err = <-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// lastTime is how long clients may take to read the end of a session.
const lastTime = 200 * time.Millisecond

// linger lets those who wait for events read the last ones.
func (s *Session) linger() { time.Sleep(lastTime) }
