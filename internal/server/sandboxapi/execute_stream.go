package sandboxapi

import (
	"context"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// startTime is how long to wait for a command to start before its stream begins anyway.
const startTime = 5 * time.Second

// streamedPrefix is the prefix of the ids of commands whose output is streamed.
const streamedPrefix = "exec_"

// started is the result of starting a command.
type started struct {
	command *process.Command
	err     error
}

// executeStream runs a command, and sends its output as it arrives.
func (a *API) executeStream(w http.ResponseWriter, r *http.Request) error {
	var o commandRequest
	if err := decode(w, r, &o); err != nil {
		return err
	}
	spec, err := o.spec(r)
	if err != nil {
		return err
	}
	if r.Header.Get("Last-Event-ID") != "" || r.URL.Query().Has("since") {
		return failure(http.StatusBadRequest, codeInvalid,
			"this would run the command again; continue at the address in Content-Location of the first answer")
	}
	spec.ID = madeUpID("exec")
	starting := make(chan started, 1)
	go func() {
		c, _, err := a.start(r.Context(), spec)
		starting <- started{c, err}
	}()
	w.Header().Set("Content-Location", "/api/process/"+spec.ID+"/stream")
	var s started
	select {
	case s = <-starting:
		if s.err != nil {
			w.Header().Del("Content-Location")
			return errorOf(executing(&o, s.err), codeStreamStart)
		}
	case <-time.After(startTime): // the command waits for its session, but the client must see that the request is alive
	}
	ctx, e, done := startEvents(w, r)
	defer done()
	if s.command == nil {
		if s = <-starting; s.err != nil {
			return a.sendError(e, &o, process.Offsets{}, s.err)
		}
	}
	return a.sendExecution(ctx, e, &o, s.command)
}

// sendExecution sends the events of a command.
func (a *API) sendExecution(ctx context.Context, e *events, o *commandRequest, c *process.Command) error {
	if err := e.send("start", process.Offsets{}, c.Info().StartedAt, map[string]any{"command": o.Command}); err != nil {
		return nil //nolint:nilerr // the client is gone
	}
	at, err := follow(ctx, e, c, process.Offsets{}, "")
	if err != nil {
		return a.sendError(e, o, at, err)
	}
	info := c.Info()
	if err := endError(info); err != nil {
		_ = a.sendError(e, o, at, err) // after a failure, the next write fails, too
	}
	// An error means that the client is gone.
	_ = e.send("complete", at, info.EndedAt, map[string]any{"exitCode": info.ExitCode})
	return nil
}

// sendError sends an error in the stream, because the response has begun.
func (a *API) sendError(e *events, o *commandRequest, at process.Offsets, err error) error {
	// Releases before 0.4 read it from the field error.
	message := executing(o, err).Error()
	// An error means that the client is gone.
	_ = e.send("error", at, time.Now(), map[string]any{"data": message, "error": message})
	return nil
}
