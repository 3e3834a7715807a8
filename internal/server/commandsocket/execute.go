package commandsocket

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os/user"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/protocol/command"
)

// Limits, in bytes.
const (
	maxMessage = 1 << 20   // of a client's message or body
	maxCommand = 128 << 10 // of a command: Linux accepts no longer argument
	maxWaiting = 4 << 20   // of input that waits for the command to read it
	maxOutput  = 64 << 20  // of a stream in one HTTP response
)

// spec converts an execute message to a Spec.
func spec(r command.Request) (process.Spec, error) {
	s := process.Spec{
		ID: r.CommandID, Command: r.Command, Shell: r.Shell, Cwd: r.Cwd, Env: r.Env, PTY: r.PTY,
		CloseStdin:  r.CloseStdin && !r.PTY,
		Timeout:     limit(r.TimeoutSeconds, command.DefaultTimeout),
		IdleTimeout: limit(r.IdleTimeout, command.DefaultIdleTimeout),
		TTL:         limit(r.TTL, command.DefaultTTL),
	}
	if s.IdleTimeout == 0 {
		s.IdleTimeout = time.Second // the client has this long to attach
	}
	if s.TTL == 0 {
		s.TTL = time.Millisecond
	}
	if r.KillOnDisconnect != nil {
		s.KillOnDisconnect = *r.KillOnDisconnect
	}
	if c := r.RunConfig; c != nil {
		if s.Cwd != "" || s.Env != nil {
			return s, errors.New("run_config cannot be combined with env or cwd")
		}
		s.Cwd, s.Env = c.WorkDir, c.EnvVars
		if err := checkUser(c.User); err != nil {
			return s, err
		}
	}
	if s.Shell == "" {
		s.Shell = command.DefaultShell
	}
	return s, check(s)
}

// check returns an error if the Spec is invalid, before it is started.
func check(s process.Spec) error {
	switch {
	case s.Command == "":
		return errors.New("command is missing")
	case len(s.Command) > maxCommand:
		return fmt.Errorf("the command is longer than %d KiB", maxCommand>>10)
	case strings.Contains(s.Command+s.Shell+s.Cwd, "\x00"):
		return errors.New("command, shell and cwd must not contain NUL")
	}
	for name, value := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return fmt.Errorf("env: %q cannot be set", name)
		}
	}
	return nil
}

// checkUser returns an error unless name is empty or the user who runs the server, as whom all
// commands run.
func checkUser(name string) error {
	if name == "" {
		return nil
	}
	if u, err := user.Current(); err == nil && (name == u.Username || name == u.Uid) {
		return nil
	}
	return fmt.Errorf("commands cannot run as %q here", name)
}

// limit converts a limit in seconds. A negative one means no limit.
func limit(seconds *float64, standard float64) time.Duration {
	s := standard
	if seconds != nil {
		s = *seconds
	}
	switch {
	case s < 0 || s > math.MaxInt64/float64(time.Second)/2:
		return process.Forever
	}
	return time.Duration(s * float64(time.Second))
}

// execute runs a command to its end and responds with its output.
func (p *Protocol) execute(w http.ResponseWriter, r *http.Request) error {
	box, err := p.find(r.Context(), r)
	if err != nil {
		return err
	}
	var q struct {
		command.Request
		Timeout *float64 `json:"timeout"`
	}
	if err := decode(w, r, &q); err != nil {
		return err
	}
	s, err := spec(q.Request)
	if err != nil {
		return problemf(http.StatusBadRequest, command.CommandError, "%v", err)
	}
	s.Sandbox, s.By, s.ID, s.CloseStdin, s.PTY = box.Name, asker(r), "", true, false
	s.Timeout, s.IdleTimeout, s.TTL, s.KillOnDisconnect = limit(q.Timeout, command.DefaultTimeout), 0, 0, false
	c, _, err := p.commands.Start(r.Context(), s)
	if err != nil {
		return err
	}
	var text [process.Stderr + 1]process.Text
	for chunk, err := range c.Read(r.Context(), process.Offsets{}) {
		if err != nil {
			return err
		}
		if text[chunk.Stream].Len()+len(chunk.Text) > maxOutput {
			return problemf(http.StatusBadRequest, command.CommandError, "the output is longer than %d MiB; read it over %s",
				maxOutput>>20, command.Path)
		}
		text[chunk.Stream].Add(chunk.Text)
	}
	if kind, message := failure(c.Info()); kind != "" {
		return problemf(http.StatusBadRequest, kind, "%s", message)
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = fmt.Fprintf(w, `{"exit_code":%d,"stderr":`, c.Info().ExitCode)
	if err == nil {
		err = text[process.Stderr].WriteJSON(w)
	}
	if err == nil {
		_, err = io.WriteString(w, `,"stdout":`)
	}
	if err == nil {
		err = text[process.Stdout].WriteJSON(w)
	}
	if err == nil {
		_, err = io.WriteString(w, "}\n")
	}
	if err != nil {
		return errAnswered // the client is gone
	}
	return nil
}

// failure returns the error for a command that ended without its own exit code.
func failure(i process.Info) (kind, message string) {
	switch i.State {
	case process.TimedOut:
		return command.CommandTimeout, fmt.Sprintf("Command timed out after %gs", i.Timeout.Seconds())
	case process.Failed:
		return command.CommandError, "the end of the command was not recorded; its exit code is not known"
	}
	return "", ""
}
