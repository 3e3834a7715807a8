package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Processes runs processes over the process API of a ptyrec server. It is safe for concurrent use
// and need not be closed.
//
// If the server refuses a request, the error is a *protocol.Error with the API's code, such as
// PROCESS_EXISTS. It wraps session.ErrNotFound if there is no such process, and ErrToken if the
// server refuses the token.
type Processes struct {
	server  *remote
	session string // session in which Start runs processes
	delay   func(try int) time.Duration
}

// DialProcesses returns Processes for the server at a URL (http or https). Start runs processes in
// the named sandbox; empty means "default".
func DialProcesses(ctx context.Context, where, sandbox string, o Options) (*Processes, error) {
	server, err := newRemote(where, o)
	if err != nil {
		return nil, err
	}
	p := &Processes{server: server, session: "default", delay: backoff}
	if sandbox != "" {
		p.session = "sandbox-" + sandbox
	}
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	if err := p.do(ctx, http.MethodGet, "/api/ping", nil, &struct{}{}); err != nil {
		return nil, fmt.Errorf("%s: %w", server.base, err)
	}
	return p, nil
}

// ProcessSpec describes a process to start. Only Command is needed.
type ProcessSpec struct {
	Command     string            // command line for bash
	ID          string            // empty means one chosen by the server
	Cwd         string            // empty means that of the session
	Env         map[string]string // added to the session's
	Timeout     time.Duration     // 0 means that of the session
	AutoCleanup bool              // whether List omits it after its end
}

// ProcessInfo is the server's description of a process.
type ProcessInfo struct {
	ID        string    `json:"id"`
	PID       int       `json:"pid"` // on the server's machine
	Command   string    `json:"command"`
	Status    string    `json:"status"` // starting, running, completed, failed, killed or error
	StartTime time.Time `json:"startTime"`
	EndTime   time.Time `json:"endTime"`   // zero while it runs
	ExitCode  *int      `json:"exitCode"`  // nil while it runs, or if unknown
	SessionID string    `json:"sessionId"` // sandbox-NAME in the sandbox NAME
}

// Start starts a process and returns its id. If the connection fails, the process may be running;
// Start with the same ID then does not run it again, but fails with PROCESS_EXISTS.
func (p *Processes) Start(ctx context.Context, s ProcessSpec) (id string, err error) {
	request := struct {
		Command     string            `json:"command"`
		SessionID   string            `json:"sessionId"`
		ProcessID   string            `json:"processId,omitempty"`
		Cwd         string            `json:"cwd,omitempty"`
		Env         map[string]string `json:"env,omitempty"`
		TimeoutMs   int64             `json:"timeoutMs,omitempty"`
		AutoCleanup bool              `json:"autoCleanup,omitempty"`
	}{s.Command, p.session, s.ID, s.Cwd, s.Env, s.Timeout.Milliseconds(), s.AutoCleanup}
	var answer struct {
		ProcessID string `json:"processId"`
	}
	err = p.do(ctx, http.MethodPost, "/api/process/start", request, &answer)
	return answer.ProcessID, err
}

// List returns the processes of all sandboxes, finished ones included, oldest first.
func (p *Processes) List(ctx context.Context) ([]ProcessInfo, error) {
	var answer struct {
		Processes []ProcessInfo `json:"processes"`
	}
	err := p.do(ctx, http.MethodGet, "/api/process/list", nil, &answer)
	return answer.Processes, err
}

// Get returns a process.
func (p *Processes) Get(ctx context.Context, id string) (ProcessInfo, error) {
	var answer struct {
		Process ProcessInfo `json:"process"`
	}
	err := p.do(ctx, http.MethodGet, processPath(id, ""), nil, &answer)
	return answer.Process, err
}

// Kill sends a signal to a process and all its descendants, and returns when they have ended. Those
// that ignore the signal get SIGKILL.
func (p *Processes) Kill(ctx context.Context, id string, signal syscall.Signal) error {
	path := fmt.Sprintf("%s?signal=%d", processPath(id, ""), signal)
	return p.do(ctx, http.MethodDelete, path, nil, &struct{}{})
}

// Logs is the output of a process so far.
type Logs struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Cursor string `json:"cursor"` // position after it, for Logs and Output
}

// Logs returns the output of a process after cursor; an empty cursor means the beginning.
func (p *Processes) Logs(ctx context.Context, id, cursor string) (l Logs, err error) {
	path := processPath(id, "/logs")
	if cursor != "" {
		path += "?since=" + url.QueryEscape(cursor)
	}
	err = p.do(ctx, http.MethodGet, path, nil, &l)
	return l, err
}

func processPath(id, below string) string {
	return "/api/process/" + url.PathEscape(id) + below
}

// do sends a request and decodes the answer into v.
func (p *Processes) do(ctx context.Context, method, path string, body, v any) error {
	resp, err := p.send(ctx, method, path, "", body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return json.NewDecoder(io.LimitReader(resp.Body, 2*maxAnswer)).Decode(v) // two streams
}

// send sends a request. If after is not empty, the response continues after that event. The caller
// must close the body of the response.
func (p *Processes) send(ctx context.Context, method, path, after string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, final{err}
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, p.server.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, final{err}
	}
	req.Header.Set("Content-Type", "application/json")
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	p.server.authorize(req.Header)
	resp, err := p.server.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }()
		return nil, answered(resp)
	}
	return resp, nil
}

// Exited is the end of a process.
type Exited struct {
	Code   int    // 128+n after signal n
	Reason string // why the server ended it or does not know the code; empty otherwise
}

// Output yields the output of a process after cursor, in order of arrival: Chunk, Gap and, at the
// end, Exited. An empty cursor means the beginning. Output reconnects by itself and continues with
// the byte after the last one. The last pair has an error if reconnecting fails five times in a row
// (the error wraps ErrLost), if the server refuses the request, or if ctx ends.
func (p *Processes) Output(ctx context.Context, id, cursor string) iter.Seq2[CommandEvent, error] {
	return func(yield func(CommandEvent, error) bool) {
		s := outputState{cursor: cursor}
		if cursor != "" {
			var err error
			if s.next, err = parseCursor(cursor); err != nil {
				yield(nil, err)
				return
			}
		}
		err := p.watch(ctx, http.MethodGet, processPath(id, "/stream"), &s.cursor, nil,
			func(e serverEvent) (over bool, err error) {
				events, err := s.take(e)
				for _, e := range events {
					if _, over = e.(Exited); !yield(e, nil) {
						return true, nil
					}
				}
				return over, err
			})
		if err != nil {
			yield(nil, err)
		}
	}
}

// outputState is a position in the output of a process.
type outputState struct {
	cursor string // after the last event
	next   [2]int64
	reason string // reason of the end
}

// parseCursor returns the offset of the next byte of each stream.
func parseCursor(cursor string) (next [2]int64, err error) {
	if _, err := fmt.Sscanf(cursor, "%d.%d", &next[Stdout], &next[Stderr]); err != nil {
		return next, final{fmt.Errorf("%q is not a cursor", cursor)}
	}
	return next, nil
}

// take returns the command events in a server event.
func (s *outputState) take(e serverEvent) (add []CommandEvent, err error) {
	at, err := parseCursor(e.ID)
	if err != nil {
		return nil, err
	}
	switch e.Type {
	case Stdout.String():
		add = append(add, Chunk{Stdout, at[Stdout] - int64(len(e.Data)), e.Data})
	case Stderr.String():
		add = append(add, Chunk{Stderr, at[Stderr] - int64(len(e.Data)), e.Data})
	case "error":
		s.reason = e.Data
		for _, stream := range []OutputStream{Stdout, Stderr} {
			if at[stream] > s.next[stream] {
				add = append(add, Gap{stream, s.next[stream], at[stream], e.Data})
				s.reason = ""
			}
		}
	case "exit":
		add = append(add, Exited{e.ExitCode, s.reason})
	}
	s.cursor, s.next = e.ID, at
	return add, nil
}

// ExitedError means that a process ended before the awaited event.
type ExitedError struct{ Exited }

// Error implements error.
func (e *ExitedError) Error() string {
	return fmt.Sprintf("the process ended before that, with exit code %d", e.Code)
}

// maxLine is the maximum length of the part of a line that WaitForLog matches, in bytes.
const maxLine = 64 << 10

// WaitForLog waits for a line of the output that re matches, including output so far, and returns
// it. The line may be incomplete. Only the last 64 KiB of a line are matched. The error is an
// *ExitedError if the process ends first.
func (p *Processes) WaitForLog(ctx context.Context, id string, re *regexp.Regexp) (string, error) {
	var rest [2]string // incomplete last line of each stream
	for e, err := range p.Output(ctx, id, "") {
		if err != nil {
			return "", err
		}
		switch e := e.(type) {
		case Chunk:
			for line := range strings.Lines(rest[e.Stream] + e.Text) {
				line, complete := strings.CutSuffix(line, "\n")
				if re.MatchString(line) {
					return line, nil
				}
				rest[e.Stream] = line[max(0, len(line)-maxLine):]
				if complete {
					rest[e.Stream] = ""
				}
			}
		case Exited:
			return "", &ExitedError{e}
		}
	}
	return "", ctx.Err()
}

// WaitForExit waits for the end of a process.
func (p *Processes) WaitForExit(ctx context.Context, id string) (Exited, error) {
	for e, err := range p.Output(ctx, id, "") {
		if err != nil {
			return Exited{}, err
		}
		if e, ok := e.(Exited); ok {
			return e, nil
		}
	}
	return Exited{}, ctx.Err()
}

// WaitForPort waits until a TCP port of the server's machine accepts connections. The error is an
// *ExitedError if the process ends first.
func (p *Processes) WaitForPort(ctx context.Context, id string, port int) error {
	request := map[string]any{"port": port, "mode": "tcp", "processId": id}
	return p.watch(ctx, http.MethodPost, "/api/port-watch", new(string), request,
		func(e serverEvent) (over bool, err error) {
			switch e.Type {
			case "ready":
				return true, nil
			case "process_exited":
				return true, &ExitedError{Exited{Code: e.ExitCode}}
			case "error":
				return true, errors.New(e.Error)
			}
			return false, nil
		})
}

// serverEvent is an event of any of the API's streams.
type serverEvent struct {
	ID       string `json:"-"`
	Type     string `json:"type"`
	Data     string `json:"data"`
	Error    string `json:"error"`
	ExitCode int    `json:"exitCode"`
}

// silence is the time after which a silent stream is dead. Servers send a ping at least every 15 s.
const silence = time.Minute

// watch calls take with each event of a stream until take returns over or an error. It reconnects
// and continues after the event *cursor.
func (p *Processes) watch(ctx context.Context, method, path string, cursor *string, request any,
	take func(serverEvent) (over bool, err error)) error {
	again := tries{delay: p.delay, most: maxLosses}
	for {
		over, err := p.watchOnce(ctx, method, path, *cursor, request, func(e serverEvent) (bool, error) {
			if e.ID == "" || e.ID != *cursor { // a repeated event is not progress
				again.reset()
			}
			return take(e)
		})
		switch {
		case over || isFinal(err):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if err := again.lost(err); err != nil {
			return err
		}
		sleep(ctx, again.pause())
	}
}

// watchOnce is watch for a single connection.
func (p *Processes) watchOnce(ctx context.Context, method, path, after string, request any,
	take func(serverEvent) (bool, error)) (over bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dead := time.AfterFunc(silence, cancel)
	defer dead.Stop()
	resp, err := p.send(ctx, method, path, after, request)
	if err != nil {
		return false, err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxMessage)
	var id, data string
	for lines.Scan() {
		dead.Stop() // take may be slow
		line := lines.Text()
		if value, ok := strings.CutPrefix(line, "id: "); ok {
			id = value
		} else if value, ok := strings.CutPrefix(line, "data: "); ok {
			data = value
		} else if line == "" && data != "" {
			e := serverEvent{ID: id}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				return false, final{fmt.Errorf("the server sent a malformed event: %w", err)}
			}
			if over, err := take(e); over || err != nil {
				return over, err
			}
			id, data = "", ""
		}
		dead.Reset(silence)
	}
	return false, cmp.Or(lines.Err(), io.ErrUnexpectedEOF)
}
