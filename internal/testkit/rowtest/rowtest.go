// Package rowtest creates rows for tests.
package rowtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Plain returns plain lines of a window that is cols cells wide.
func Plain(cols int, texts ...string) []row.Line {
	out := make([]row.Line, len(texts))
	for i, s := range texts {
		r := &vterm.Row{Text: strings.TrimRight(s, " ")}
		if s != "" {
			r.Runs = []vterm.Run{{Text: s, Width: len([]rune(s))}}
		}
		out[i] = row.Line{Row: r, Cols: cols}
	}
	return out
}

// Any draws arbitrary rows.
func Any(t *rapid.T) []row.Line {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "  ", "- ", "1. ", "12) ", "│", "┌─", "┬", "─┐", "├─┼─┤", "└─┘", "━━━ ━━",
			"───  ──", "## ", "> ", "▎ ", "`", "**", "缓存", "👩‍💻", "x", "long-word-with-hyphens", "---", "[ ] "}),
		rapid.String(),
	)
	n := rapid.IntRange(0, 20).Draw(t, "rows")
	var lines []row.Line
	for range n {
		r := &vterm.Row{Wrapped: rapid.Bool().Draw(t, "wrapped"), Blanks: rapid.IntRange(0, 3).Draw(t, "blanks")}
		col := 0
		for range rapid.IntRange(0, 6).Draw(t, "runs") {
			s := strings.NewReplacer("\n", "", "\t", "").Replace(piece.Draw(t, "text"))
			st := vterm.Style{Bold: rapid.Bool().Draw(t, "bold"), Italic: rapid.Bool().Draw(t, "italic"),
				Link: rapid.SampledFrom([]string{"", "", "https://x.test"}).Draw(t, "link")}
			st.Fg = rapid.SampledFrom([]vterm.Color{{}, {Kind: vterm.ColorPalette, Palette: 4}, RGB(0xaf, 0xaf, 0xaf),
				RGB(0xa6, 0xe3, 0xa1)}).Draw(t, "colour")
			r.Runs = append(r.Runs, vterm.Run{Text: s, Col: col, Width: row.Width(s), Style: st})
			r.Text += s
			col += row.Width(s)
		}
		r.Text = strings.TrimRight(r.Text, " ")
		lines = append(lines, row.Line{Row: r, Cols: rapid.IntRange(0, 40).Draw(t, "cols")})
	}
	return lines
}

// Dump returns the rows of a dump: one row a line, ⟦STYLE|TEXT⟧ for a styled run (b d i u v s, a
// colour as #rrggbb or pN, on#rrggbb for the background), and a + before a row that continues the
// one above.
func Dump(t testing.TB, cols int, dump string) []row.Line {
	t.Helper()
	var out []row.Line
	for _, s := range strings.Split(strings.Trim(dump, "\n"), "\n") {
		s, wrapped := strings.CutPrefix(s, "+")
		r := &vterm.Row{Wrapped: wrapped}
		col := 0
		add := func(text string, st vterm.Style) {
			if text != "" {
				r.Runs = append(r.Runs, vterm.Run{Text: text, Col: col, Width: row.Width(text), Style: st})
				r.Text += text
				col += row.Width(text)
			}
		}
		for s != "" {
			i := strings.Index(s, "⟦")
			if i < 0 {
				add(s, vterm.Style{})
				break
			}
			add(s[:i], vterm.Style{})
			s = s[i+len("⟦"):]
			k := strings.Index(s, "⟧")
			style, text, ok := strings.Cut(s[:k], "|")
			if !ok {
				t.Fatalf("run without a style: %q", s[:k])
			}
			add(text, dumpStyle(t, style))
			s = s[k+len("⟧"):]
		}
		text := strings.TrimRight(r.Text, " ")
		r.Blanks, r.Text = len(r.Text)-len(text), text
		out = append(out, row.Line{Row: r, Cols: cols})
	}
	return out
}

func dumpStyle(t testing.TB, s string) vterm.Style {
	t.Helper()
	var st vterm.Style
	color := func(s string) vterm.Color {
		if n, ok := strings.CutPrefix(s, "p"); ok {
			v, err := strconv.Atoi(n)
			if err != nil {
				t.Fatalf("colour %q", s)
			}
			return vterm.Color{Kind: vterm.ColorPalette, Palette: uint8(v)}
		}
		var c = vterm.Color{Kind: vterm.ColorRGB}
		if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
			t.Fatalf("colour %q", s)
		}
		return c
	}
	for i, f := range strings.Split(s, " ") {
		switch {
		case i == 0:
			st.Bold, st.Dim, st.Italic = strings.Contains(f, "b"), strings.Contains(f, "d"), strings.Contains(f, "i")
			st.Inverse, st.Strikethrough = strings.Contains(f, "v"), strings.Contains(f, "s")
			if strings.Contains(f, "u") {
				st.Underline = vterm.UnderlineSingle
			}
		case strings.HasPrefix(f, "on"):
			st.Bg = color(f[2:])
		case f != "":
			st.Fg = color(f)
		}
	}
	return st
}

// RGB returns an RGB colour.
func RGB(r, g, b uint8) vterm.Color { return vterm.Color{Kind: vterm.ColorRGB, R: r, G: g, B: b} }
