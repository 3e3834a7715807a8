package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/vterm"
)

// wordWrap wraps a text as agents do: a word that does not fit goes to a new line, a token longer
// than a line is cut at the edge. own: such a token begins on a line of its own (wrap-ansi, when
// that saves a cut; textwrap always).
func wordWrap(text string, room int, own bool) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(text) {
		if row.Width(line) > 0 {
			if row.Width(line)+1+row.Width(w) <= room {
				line += " " + w
				continue
			}
			if row.Width(w) <= room || own || row.Width(line)+1 >= room {
				out, line = append(out, line), ""
			} else {
				line += " "
			}
		}
		for row.Width(line+w) > room {
			n := cutAt(w, room-row.Width(line))
			out, w, line = append(out, line+w[:n]), w[n:], ""
		}
		line += w
	}
	return append(out, line)
}

// cutAt is the length of a text's part that fits into cells.
func cutAt(s string, cells int) int {
	n := 0
	for i, r := range s {
		if n += row.Width(string(r)); n > cells {
			return i
		}
	}
	return len(s)
}

// TestUnwrapRoundTrip wraps texts and reads them back.
func TestUnwrapRoundTrip(t *testing.T) {
	word := rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,10}[,.]?`),
		rapid.StringMatching(`[가-힣]{1,4}`),
		rapid.StringMatching(`https://[a-z/]{60,160}`),
		rapid.StringMatching(`[é-ü]{1,5}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		// any two words fit: a longer name is cut at the edge, as if it were two
		room := rapid.IntRange(24, 90).Draw(t, "room")
		words := rapid.SliceOfN(word, 1, 40).Draw(t, "words")
		for i := 1; i < len(words); i++ { // what follows a token that may end at the edge cannot be told from more of it
			if len(words[i-1]) > 20 {
				words[i] = "(" + words[i]
			}
		}
		text := strings.Join(words, " ")
		own := rapid.Bool().Draw(t, "own line")
		rows := wordWrap(text, room, own)
		for i, r := range rows[:len(rows)-1] {
			if row.Width(r) == room && strings.HasPrefix(rows[i+1], "(") {
				return
			}
		}
		var lines []row.Line
		for i, r := range rows {
			lead := "  "
			if i == 0 {
				lead = "● "
			}
			r = lead + r
			lines = append(lines, row.Line{Row: &vterm.Row{Text: r, Runs: []vterm.Run{{Text: r, Width: row.Width(r)}}},
				Cols: room + 3})
		}
		got, _ := Render(lines, &Style{Left: 2, Right: 1})
		if got != text {
			t.Fatalf("rows\n%s\ngot\n%q, want\n%q", strings.Join(rows, "\n"), got, text)
		}
	})
}

// TestBodyNeverPanics reads rows of anything.
func TestBodyNeverPanics(t *testing.T) {
	looks := []Style{{}, claudeish, geminiish, codexish, {Left: 5, Right: 200}}
	rapid.Check(t, func(t *rapid.T) {
		lines := rowtest.Any(t)
		for i := range looks {
			Render(lines, &looks[i])
			Prompt(lines, &looks[i])
			for _, l := range lines {
				row.CutLine(l, 2, 10)
			}
		}
		Verbatim(lines, 1)
	})
}

// BenchmarkBody reads a long reply, as the reader does at each frame of one that streams.
func BenchmarkBody(b *testing.B) {
	rows := strings.Repeat("  The parser flushes ⟦b|an unbounded queue⟧ so nothing is lost, and the error path is "+
		"taken when\n  the disk is slow.\n\n"+
		"  - one item that is not wrapped\n  - another\n\n", 50)
	lines := rowtest.Dump(b, 100, rows)
	b.ReportAllocs()
	for b.Loop() {
		Render(lines, &claudeish)
	}
}
