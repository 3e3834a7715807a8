package extractor

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/vterm"
)

// wordWrap wraps a text as agents do: a word that does not fit goes to a new line, a token longer
// than a line is cut at the edge. own: such a token begins on a line of its own (wrap-ansi, when
// that saves a cut; textwrap always).
func wordWrap(text string, room int, own bool) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(text) {
		if textWidth(line) > 0 {
			if textWidth(line)+1+textWidth(w) <= room {
				line += " " + w
				continue
			}
			if textWidth(w) <= room || own || textWidth(line)+1 >= room {
				out, line = append(out, line), ""
			} else {
				line += " "
			}
		}
		for textWidth(line+w) > room {
			n := cutAt(w, room-textWidth(line))
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
		if n += textWidth(string(r)); n > cells {
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
		room := rapid.IntRange(20, 90).Draw(t, "room")
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
			if textWidth(r) == room && strings.HasPrefix(rows[i+1], "(") {
				return
			}
		}
		var lines []Line
		for i, r := range rows {
			lead := "  "
			if i == 0 {
				lead = "● "
			}
			r = lead + r
			lines = append(lines, Line{Row: &vterm.Row{Text: r, Runs: []vterm.Run{{Text: r, Width: textWidth(r)}}}, Cols: room + 3})
		}
		got, _ := body(lines, &look{Left: 2, Right: 1})
		if got != text {
			t.Fatalf("rows\n%s\ngot\n%q, want\n%q", strings.Join(rows, "\n"), got, text)
		}
	})
}

// TestBodyNeverPanics reads rows of anything.
func TestBodyNeverPanics(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "  ", "- ", "1. ", "12) ", "│", "┌─", "┬", "─┐", "├─┼─┤", "└─┘", "━━━ ━━", "───  ──", "## ", "> ", "▎ ", "`", "**", "缓存", "👩‍💻", "x", "long-word-with-hyphens", "---", "[ ] "}),
		rapid.String(),
	)
	looks := []look{{}, claudeish, geminiish, codexish, {Left: 5, Right: 200, Ideo: true, Breaks: "-/"}}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "rows")
		var lines []Line
		for range n {
			row := &vterm.Row{Wrapped: rapid.Bool().Draw(t, "wrapped"), Blanks: rapid.IntRange(0, 3).Draw(t, "blanks")}
			col := 0
			for range rapid.IntRange(0, 6).Draw(t, "runs") {
				s := strings.NewReplacer("\n", "", "\t", "").Replace(piece.Draw(t, "text"))
				st := vterm.Style{Bold: rapid.Bool().Draw(t, "bold"), Italic: rapid.Bool().Draw(t, "italic"), Link: rapid.SampledFrom([]string{"", "", "https://x.test"}).Draw(t, "link")}
				st.Fg = rapid.SampledFrom([]vterm.Color{{}, {Kind: vterm.ColorPalette, Palette: 4}, rgb(0xaf, 0xaf, 0xaf), rgb(0xa6, 0xe3, 0xa1)}).Draw(t, "colour")
				row.Runs = append(row.Runs, vterm.Run{Text: s, Col: col, Width: textWidth(s), Style: st})
				row.Text += s
				col += textWidth(s)
			}
			row.Text = strings.TrimRight(row.Text, " ")
			lines = append(lines, Line{Row: row, Cols: rapid.IntRange(0, 40).Draw(t, "cols")})
		}
		for i := range looks {
			body(lines, &looks[i])
			prompt(lines, &looks[i])
			cutLines(lines, 2, 10)
		}
		verbatim(lines, 1)
		var p shellPrompt
		for _, l := range lines {
			p.learn(l.Row, rapid.IntRange(0, 40).Draw(t, "cursor"), "sh")
			p.waits(l.Row, 3)
		}
		parseShell(lines, &p)
	})
}

// BenchmarkBody reads a long reply, as the reader does at each frame of one that streams.
func BenchmarkBody(b *testing.B) {
	rows := strings.Repeat("  The parser flushes ⟦b|an unbounded queue⟧ so nothing is lost, and the error path is taken when\n  the disk is slow.\n\n"+
		"  - one item that is not wrapped\n  - another\n\n", 50)
	lines := screenRows(b, 100, rows)
	b.ReportAllocs()
	for b.Loop() {
		body(lines, &claudeish)
	}
}
