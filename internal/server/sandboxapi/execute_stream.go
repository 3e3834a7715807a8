package sandboxapi

import (
	"context"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// startTime is how long a command may wait for its session before its stream begins.
const startTime = 5 * time.Second

// streamedPrefix begins the ids of commands whose output is streamed.
const streamedPrefix = "exec_"

// started is a command that was started, or why it was not.
type started struct {
	command *process.Command
	err     error
}

// executeStream runs a command, and sends its output as it comes.
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
		return failure(http.StatusBadRequest, codeInvalid, "this would run the command again; continue at the address in Content-Location of the first answer")
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
	case <-time.After(startTime): // it waits for its session, and its client for a sign
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
		_ = a.sendError(e, o, at, err) // the next one fails, too
	}
	_ = e.send("complete", at, info.EndedAt, map[string]any{"exitCode": info.ExitCode}) // if this fails, the client is gone
	return nil
}

// sendError tells the client of an error in the stream, as that is the answer by now.
func (a *API) sendError(e *events, o *commandRequest, at process.Offsets, err error) error {
	message := executing(o, err).Error()                                                   // releases before 0.4 read it as error
	_ = e.send("error", at, time.Now(), map[string]any{"data": message, "error": message}) // if this fails, the client is gone
	return nil
}
