package archive

import (
	"index/suffixarray"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// veil blanks all text on a screen that may not belong to the entries of an excerpt. It compares
// only letters and digits, in lower case, because rows wrap and contain boxes, bullets and prompts.
type veil struct {
	whole   *suffixarray.Index  // all texts joined, without line ends
	lines   *suffixarray.Index  // the keys of all parts of all lines, separated by line ends
	line    map[string]bool     // the same keys as a set
	decided map[string][][2]int // hidden ranges by part of a row; cleared when it reaches decidedSize
}

const (
	// shortKey is the length in bytes below which a key occurs in nearly any text. So a shorter key
	// must also begin or end a line of an entry.
	shortKey = 12
	// decidedSize is the maximum size of decided.
	decidedSize = 1 << 14
)

func newVeil(entries []*session.Entry, has func(e *session.Entry) bool) *veil {
	var whole, lines strings.Builder
	v := &veil{line: map[string]bool{}, decided: map[string][][2]int{}}
	add := func(text string) {
		whole.WriteByte(0)
		for line := range strings.SplitSeq(text, "\n") {
			whole.WriteString(key(line))
			for _, p := range parts(line) {
				k := key(line[p[0]:p[1]])
				lines.WriteString("\n" + k)
				v.line[k] = true
			}
		}
	}
	for _, e := range entries {
		if !has(e) {
			continue
		}
		texts := []string{e.Text, e.Markdown, e.Output}
		if e.Tool != nil {
			texts = append(texts, e.Tool.Name, e.Tool.Input, e.Tool.Output)
		}
		for _, text := range texts {
			add(text)
		}
	}
	v.whole, v.lines = suffixarray.New([]byte(whole.String())), suffixarray.New([]byte(lines.String()+"\n"))
	return v
}

func (v *veil) holds(k string) bool { return len(v.whole.Lookup([]byte(k), 1)) > 0 }

// owns reports whether the whole key of a part of a row occurs in the entries. A short key must
// begin or end a line, as text that is being typed and the rest of a wrapped line do.
func (v *veil) owns(k string) bool {
	if len(k) >= shortKey {
		return v.holds(k)
	}
	return len(v.lines.Lookup([]byte("\n"+k), 1)) > 0 || len(v.lines.Lookup([]byte(k+"\n"), 1)) > 0
}

// hidden returns the ranges to blank in a part of a row, in bytes: all words except runs that occur
// in the entries.
func (v *veil) hidden(text string) [][2]int {
	out, ok := v.decided[text]
	if !ok {
		if len(v.decided) >= decidedSize {
			clear(v.decided)
		}
		out = v.decide(text)
		v.decided[text] = out
	}
	return out
}

func (v *veil) decide(text string) (hidden [][2]int) {
	if k := key(text); k == "" || v.owns(k) { // no key: lines, bullets, prompts
		return nil
	}
	words := wordsOf(text)
	for i := 0; i < len(words); {
		end := i
		for end < len(words) && v.holds(key(text[words[i][0]:words[end][1]])) {
			end++
		}
		if end > i {
			if k := key(text[words[i][0]:words[end-1][1]]); k == "" || len(k) >= shortKey || v.line[k] {
				i = end
				continue
			}
		}
		hidden = append(hidden, words[i])
		i++
	}
	return hidden
}

// over returns row with the hidden ranges blanked, or row itself if there are none.
func (v *veil) over(row *vterm.Row) *vterm.Row {
	var hidden [][2]int
	for _, p := range parts(row.Text) {
		for _, h := range v.hidden(row.Text[p[0]:p[1]]) {
			hidden = append(hidden, [2]int{p[0] + h[0], p[0] + h[1]})
		}
	}
	if len(hidden) == 0 {
		return row
	}
	return blank(row, hidden)
}

// blank returns row with these bytes of its text replaced by spaces. Columns do not move.
func blank(row *vterm.Row, hidden [][2]int) *vterm.Row {
	out := *row
	out.Runs = nil
	var line strings.Builder
	at := 0 // start of the run in the text
	for _, r := range row.Runs {
		var text strings.Builder
		rest := 0 // length of the rest of the run's text
		for _, h := range hidden {
			from, to := max(h[0]-at, rest), min(h[1]-at, len(r.Text))
			if from < to {
				text.WriteString(r.Text[rest:from] + strings.Repeat(" ", ansi.StringWidth(r.Text[from:to])))
				rest, r.Style.Link = to, ""
			}
		}
		at += len(r.Text)
		r.Text = text.String() + r.Text[rest:]
		line.WriteString(r.Text)
		out.Runs = append(out.Runs, r)
	}
	out.Text = strings.TrimRight(line.String(), " ")
	return &out
}

// parts splits the text of a row at two or more blanks and at drawn lines. It returns the ranges of
// the parts, in bytes.
func parts(text string) (out [][2]int) {
	gap := 2 // blanks before
	for i, r := range text {
		switch {
		case r >= 0x2500 && r < 0x25a0: // box drawing and block elements
			gap = 2
		case unicode.IsSpace(r):
			gap++
		default:
			if gap > 1 {
				out = append(out, [2]int{i, i})
			}
			gap, out[len(out)-1][1] = 0, i+sizeOf(text[i:])
		}
	}
	return out
}

// wordsOf returns the ranges of the words in a text, in bytes.
func wordsOf(text string) (out [][2]int) {
	in := false
	for i, r := range text {
		if unicode.IsSpace(r) {
			in = false
			continue
		}
		if !in {
			out, in = append(out, [2]int{i, i}), true
		}
		out[len(out)-1][1] = i + sizeOf(text[i:])
	}
	return out
}

func sizeOf(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// key returns the letters, digits and emoji of a text, in lower case.
func key(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r > 0x1f000 {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
