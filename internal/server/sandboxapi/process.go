package sandboxapi

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/process"
)

// startProcess starts a process independently of the commands of a session.
func (a *API) startProcess(w http.ResponseWriter, r *http.Request) error {
	var o commandRequest
	if err := decode(w, r, &o); err != nil {
		return err
	}
	return a.startCommand(w, r, &o)
}

func (a *API) startCommand(w http.ResponseWriter, r *http.Request, o *commandRequest) error {
	spec, err := o.spec(r)
	if err != nil {
		return err
	}
	if spec.ID == "" {
		spec.ID = madeUpID("proc")
	}
	spec.Apart, spec.Listed, spec.AutoCleanup = true, true, o.AutoCleanup
	if _, err := a.find(r, spec.ID); err == nil {
		return processExists(spec.ID)
	}
	c, existed, err := a.start(r.Context(), spec)
	switch {
	case err != nil:
		return errorOf(err, codeProcess)
	case existed:
		return processExists(spec.ID)
	}
	info := c.Info()
	return respond(w, map[string]any{
		"processId": spec.ID, "pid": info.PID, "command": o.Command,
		"process": shown(info), // for releases before 0.4
	})
}

func processExists(id string) error {
	return failure(http.StatusConflict, codeProcessExists, "Process %s already exists", id).with("processId", id)
}

// madeUpID returns a new id of the form that the SDK's container uses.
func madeUpID(kind string) string {
	return fmt.Sprintf("%s_%d_%s", kind, time.Now().UnixMilli(), strings.ToLower(rand.Text()[:6]))
}

// find returns the process with an id.
func (a *API) find(r *http.Request, id string) (*process.Command, error) {
	c, err := a.recorded(r, id)
	if err == nil && !c.Info().Listed {
		return nil, noProcess(id)
	}
	return c, err
}

// recorded returns the process or streamed command with an id, to read its output. A process with
// autoCleanup is found even after it was removed from the list, because it may end before its
// client asks.
func (a *API) recorded(r *http.Request, id string) (*process.Command, error) {
	c, err := a.Manager.Get(r.Context(), process.AnySandbox, id)
	if errors.Is(err, process.ErrNotFound) || errors.Is(err, process.ErrExpired) {
		return nil, noProcess(id)
	}
	if err != nil {
		return nil, err
	}
	if info := c.Info(); !info.Listed && !info.AutoCleanup && !strings.HasPrefix(id, streamedPrefix) {
		return nil, noProcess(id)
	}
	return c, nil
}

// shownProcess is a process in the form of the SDK.
type shownProcess struct {
	ID        string `json:"id"`
	PID       int    `json:"pid,omitempty"`
	Command   string `json:"command"`
	Status    string `json:"status"`
	StartTime string `json:"startTime"`
	EndTime   string `json:"endTime,omitempty"`
	ExitCode  *int   `json:"exitCode,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
}

func shown(info process.Info) shownProcess {
	p := shownProcess{
		ID: info.ID, PID: info.PID, Command: info.Command, Status: statusOf(info), StartTime: timestamp(info.StartedAt),
		SessionID: info.Session,
	}
	if info.State != process.Running {
		p.EndTime = timestamp(info.EndedAt)
		if info.State != process.Failed {
			p.ExitCode = &info.ExitCode
		}
	}
	return p
}

// statusOf returns the SDK's name for a state.
func statusOf(info process.Info) string {
	switch {
	case info.State == process.Running:
		return "running"
	case info.State == process.Failed:
		return "error"
	case info.State != process.Exited, info.ExitCode == 128+int(unix.SIGKILL), info.ExitCode == 128+int(unix.SIGTERM):
		return "killed"
	case info.ExitCode == 0:
		return "completed"
	}
	return "failed"
}

func (a *API) listProcesses(w http.ResponseWriter, r *http.Request) error {
	infos, err := a.Manager.List(r.Context(), process.AnySandbox)
	if err != nil {
		return err
	}
	status, wanted := r.URL.Query().Get("status"), ofSession(r)
	processes := []shownProcess{}
	for _, info := range infos {
		if p := shown(info); wanted(info) && (status == "" || p.Status == status) {
			processes = append(processes, p)
		}
	}
	return respond(w, map[string]any{"processes": processes})
}

func (a *API) getProcess(w http.ResponseWriter, r *http.Request) error {
	c, err := a.find(r, r.PathValue("id"))
	if err != nil {
		return err
	}
	return respond(w, map[string]any{"process": shown(c.Info())})
}

// killProcess ends a process, and responds when it has ended.
func (a *API) killProcess(w http.ResponseWriter, r *http.Request) error {
	c, err := a.find(r, r.PathValue("id"))
	if err != nil {
		return err
	}
	signal, err := signalOf(w, r)
	if err != nil {
		return err
	}
	if err := kill(r, c, signal); err != nil {
		return errorOf(err, codeProcess)
	}
	return respond(w, map[string]any{"processId": c.Info().ID})
}

// kill ends a process with a signal, and with KILL if it ignores that. It is not an error if the
// process has already ended.
func kill(r *http.Request, c *process.Command, signal syscall.Signal) error {
	grace := process.Grace
	if signal == process.Kill {
		grace = 0
	}
	err := c.Kill(r.Context(), signal, grace)
	if errors.Is(err, process.ErrEnded) {
		_, err = c.Wait(r.Context())
	}
	return err
}

// signalOf returns the signal in a request; the default is TERM.
func signalOf(w http.ResponseWriter, r *http.Request) (syscall.Signal, error) {
	var o struct {
		Signal string `json:"signal"`
	}
	if err := decode(w, r, &o); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if named := r.URL.Query().Get("signal"); named != "" {
		o.Signal = named
	}
	if o.Signal == "" {
		return unix.SIGTERM, nil
	}
	name := strings.ToUpper(o.Signal)
	if number, err := strconv.Atoi(name); err == nil && unix.SignalName(syscall.Signal(number)) != "" {
		return syscall.Signal(number), nil
	}
	if number := unix.SignalNum("SIG" + strings.TrimPrefix(name, "SIG")); number != 0 {
		return number, nil
	}
	return 0, failure(http.StatusBadRequest, codeInvalid, "unknown signal %q", o.Signal)
}

// killAll ends the running processes.
func (a *API) killAll(w http.ResponseWriter, r *http.Request) error {
	infos, err := a.Manager.List(r.Context(), process.AnySandbox)
	if err != nil {
		return err
	}
	wanted := ofSession(r)
	infos = slices.DeleteFunc(infos, func(info process.Info) bool {
		return info.State != process.Running ||
			!wanted(info)
	})
	errs := make([]error, len(infos))
	var killing sync.WaitGroup
	for i, info := range infos {
		killing.Go(func() {
			c, err := a.find(r, info.ID)
			if err == nil {
				err = kill(r, c, unix.SIGTERM)
			}
			errs[i] = err
		})
	}
	killing.Wait()
	if err := errors.Join(errs...); err != nil {
		return errorOf(err, codeProcess)
	}
	counted := map[string]any{"cleanedCount": len(infos)}
	if isOld(r) {
		counted["killedCount"] = len(infos)
	}
	return respond(w, counted)
}

// cleanup removes the processes that have ended from the list.
func (a *API) cleanup(w http.ResponseWriter, r *http.Request) error {
	n, err := a.Manager.Cleanup(r.Context(), process.AnySandbox)
	if err != nil {
		return err
	}
	return respond(w, map[string]any{"cleanedCount": n})
}

// logs responds with the output so far. The cursor continues from there.
func (a *API) logs(w http.ResponseWriter, r *http.Request) error {
	c, at, err := a.output(r)
	if err != nil {
		return err
	}
	output, err := collect(c, at, c.ReadNow(r.Context(), at))
	if err != nil {
		return errorOf(err, codeProcess)
	}
	at.Stdout += int64(output[process.Stdout].Len())
	at.Stderr += int64(output[process.Stderr].Len())
	return respondOutput(w, output, map[string]any{"processId": c.Info().ID, "cursor": formatOffsets(at)})
}

// output returns the process whose output is requested, and the offsets at which to start.
func (a *API) output(r *http.Request) (*process.Command, process.Offsets, error) {
	c, err := a.recorded(r, r.PathValue("id"))
	if err != nil {
		return nil, process.Offsets{}, err
	}
	at, err := offsetsOf(r)
	return c, at, err
}

// stream sends the output of a process from its beginning to its end.
func (a *API) stream(w http.ResponseWriter, r *http.Request) error {
	c, at, err := a.output(r)
	if err != nil {
		return err
	}
	ctx, e, done := startEvents(w, r)
	defer done()
	info := c.Info()
	id := info.ID
	first := map[string]any{"processId": id, "command": info.Command, "status": statusOf(info)}
	if e.send("process_info", at, time.Now(), first) != nil {
		return nil // the client is gone
	}
	at, err = follow(ctx, e, c, at, id)
	info = c.Info()
	end := err
	if err == nil {
		end = endError(info)
	}
	if end != nil {
		// After a failure, the next write fails, too.
		_ = e.send("error", at, time.Now(), map[string]any{"processId": id, "data": end.Error()})
	}
	if err == nil {
		data := fmt.Sprintf("Process %s with exit code %d", statusOf(info), info.ExitCode)
		// An error means that the client is gone.
		_ = e.send("exit", at, info.EndedAt, map[string]any{"processId": id, "exitCode": info.ExitCode, "data": data})
	}
	return nil
}
