package mcp

import (
	"context"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// The conditions of wait, and the reasons for its end.
const (
	untilIdle  = "idle"
	untilText  = "text"
	untilEntry = "entry"
	untilEnd   = "end"

	reasonAsking  = "asking"
	reasonEnded   = "ended"
	reasonTimeout = "timeout"
)

const (
	// silentWait is the maximum wait without progress notifications, in seconds: clients give up
	// after 60.
	silentWait = 55
	longestAsk = 300 // in seconds
	// progressTime is the interval of progress notifications.
	progressTime = time.Second
)

func (s *Server) waitTool() tool {
	return tool{
		name: "wait", title: "Wait for a session",
		about: "Wait until a session's agent is idle or asks, its screen shows a text, a message comes, or it ends. " +
			"After a timeout, call again.",
		params: []param{
			sessionParam,
			{name: "until", kind: kindText, about: "What to wait for", required: true,
				oneOf: []string{untilIdle, untilText, untilEntry, untilEnd}},
			{name: "text", kind: kindText, about: "RE2 for a line written since Enter, with until=text"},
			{name: "after", kind: kindWhole, about: "With until=entry: a message after this seq", least: 0, most: math.Inf(1)},
			{name: "timeout_s", kind: kindWhole, about: "Seconds; 55 without progress", least: 1, most: longestAsk,
				standard: 30},
		},
		result: "reason state seq:i",
		run:    s.wait,
	}
}

// waitResult is the result of wait.
type waitResult struct {
	Reason string `json:"reason"`
	State  string `json:"state"` // of the agent: busy, idle, asking; "" if there is none
	Seq    int    `json:"seq"`   // number of the newest entry
}

func (w waitResult) text() string {
	state := w.State
	if state == "" {
		state = "unknown"
	}
	return "Reason: " + w.Reason + ". State: " + state + ". Newest entry: #" + strconv.Itoa(w.Seq) + "."
}

func (s *Server) wait(ctx context.Context, c *toolCall) (answer, error) {
	w := &waiter{s: s, until: c.text("until"), after: -1}
	pattern := c.text("text")
	switch {
	case w.until == untilText && pattern == "":
		return answer{}, toolErrorf("until=text requires the parameter text, a regular expression.")
	case w.until != untilText && pattern != "":
		return answer{}, toolErrorf("text requires until=text.")
	case w.until != untilEntry && c.has("after"):
		return answer{}, toolErrorf("after requires until=entry.")
	case c.has("after"):
		w.after = c.whole("after")
	}
	var err error
	if w.text, err = regexp.Compile(pattern); err != nil {
		return answer{}, toolErrorf("text is not a valid RE2 regular expression. Write letters and digits, .* or [a-z], " +
			"and a backslash before other characters.")
	}
	db, info, _, err := s.find(ctx, c.text("session"))
	if err != nil {
		return answer{}, err
	}
	result, err := w.run(ctx, db, info, progressOf(c), time.Duration(c.whole("timeout_s"))*time.Second)
	return answer{structured: result, text: result.text()}, err
}

// progress reports progress to a client; nil if the client does not want that.
type progress func(ctx context.Context, done, total float64, message string)

// progressOf returns the progress function for a call.
func progressOf(c *toolCall) progress {
	token := c.request.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(ctx context.Context, done, total float64, message string) {
		// Only the response matters.
		_ = c.request.Session.NotifyProgress(ctx,
			&sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: total, Message: message})
	}
}

// waiter waits for a condition in a session.
type waiter struct {
	s      *Server
	until  string
	text   *regexp.Regexp
	after  int  // messages with greater numbers are new; -1: those after the start of the wait
	newer  bool // whether there is a new message
	result waitResult
	idle   *prompt.Idle
	shown  *prompt.Text // for untilText
}

// run waits. If the time limit passes, the reason is a timeout.
func (w *waiter) run(ctx context.Context, db *Archive, info *store.Info, tell progress,
	limit time.Duration) (waitResult, error) {
	if tell == nil {
		limit = min(limit, silentWait*time.Second)
	}
	begun := time.Now()
	if err := w.look(ctx, db, info); err != nil {
		return w.result, err
	}
	if w.done() {
		return w.result, nil
	}
	if info.Status != store.Live {
		w.result.Reason = reasonEnded
		return w.result, nil
	}
	join := func(ctx context.Context, o client.AttachOptions) (*client.Stream, protocol.Hello, error) {
		return attach(ctx, db, info.ID, o)
	}
	o := client.AttachOptions{Name: clientName, Kind: protocol.Agent, Mode: protocol.ModeText, Entries: &w.after}
	var stream *client.Stream
	var hello protocol.Hello
	var err error
	if w.until == untilText {
		stream, hello, w.shown, err = prompt.AttachText(ctx, o, join)
	} else {
		stream, hello, err = join(ctx, o)
	}
	if err != nil {
		return w.unreachable(ctx, db, info, err)
	}
	defer func() { _ = stream.Close() }() // never fails
	w.idle = prompt.NewIdle(hello)
	return w.follow(ctx, stream, tell, begun, limit)
}

// look reads the current state of the session.
func (w *waiter) look(ctx context.Context, db *Archive, info *store.Info) error {
	page, _, err := db.Past.Page(ctx, info, store.Span{Before: math.MaxInt32, Limit: pageEntries})
	if err != nil {
		return err
	}
	for _, e := range page.Entries {
		w.saw(e)
	}
	if w.after < 0 {
		w.after, w.newer = w.result.Seq, false
	}
	return nil
}

func (w *waiter) saw(e *session.Entry) {
	w.result.Seq = max(w.result.Seq, e.Seq)
	w.newer = w.newer || w.after >= 0 && e.Type == session.TypeMessage && e.Seq > w.after
}

// done sets the reason and returns true if the awaited message has arrived.
func (w *waiter) done() bool {
	if w.until == untilEntry && w.newer {
		w.result.Reason = untilEntry
		return true
	}
	return false
}

// unreachable returns the result for a session that cannot be attached to, maybe because it has
// just ended.
func (w *waiter) unreachable(ctx context.Context, db *Archive, info *store.Info, err error) (waitResult, error) {
	if !errors.Is(err, session.ErrNotFound) {
		return w.result, err
	}
	now, findErr := db.Store.Find(ctx, info.ID)
	if findErr != nil {
		return w.result, findErr
	}
	if now.Status == store.Live {
		return w.result, toolErrorf("The session cannot be reached from here. read_session shows its stored entries.")
	}
	w.result.Reason = reasonEnded
	return w.result, nil
}

// follow waits for events.
func (w *waiter) follow(ctx context.Context, stream *client.Stream, tell progress, begun time.Time,
	limit time.Duration) (waitResult, error) {
	heard, stop := whileHeard(ctx)
	defer stop()
	next := time.Now()
	for {
		now := time.Now()
		if tell != nil && !now.Before(next) {
			tell(ctx, now.Sub(begun).Seconds(), limit.Seconds(), w.idle.State.State)
			next = now.Add(progressTime)
		}
		w.result.State = w.idle.State.State
		due, ok := w.idle.Due()
		ok = ok && w.until == untilIdle
		switch {
		case ok && !now.Before(due):
			w.result.Reason = w.idleReason()
			return w.result, nil
		case now.Sub(begun) >= limit, heard.Err() != nil && ctx.Err() == nil:
			w.result.Reason = reasonTimeout
			return w.result, nil
		}
		deadline := begun.Add(limit)
		if ok {
			deadline = earlier(deadline, due)
		}
		if tell != nil {
			deadline = earlier(deadline, next)
		}
		until, stop := context.WithDeadline(heard, deadline)
		e, err := stream.Next(until)
		late := until.Err() != nil && ctx.Err() == nil
		stop()
		switch {
		case err != nil && late:
			continue
		case errors.Is(err, io.EOF), errors.Is(err, session.ErrNotFound):
			w.result.Reason = reasonEnded
			return w.result, nil
		case err != nil:
			return w.result, err
		case w.take(e):
			w.result.State = w.idle.State.State
			return w.result, nil
		}
	}
}

// idleReason returns the reason for the end of a wait for an idle agent.
func (w *waiter) idleReason() string {
	if w.result.State == reasonAsking {
		return reasonAsking
	}
	return untilIdle
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// take processes an event, and reports whether it ends the wait.
func (w *waiter) take(e client.Event) bool {
	w.idle.Take(e)
	if w.until == untilText && w.shows(w.shown.Take(e)) {
		w.result.Reason = untilText
		return true
	}
	switch e := e.(type) {
	case protocol.Entries:
		for _, entry := range e.Entries {
			w.saw(entry)
		}
		return w.done()
	case protocol.Exit:
		w.result.Reason = reasonEnded
		return true
	}
	return false
}

// shows reports whether a row, in the form of read_screen, matches.
func (w *waiter) shows(rows []string) bool {
	if rows == nil {
		return false
	}
	for line := range strings.SplitSeq(w.s.screenText(rows), "\n") {
		if w.text.MatchString(line) {
			return true
		}
	}
	return false
}
