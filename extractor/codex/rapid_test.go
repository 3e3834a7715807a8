package codex

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// pieces are what Codex's rows are made of.
var pieces = []string{
	"• ", "•", "› ", "▌", "> ", ">_ ", "  ", "    ", "  └ ", "  │ ", "■ ", "✗ ", "✔ ", "✘ Failed to apply patch",
	"/status", "╭─", "│ ", "╰─", "─",
	"Ran", "Explored", "Read", "Edited", "(+1 -1)", "Worked for", "done 5:24 AM", "Tip:", "- ", "1. ", "## ",
	"| a | b |", "| --- | --- |", "━━━ ━━━",
	"word", "https://a.test/b", "缓存", "9 ", "+", "… +8 lines", " to interrupt)", " (3s • ", "OpenAI Codex (v0.169.0)",
	"model: ", "{", "}", "",
	"Conversation interrupted", "You canceled the request to run ", "↓ ", "· esc", "1. Yes", "/ T R A N S C R I P T / /",
	"Proposed Plan",
}

func codexRow(t *rapid.T) row.Line {
	r := &vterm.Row{Wrapped: rapid.IntRange(0, 9).Draw(t, "wrapped") == 0}
	col := 0
	for range rapid.IntRange(0, 5).Draw(t, "pieces") {
		text := rapid.SampledFrom(pieces).Draw(t, "piece")
		if text == "" {
			continue
		}
		st := vterm.Style{Bold: rapid.Bool().Draw(t, "bold"), Dim: rapid.Bool().Draw(t, "dim"),
			Italic: rapid.Bool().Draw(t, "italic")}
		switch rapid.IntRange(0, 3).Draw(t, "colour") {
		case 1:
			st.Fg = vterm.Color{Kind: vterm.ColorPalette, Palette: 2}
		case 2:
			st.Fg = vterm.Color{Kind: vterm.ColorRGB, R: 0xcd, G: 0xd6, B: 0xf4}
		case 3:
			st.Bg = vterm.Color{Kind: vterm.ColorRGB, R: 0x44}
		}
		r.Runs = append(r.Runs, vterm.Run{Text: text, Col: col, Width: row.Width(text), Style: st})
		r.Text += text
		col += row.Width(text)
	}
	for len(r.Text) > 0 && r.Text[len(r.Text)-1] == ' ' {
		r.Text = r.Text[:len(r.Text)-1]
	}
	return row.Line{Row: r, Cols: rapid.IntRange(1, 60).Draw(t, "cols")}
}

func TestCodexAnyRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(codexRow), 0, 12).Draw(t, "lines")
		end := 0
		for _, it := range cells.Parse(lines) {
			if it.First < 0 || it.First > it.End || it.End > len(lines) || it.First < end && it.First != it.End {
				t.Fatalf("item of lines [%d, %d) after line %d of %d", it.First, it.End, end, len(lines))
			}
			end = it.End
		}
		sp := split(chat.Screen{Lines: lines, Alt: rapid.Bool().Draw(t, "alt")})
		if sp.Top < 0 || sp.Bottom > len(lines) || sp.OK && !sp.Overlay && sp.Top > sp.Bottom {
			t.Fatalf("split %+v of %d rows", sp, len(lines))
		}
		for i := range lines {
			if _, n := banner(lines[i:]); n > len(lines)-i {
				t.Fatalf("banner of %d lines, there are %d", n, len(lines)-i)
			}
		}
	})
}
