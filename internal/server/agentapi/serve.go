package agentapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of HTTP. Slower clients are disconnected.
const (
	headerTime = 10 * time.Second
	readTime   = 2 * time.Minute // for a request; sending a file may take long
	idleConn   = 2 * time.Minute
)

// Serve handles the requests to l that access allows. It returns when ctx is cancelled or the
// session has ended, and closes all streams.
func (a *API) Serve(ctx context.Context, l net.Listener, access Access) error {
	streams, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler: a.Guarded(access), ConnContext: access.connContext, ReadHeaderTimeout: headerTime, ReadTimeout: readTime,
		IdleTimeout: idleConn,
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
		_ = server.Close() // disconnects slow readers
	}
	if err == nil {
		err = <-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// lastTime is how long clients have to read the end of a session.
const lastTime = 200 * time.Millisecond

// linger gives clients time to read the last events.
func (s *Session) linger() { time.Sleep(lastTime) }
