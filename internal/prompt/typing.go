package prompt

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/vterm"
)

// A program that receives a text and a key at once treats both as pasted. So a key waits until the
// program has shown the text before it.
const (
	betweenKeys = 150 * time.Millisecond // time without output after which it has shown it
	echoTime    = 500 * time.Millisecond // time without any output after which it is assumed to show nothing
	typedLimit  = 2 * time.Second        // maximum wait for a program that always writes
)

// Time limits for an agent: to start, to show a text in its input box, to react to Enter, and to
// accept the text after Enter was pressed several times.
const (
	startTime  = 60 * time.Second
	shownTime  = 5 * time.Second
	noticeTime = 2500 * time.Millisecond
	typedTime  = 10 * time.Second
)

// Errors of Ready and Submit.
var (
	ErrStillStarting = errors.New("the agent has not started: it does not show its input box")
	ErrNotTaken      = errors.New("the agent did not accept the text")
)

// Typist types into a session.
type Typist struct {
	stream *client.Stream
	hello  protocol.Hello
	state  protocol.State
	term   *vterm.Term
}

// NewTypist makes a Typist for a session that was attached to with protocol.ModeScreen. It reads
// the stream up to the first screen; while the Typist is used nobody else may read it.
func NewTypist(ctx context.Context, s *client.Stream, hello protocol.Hello) (*Typist, error) {
	t := &Typist{stream: s, hello: hello, state: hello.State}
	for t.term == nil {
		if _, err := t.next(ctx); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// next reads an event. output reports whether the program has written something.
func (t *Typist) next(ctx context.Context) (output bool, err error) {
	e, err := t.stream.Next(ctx)
	if err != nil {
		return false, err
	}
	switch e := e.(type) {
	case protocol.Snapshot:
		t.term = vterm.New(vterm.Options{Cols: e.Cols, Rows: e.Rows})
		_, _ = t.term.Write(e.Data) // never fails
	case client.Output:
		_, _ = t.term.Write(e.Data) // never fails
		return true, nil
	case protocol.Size:
		t.term.Resize(e.Cols, e.Rows)
	case protocol.State:
		t.state = e
	}
	return false, nil
}

// until reads events until done returns true, or for d. It reports whether done returned true.
func (t *Typist) until(ctx context.Context, d time.Duration, done func() bool) (bool, error) {
	limit, stop := context.WithTimeout(ctx, d)
	defer stop()
	for !done() {
		if _, err := t.next(limit); err != nil {
			if limit.Err() != nil && ctx.Err() == nil {
				return false, nil
			}
			return false, err
		}
	}
	return true, nil
}

// Ready waits until an agent that is the session's command accepts a prompt or asks a question.
// Input before that would be lost. It returns ErrNotStarted after a minute.
func (t *Typist) Ready(ctx context.Context) error {
	if t.state.State != "" && t.sight().State != extractor.StateStarting || !isAgent(t.hello.Session.Command) {
		return nil
	}
	ready, err := t.until(ctx, startTime, func() bool {
		return t.state.State != "" &&
			t.sight().State != extractor.StateStarting
	})
	if err == nil && !ready {
		err = ErrStillStarting
	}
	return err
}

// isAgent reports whether a command is called as an agent is.
func isAgent(command []string) bool {
	return len(command) > 0 && slices.Contains(extractor.Agents(), filepath.Base(command[0]))
}

// Text types a text without submitting it.
func (t *Typist) Text(ctx context.Context, text string) error {
	return t.stream.Input(ctx, []byte(pasted(text, t.term.Modes(), t.state.Agent != "")))
}

// Press types a key of Keys after the program has shown the input before it.
func (t *Typist) Press(ctx context.Context, key string) error {
	if err := t.echoed(ctx); err != nil {
		return err
	}
	return t.stream.Input(ctx, []byte(key))
}

// ApplicationKeys reports whether the program asked for application cursor keys.
func (t *Typist) ApplicationKeys() bool { return t.term.Modes().ApplicationCursorKeys }

// echoed waits until the program seems to have processed the input.
func (t *Typist) echoed(ctx context.Context) error {
	limit, stop := context.WithTimeout(ctx, typedLimit)
	defer stop()
	for patience := echoTime; ; {
		calm, stop := context.WithTimeout(limit, patience)
		output, err := t.next(calm)
		over := calm.Err() != nil
		stop()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && over:
			return nil
		case err != nil:
			return err
		}
		if output {
			patience = betweenKeys
		}
	}
}

// Submit presses Enter after a text that was typed. For an agent, it checks whether the agent
// accepted the text, and presses Enter again if nothing happens, because agents that are busy
// drawing drop the key. It returns ErrNotTaken if the text is still in the input box in the end.
func (t *Typist) Submit(ctx context.Context, text string) error {
	if err := t.echoed(ctx); err != nil {
		return err
	}
	mark := ending(text)
	if t.state.Agent == "" || mark == "" {
		return t.stream.Input(ctx, []byte("\r"))
	}
	var before sight
	if _, err := t.until(ctx, shownTime, func() bool { before = t.sight(); return before.rowOf(mark) >= 0 }); err != nil {
		return err
	}
	busy := before.State == extractor.StateBusy
	for end := time.Now().Add(typedTime); ; {
		if err := t.stream.Input(ctx, []byte("\r")); err != nil {
			return err
		}
		now := sight{}
		for now.State == extractor.StateUnknown { // it shows something else, or nothing yet
			took := func() bool { now = t.sight(); return now.took(before, mark, busy) }
			taken, err := t.until(ctx, noticeTime, took)
			if err == nil && taken { // an incomplete frame shows less
				err = t.echoed(ctx)
				taken = took()
			}
			if err != nil || taken || now.State == extractor.StateUnknown && time.Now().After(end) {
				return err
			}
		}
		if now.talk() != before.talk() || time.Now().After(end) {
			return ErrNotTaken
		}
	}
}

// sight is what the screen shows of an agent.
type sight struct{ extractor.Sight }

func (t *Typist) sight() sight { return sight{extractor.Look(t.term.Snapshot(), t.state.Agent)} }

// talk returns the text of the conversation.
func (s sight) talk() string { return strings.TrimSpace(strings.Join(s.Talk, "\n")) }

// took reports whether the agent has accepted a text that ends with mark. busy is whether it was
// already working: then its work is no sign, and the text may be in a queue above the input box.
func (s sight) took(before sight, mark string, busy bool) bool {
	was, is := before.rowOf(mark), s.rowOf(mark)
	switch {
	case s.State == extractor.StateAsking, s.State == extractor.StateBusy && !busy:
		return true
	case s.State == extractor.StateUnknown:
		return false
	case was >= 0:
		return is < 0 || is > was+1
	}
	return s.talk() != before.talk()
}

// rowOf returns how many rows are below the last mark on the screen, or -1 if no mark is outside
// the conversation. An agent that folds a pasted text shows a placeholder instead.
func (s sight) rowOf(mark string) int {
	text, rows := "", []int{} // end of each row in the text
	for _, row := range s.Rest {
		if strings.Contains(row, "[Pasted ") {
			row = mark
		}
		text += letters(row)
		rows = append(rows, len(text))
	}
	at := strings.LastIndex(text, mark)
	if at < 0 {
		return -1
	}
	for i, end := range rows {
		if end >= at+len(mark) {
			return len(rows) - 1 - i
		}
	}
	return -1
}

// ending returns the last letters of a text, which can be found even if the window wraps it.
func ending(text string) string {
	const most = 24
	all := []rune(letters(text))
	return string(all[max(0, len(all)-most):])
}

// letters returns the letters and digits of a text.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// pasted returns a text as a terminal types it. A text of several lines is pasted if the program
// asked for bracketed paste, and so is every prompt for an agent: some agents need a time for typed
// keys that is quadratic in their number, and keys may have a special meaning: Tab completes, and ?
// opens Gemini CLI's help. Commands (/clear, !ls) are typed, because pasted they would be text.
func pasted(text string, modes vterm.Modes, agent bool) string {
	const begin, end = "\x1b[200~", "\x1b[201~"
	lines := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\r"), "\n", "\r")
	prompt := agent && text != "" && text[0] != '/' && text[0] != '!'
	if !modes.BracketedPaste || !strings.Contains(lines, "\r") && !prompt {
		return lines
	}
	for strings.Contains(lines, end) { // removing one may create another
		lines = strings.ReplaceAll(lines, end, "")
	}
	return begin + lines + end
}
