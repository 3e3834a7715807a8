package extractor

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestParseAnything feeds each profile rows of its own signs in any order and style: Parse ends,
// and its items take the lines in order, each at most once.
func TestParseAnything(t *testing.T) {
	signs := []string{
		"", "> ask", "❯ ask", "› ask", "▌ ask", "│ > ask │", "● reply", "⏺ reply", "• reply", "✦ reply", "  text",
		"     text", "  ⎿  out",
		"  └ out", "     ▣  Build", "     → Read main.go", "     ⚙ tool", "  ┃", "  ┃  # Run", "  ┃  $ ls", "╭────╮",
		"│ ✓ Shell ls │", "╰────╯", "────────",
		"▄▄▄▄", "▀▀▀▀", "┌─┬─┐", "│a│b│", "└─┴─┘", "  1 code", "  - item", "  2. item", "✻ Thinking…", "✻ Sautéed for 1s",
		"• Ran ls", "• Explored", "■ error",
		"ℹ info", "  ▎ quote", "  ⎿  Interrupted · What should Claude do instead?", " ▐▛███▜▌   Claude Code v2.1.197",
		">_ OpenAI Codex (v0.98.0)",
		"                    █▀▀█ █▀▀█ █▀▀█ █▀▀▄", "~/shop   1.18.33", "Agent powering down. Goodbye!",
		strings.Repeat("─", 40), ">", ">   Type your message or @path/to/file", "*", "é", " ✦ reply", " ✓  Shell ls",
		"  ✓ Shell ls", " ╭────╮", " │ ls │", " ╰────╯",
		"┌──────────┐", "│          │", "│ >_ Qwen Code (v0.24.4) │", "│ coder (/model to change) │", "└──────────┘",
		"› 1. Yes", "│ ● 1. Yes │",
		strings.Repeat("x", 39) + "│", strings.Repeat(" ", 39) + "█",
	}
	grey, onGrey := vterm.Style{Dim: true}, vterm.Style{Bg: rowtest.RGB(0x5f, 0x5f, 0x5f)}
	styles := []vterm.Style{{}, {}, {Bold: true}, grey, onGrey, {Inverse: true}, {Italic: true, Dim: true},
		{Bold: true, Fg: rowtest.RGB(0xcb, 0xa6, 0xf7)}, {Fg: vterm.Color{Kind: vterm.ColorPalette, Palette: 2}}}
	rapid.Check(t, func(t *rapid.T) {
		lines := rowtest.Plain(40, rapid.SliceOfN(rapid.SampledFrom(signs), 0, 30).Draw(t, "rows")...)
		for i := range lines {
			style := rapid.SampledFrom(styles).Draw(t, "style")
			for k := range lines[i].Runs {
				lines[i].Runs[k].Style = style
			}
			lines[i].Lost = rapid.IntRange(0, 9).Draw(t, "lost") == 0
		}
		for _, p := range profiles {
			parseAny(t, p, lines)
		}
	})
}
