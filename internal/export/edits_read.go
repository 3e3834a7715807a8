package export

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// editLine is a numbered line in a tool's output.
type editLine struct {
	number int
	rest   string // text after the number
	apart  bool   // whether a mark shows that lines were left out before this one
}

// editReader parses the output of one tool call.
type editReader struct {
	edit    *Edit
	agent   string
	writes  bool // whether the tool writes whole files
	head    string
	shown   []editLine
	plain   []string // lines without a number
	skips   int      // number of marks for lines that are left out
	offset  int      // new line number minus old line number
	started bool
	old     int // number of the next line, in the old and in the new file
	new     int
}

var (
	numbered = lazy.Regexp(`^ *([0-9]{1,7})( .*|)$`)
	heading  = lazy.Regexp(`^(Updated |Added |Removed |Wrote |Created |Accepted|Successfully |Edit applied|\(\+[0-9])`)
	skipped  = lazy.Regexp(`^ *(\.\.\.|…|⋮|═+|─+)$`)
	added    = lazy.Regexp(`(?i)([0-9]+) additions?|added ([0-9]+) lines?|\(\+([0-9]+)|wrote ([0-9]+) lines?`)
	removed  = lazy.Regexp(`(?i)([0-9]+) removals?|removed ([0-9]+) lines?|\(\+[0-9]+,? -([0-9]+)`)
	spoken   = lazy.Regexp(`^(hunk|add|del|context):( (.*)|)$`)
)

// lines splits an output into numbered and other lines.
func (r *editReader) lines(output string) {
	text := strings.TrimRight(output, "\n")
	if text == "" {
		return
	}
	apart := false
	for i, row := range strings.Split(text, "\n") {
		m := numbered().FindStringSubmatch(row)
		switch {
		case i == 0 && heading().MatchString(strings.TrimSpace(row)):
			r.head = strings.TrimSpace(row)
		case m != nil:
			n, _ := strconv.Atoi(m[1]) // it has few digits
			r.shown = append(r.shown, editLine{number: n, rest: m[2], apart: apart})
			apart = false
		case skipped().MatchString(row):
			apart = true
			r.skips++
		default:
			r.plain = append(r.plain, row)
		}
	}
}

// finish turns the lines into hunks.
func (r *editReader) finish() {
	x := r.edit
	switch {
	case len(r.shown) == 0 && len(r.plain) > 0 && spoken().MatchString(r.plain[0]):
		r.spoken()
	case len(r.shown) == 0 && r.writes:
		r.whole(r.plain)
	case len(r.shown) == 0:
		x.Partial = "no lines were shown"
		return
	case r.writes && r.listing():
		rows := make([]string, len(r.shown))
		for i, l := range r.shown {
			rows[i] = strings.TrimPrefix(l.rest, " ")
		}
		r.whole(rows)
		r.unread()
	default:
		r.signed()
		r.unread()
	}
	x.Added, x.Removed = countSigned(x.Hunks, '+'), countSigned(x.Hunks, '-')
	for _, side := range []struct {
		re    *regexp.Regexp
		shown int
	}{{added(), x.Added}, {removed(), x.Removed}} {
		if n, ok := stated(side.re, r.head); ok && n != side.shown && x.Partial == "" {
			x.Partial = "lines were not shown"
		}
	}
}

// unread marks the edit as partial if there are lines without a number: a line was wrapped, or not
// understood.
func (r *editReader) unread() {
	for _, row := range r.plain {
		if strings.TrimSpace(row) != "" && r.edit.Partial == "" {
			r.edit.Partial = "lines were wrapped or cut"
		}
	}
}

// stated returns the number of lines that a heading mentions.
func stated(re *regexp.Regexp, head string) (int, bool) {
	m := re.FindStringSubmatch(head)
	if m == nil {
		return 0, false
	}
	for _, text := range m[1:] {
		if text != "" {
			n, err := strconv.Atoi(text)
			return n, err == nil
		}
	}
	return 0, false
}

func countSigned(hunks []Hunk, sign byte) (n int) {
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l[0] == sign {
				n++
			}
		}
	}
	return n
}

// listing reports whether the output lists a whole file: its lines have no signs, and their numbers
// countSigned up from 1. Codex puts a plus before each line.
func (r *editReader) listing() bool {
	pluses := true
	for i, l := range r.shown {
		if l.number != i+1 || l.apart {
			return false
		}
		pluses = pluses && strings.HasPrefix(strings.TrimLeft(l.rest, " "), "+")
	}
	return !pluses || r.agent != "codex" && r.agent != ""
}

// whole makes the edit one that writes the whole file.
func (r *editReader) whole(rows []string) {
	if len(rows) == 0 {
		return
	}
	h := Hunk{NewStart: 1, NewLines: len(rows)}
	for _, row := range rows {
		h.Lines = append(h.Lines, "+"+row)
	}
	r.edit.Created, r.edit.Hunks = true, []Hunk{h}
}

// explained reports whether everything that the screen left out of an edit is between hunks.
func (r *editReader) explained(e *session.Entry) bool {
	return r.skips > 0 && e.OmittedLines == 0 && (e.TruncatedAt == session.TruncatedMiddle || e.TruncatedAt == "") &&
		len(r.edit.Hunks) == r.skips+1
}

// spoken parses the lines that Gemini CLI writes for screen readers.
func (r *editReader) spoken() {
	signs := map[string]string{"add": "+", "del": "-", "context": " "}
	for _, row := range r.plain {
		m := spoken().FindStringSubmatch(row)
		if m == nil {
			if strings.TrimSpace(row) != "" {
				r.edit.Partial = "lines were wrapped or cut"
			}
			continue
		}
		if m[1] == "hunk" {
			h, ok := parseHunk(m[3])
			if !ok {
				r.edit.Partial = "its line numbers are not known"
			}
			r.edit.Hunks = append(r.edit.Hunks, h)
			r.edit.Created = h.OldStart == 0 && h.OldLines == 0
			continue
		}
		if len(r.edit.Hunks) == 0 {
			r.edit.Partial = "its line numbers are not known"
			r.edit.Hunks = append(r.edit.Hunks, Hunk{OldStart: 1, NewStart: 1})
		}
		h := &r.edit.Hunks[len(r.edit.Hunks)-1]
		h.Lines = append(h.Lines, signs[m[1]]+m[3])
	}
	for i := range r.edit.Hunks {
		h := &r.edit.Hunks[i]
		one := []Hunk{*h}
		oldLines, newLines := len(h.Lines)-countSigned(one, '+'), len(h.Lines)-countSigned(one, '-')
		if (oldLines != h.OldLines || newLines != h.NewLines) && r.edit.Partial == "" {
			r.edit.Partial = "lines were not shown"
		}
		h.OldLines, h.NewLines = oldLines, newLines
	}
}

var hunkHead = lazy.Regexp(`^@@ -([0-9]{1,7})(?:,([0-9]{1,7}))? \+([0-9]{1,7})(?:,([0-9]{1,7}))? @@`)

func parseHunk(text string) (h Hunk, ok bool) {
	m := hunkHead().FindStringSubmatch(text)
	if m == nil {
		return Hunk{OldStart: 1, NewStart: 1}, false
	}
	number := func(text string) int {
		if text == "" {
			return 1
		}
		n, _ := strconv.Atoi(text) // it has few digits
		return n
	}
	return Hunk{OldStart: number(m[1]), OldLines: number(m[2]), NewStart: number(m[3]), NewLines: number(m[4])}, true
}
