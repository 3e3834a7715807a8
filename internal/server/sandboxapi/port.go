package sandboxapi

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/sys/redirect"
)

// portRequest asks for a notification when a port of this machine is ready.
type portRequest struct {
	Port      int     `json:"port"`
	Mode      string  `json:"mode"` // http or tcp
	Path      string  `json:"path"`
	StatusMin int     `json:"statusMin"`
	StatusMax int     `json:"statusMax"`
	ProcessID string  `json:"processId"` // its end ends the watch
	Interval  float64 `json:"interval"`  // in milliseconds
}

// Limits of the interval.
const (
	minInterval = 100 * time.Millisecond
	maxInterval = 10 * time.Second
)

// checkTime is the time limit for checking a port.
const checkTime = 5 * time.Second

// watchPort sends an event when a port is ready, or when its process has ended.
func (a *API) watchPort(w http.ResponseWriter, r *http.Request) error {
	o := portRequest{Mode: "http", Path: "/", StatusMin: 200, StatusMax: 399, Interval: 500}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if o.Port < 1 || o.Port > 65535 {
		return failure(http.StatusBadRequest, codeInvalidPort, "Invalid port: %d", o.Port).with("port", o.Port)
	}
	interval := min(max(time.Duration(o.Interval)*time.Millisecond, minInterval), maxInterval)
	ctx, e, done := startEvents(w, r)
	defer done()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	err := e.sendAs("", map[string]any{"type": "watching", "port": o.Port})
	for err == nil {
		if last := a.lookAtPort(ctx, r, &o); last != nil {
			_ = e.sendAs("", last) // an error means that the client is gone
			return nil
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// lookAtPort checks the port. It returns the event that ends the watch, or nil.
func (a *API) lookAtPort(ctx context.Context, r *http.Request, o *portRequest) map[string]any {
	if o.ProcessID != "" {
		c, err := a.find(r, o.ProcessID)
		if err != nil {
			return map[string]any{"type": "error", "port": o.Port, "error": "Process not found"}
		}
		if info := c.Info(); info.State != process.Running {
			return map[string]any{"type": "process_exited", "port": o.Port, "exitCode": info.ExitCode}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if o.Mode == "tcp" {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort("localhost", strconv.Itoa(o.Port)))
		if err != nil {
			return nil
		}
		_ = conn.Close() // the port is open
		return map[string]any{"type": "ready", "port": o.Port}
	}
	status, err := o.status(ctx)
	if err != nil || status < o.StatusMin || status > o.StatusMax {
		return nil
	}
	return map[string]any{"type": "ready", "port": o.Port, "statusCode": status}
}

// status returns the HTTP status with which the port responds.
func (o *portRequest) status(ctx context.Context) (int, error) {
	address, err := url.Parse(fmt.Sprintf("http://localhost:%d/%s", o.Port, strings.TrimPrefix(o.Path, "/")))
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return 0, err
	}
	resp, err := portClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// portClient sends requests to ports of this machine. It follows no redirects, uses no proxy and
// keeps no connection open.
var portClient = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: redirect.Never,
}
