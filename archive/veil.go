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

// veil blanks all text on a screen that does not surely belong to an excerpt's entries. It compares
// letters and digits only, in lower case: rows wrap, and boxes, bullets and prompts come between.
type veil struct {
	whole   *suffixarray.Index  // a text after the other, without line ends
	lines   *suffixarray.Index  // each stretch of each line by itself, between line ends
	line    map[string]bool     // the same
	decided map[string][][2]int // what is hidden of a stretch; forgotten when it has grown to decidedSize
}

const (
	// shortKey is the length in bytes below which a key occurs in nearly any text: where it begins
	// or ends no line, it may be anybody's.
	shortKey = 12
	// decidedSize bounds what is remembered, in stretches.
	decidedSize = 1 << 14
)

func newVeil(entries []*session.Entry, has func(seq int) bool) *veil {
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
		if !has(e.Seq) {
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

// owns reports whether all of a stretch's key is from the entries: a short one begins or ends a
// line, as what is being typed and the rest of what was wrapped do.
func (v *veil) owns(k string) bool {
	if len(k) >= shortKey {
		return v.holds(k)
	}
	return len(v.lines.Lookup([]byte("\n"+k), 1)) > 0 || len(v.lines.Lookup([]byte(k+"\n"), 1)) > 0
}

// hidden returns what is to be blanked of a stretch of a row, in bytes of it: all but the runs of
// words that are from the entries.
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
	if k := key(text); k == "" || v.owns(k) { // without a key: lines, bullets, prompts
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

// over returns row with what is hidden blanked; row itself if that is nothing.
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

// blank returns row with blanks in the place of these bytes of its text. Columns stay where they
// are.
func blank(row *vterm.Row, hidden [][2]int) *vterm.Row {
	out := *row
	out.Runs = nil
	var line strings.Builder
	at := 0 // where the run begins in the text
	for _, r := range row.Runs {
		var text strings.Builder
		rest := 0 // of the run's text
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

// parts returns where the stretches of a row begin and end that two blanks or a drawn line part, in
// bytes.
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

// wordsOf returns where the words of a text begin and end, in bytes.
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
