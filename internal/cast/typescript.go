package cast

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// Typescripts are the recordings of script(1): the bytes in one file, their times in another. A
// line of the classic timing is "DELAY BYTES". A line of the advanced one (util-linux 2.35) is "O
// DELAY BYTES" for output, "I DELAY BYTES" for input, "S DELAY SIGWINCH ROWS=n COLS=n" or "H DELAY
// NAME VALUE". Delays are seconds since the previous line.

// TypescriptStart is the beginning of every typescript.
const TypescriptStart = "Script started on "

// typescript reads the two files in parallel.
type typescript struct {
	data, timing *source
	held         []string // the first timing line that is not a header
	input        bool     // whether the data contains input between the output
	status       int
	hasStatus    bool
}

// NewTypescript reads the headers of a typescript and of its timing. Errors and Close are as with
// NewReader.
func NewTypescript(data, timing io.Reader) (*Reader, error) {
	r := &Reader{Header: Header{Version: 0, Cols: defaultCols, Rows: defaultRows, Env: map[string]string{}}}
	t := &typescript{}
	var err error
	if t.data, err = newSource(data); err != nil {
		return nil, err
	}
	if t.timing, err = newSource(timing); err != nil {
		t.data.close()
		return nil, err
	}
	r.src, r.special = t.data, t.next
	closeData := t.data.close
	t.data.close = func() { closeData(); t.timing.close() }
	if err := t.readHead(&r.Header); err != nil {
		t.data.close()
		return nil, err
	}
	return r, nil
}

func (t *typescript) readHead(h *Header) error {
	first, err := t.data.next()
	if err != nil || !bytes.HasPrefix(first, []byte(TypescriptStart)) {
		return fmt.Errorf("%w: it does not begin as a typescript", session.ErrNotRecording)
	}
	parseTypescriptHead(string(first), h)
	names := map[string]string{}
	for {
		f, err := t.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("timing: %w", err)
		}
		if f[0] != "H" {
			t.held = f
			break
		}
		names[f[2]] = f[3]
	}
	t.input = names["INPUT_LOG"] != "" && names["INPUT_LOG"] == names["OUTPUT_LOG"]
	for name, value := range names {
		setTypescriptHead(h, name, value)
	}
	return nil
}

var typescriptFacts = lazy.Regexp(`([A-Z]+)="(.*?)"( [A-Z]+="| <not executed|\]$|$)`)

// parseTypescriptHead reads "Script started on 2026-11-21 06:57:59+00:00 [TERM="xterm" COLUMNS="80"
// LINES="24" COMMAND="…"]".
func parseTypescriptHead(line string, h *Header) {
	rest := strings.TrimPrefix(line, TypescriptStart)
	when, facts, _ := strings.Cut(rest, " [")
	setTypescriptHead(h, "START_TIME", strings.TrimSpace(when))
	for facts != "" {
		m := typescriptFacts().FindStringSubmatchIndex(facts)
		if m == nil {
			return
		}
		setTypescriptHead(h, facts[m[2]:m[3]], facts[m[4]:m[5]])
		facts = facts[m[6]:]
	}
}

func setTypescriptHead(h *Header, name, value string) {
	switch name {
	case "START_TIME":
		for _, layout := range []string{"2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05Z07:00", time.ANSIC, time.UnixDate} {
			if at, err := time.Parse(layout, value); err == nil {
				h.Timestamp = at.UTC()
				if s := at.Unix(); s < 0 || s > maxTimestamp {
					h.Timestamp = time.Time{}
				}
			}
		}
	case "COLUMNS":
		n, _ := strconv.Atoi(value)
		h.Cols = orDefault(n, h.Cols)
	case "LINES":
		n, _ := strconv.Atoi(value)
		h.Rows = orDefault(n, h.Rows)
	case "COMMAND":
		h.Command = value
	case "TERM":
		h.Term = value
	}
}

// line returns the fields of the next timing line: kind, delay, then the fields of that kind. A
// line of the classic format is returned as kind O.
func (t *typescript) line() ([]string, error) {
	for {
		b, err := t.timing.next()
		if err != nil {
			return nil, err
		}
		f := strings.Fields(string(b))
		switch {
		case len(f) == 0:
			continue
		case len(f) == 2:
			return append([]string{"O"}, f...), nil
		case len(f) >= 3 && f[0] == "H":
			_, value, _ := strings.Cut(string(b), f[2])
			return []string{"H", f[1], f[2], strings.TrimSpace(value)}, nil
		case len(f) >= 3 && len(f[0]) == 1:
			return f, nil
		}
		return nil, fmt.Errorf("timing, line %d: %w: %q", t.timing.line, session.ErrCorrupt, clipLine(b))
	}
}

func clipLine(b []byte) []byte { return b[:min(len(b), 40)] }

// next returns the next event, with the time since the previous one.
func (t *typescript) next() (ev session.Event, ok bool, err error) {
	f, err := t.nextLine()
	if errors.Is(err, io.EOF) && t.hasStatus {
		t.hasStatus = false
		return session.Event{Kind: session.Exit, Status: t.status}, true, nil
	}
	if err != nil {
		return ev, false, err
	}
	var rest []byte
	if ev.At, rest, err = decodeTime([]byte(f[1])); err != nil || len(rest) > 0 {
		return ev, false, fmt.Errorf("timing, line %d: %w: %q is not a delay", t.timing.line, session.ErrCorrupt, f[1])
	}
	switch {
	case f[0] == "O" || f[0] == "I" && t.input:
		ev.Kind = session.Output
		if f[0] == "I" {
			ev.Kind = session.Input
		}
		ev.Data, err = t.take(f[2])
		return ev, len(ev.Data) > 0, err
	case f[0] == "S" && f[2] == "SIGWINCH":
		ev.Kind = session.Resize
		ev.Cols, ev.Rows = windowSize(f[3:])
		return ev, ev.Rows > 0 && ev.Cols > 0, nil
	case f[0] == "H" && f[2] == "EXIT_CODE":
		t.status, err = strconv.Atoi(f[3])
		t.hasStatus = err == nil
	}
	return ev, false, nil
}

// nextLine returns the line that is held back, or else the next one.
func (t *typescript) nextLine() ([]string, error) {
	if f := t.held; f != nil {
		t.held = nil
		return f, nil
	}
	return t.line()
}

// windowSize returns the size of the window in the words ROWS=N and COLS=N.
func windowSize(words []string) (cols, rows int) {
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "ROWS":
			rows = n
		case "COLS":
			cols = n
		}
	}
	return cols, rows
}

// take returns the next bytes of the data. If the data ends early, the recording is truncated.
func (t *typescript) take(size string) ([]byte, error) {
	n, err := strconv.Atoi(size)
	if err != nil || n < 0 || n > maxLine {
		return nil, fmt.Errorf("timing, line %d: %w: %q is not a size", t.timing.line, session.ErrCorrupt, size)
	}
	data := make([]byte, n)
	got, err := io.ReadFull(t.data.br, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isCut(err) {
		t.data.cut = true
		if got == 0 && n > 0 {
			return nil, io.EOF
		}
		return data[:got], nil
	}
	return data, err
}
