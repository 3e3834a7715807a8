package extractor

import (
	"strings"

	"github.com/ptyrec/ptyrec/vterm"
)

// gemini is the Gemini CLI, an Ink program that draws on the main screen: finished items scroll off
// as they are (Ink's Static), the growing ones and the composer are drawn again with each frame,
// and everything is reprinted after a wipe. What it says begins with a sign in the first column;
// replies hang two columns under their ✦.
//
//	to 0.2x   logo in blocks, prompts as "> text", composer in a ╭─╮ box
//	0.15, 0.16, and wherever the user wants it: the same on the alternate screen, with a scroll
//	          bar in the last column and the head of a box that is cut off above kept in sight
//	from 0.3x a small logo with the version, prompts between half-block bars ▄▄▄ and ▀▀▀ on a
//	          background, so the composer; tools without much output as one line
//	          "  ✓  ReadFile  main.go"
var geminiAgent = &Agent{
	Name: "gemini", Title: "Gemini CLI", Usage: inkUsageLooks,
	Resume: resumption("gemini", []string{"--resume", ResumeID}, uuidPattern, `gemini --resume '?`, "--resume", "-r"),
	Looks: []agentLook{{
		Versions: "0.1-", Farewell: true,
		Begins: geminiBegins, Banner: geminiBanner, Split: geminiSplit, Parse: geminiCLI.parse, Box: geminiInputBox,
	}, spokenLook},
}

// geminiCLI is what the Gemini CLI draws in its own way.
var geminiCLI = inkAgent{name: "gemini", replies: "✦", notices: "ℹ⚠✕✖", banner: geminiBanner, status: geminiStatus, isCall: geminiDense, call: geminiLine}

// geminiBegins reports whether a row may be the first of the logo.
func geminiBegins(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return true
		}
	}
	return false
}

// geminiBanner reads the logo: drawn in blocks, or the small one beside "Gemini CLI v0.61.0", or
// above that in a narrow window.
func geminiBanner(lines []Line) (b Banner, n int) {
	if b, n := geminiNarrowBanner(lines); n > 0 {
		return b, n
	}
	if at := strings.Index(lines[0].Text, "Gemini CLI v"); at > 0 && isLogo(lines[0].Text[:at]) {
		b.Version, _, _ = strings.Cut(lines[0].Text[at+len("Gemini CLI v"):], " ")
		for n = 1; n < len(lines) && n < 6; n++ {
			if t := lines[n].Text; t == "" || !strings.ContainsAny(t, "▝▜▄▗▟▀█") {
				break
			}
		}
		return b, n + geminiTips(lines[n:])
	}
	if !strings.Contains(lines[0].Text, "███") && !strings.Contains(lines[0].Text, "░░░░░") {
		return b, 0
	}
	for n < len(lines) && isBlockArt(lines[n].Text) {
		n++
	}
	if full := strings.Contains(lines[0].Text, "█"); full && n != 8 || !full && n != 10 { // in an IDE the logo has a shade above
		return b, 0
	}
	return b, n + geminiTips(lines[n:])
}

// geminiNarrowBanner reads the small logo with the version below it.
func geminiNarrowBanner(lines []Line) (b Banner, n int) {
	for n < min(len(lines), 6) && isLogo(lines[n].Text) {
		n++
	}
	if n < 3 || n+1 >= len(lines) || lines[n].Text != "" {
		return b, 0
	}
	v, ok := strings.CutPrefix(lines[n+1].Text, " Gemini CLI v")
	if !ok {
		return b, 0
	}
	b.Version, _, _ = strings.Cut(v, " ")
	return b, n + 2 + geminiTips(lines[n+2:])
}

// isLogo reports whether a text is a row of the small logo.
func isLogo(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.Trim(s, "▝▜▄▗▟▀█▘▖▙▛▌▐ ") == ""
}

// isBlockArt reports whether a row is made of full and shaded blocks only.
func isBlockArt(s string) bool {
	return s != "" && (s[0] == ' ' || s[0] >= 0x80) && strings.Trim(s, "█░ ") == ""
}

// geminiTips counts the lines of the tips, with the notices between logo and tips.
func geminiTips(lines []Line) int {
	for i := 0; i < len(lines) && i < 24; i++ {
		if lines[i].Text == "Tips for getting started:" {
			for i++; i < len(lines) && lines[i].Text != "" && !isTalk(lines[i]) && !strings.HasPrefix(lines[i].Text, "╭"); {
				i++
			}
			return i
		}
		if isTalk(lines[i]) {
			break
		}
	}
	return 0
}

// isTalk reports whether a prompt or a reply begins on a row.
func isTalk(l Line) bool {
	return strings.HasPrefix(l.Text, "✦ ") || strings.HasPrefix(l.Text, "> ") || isBar(l)
}

// isBar reports whether a row is one of the half-block bars above and below a prompt, over the
// whole width.
func isBar(l Line) bool {
	t := l.Text
	if len(t) < 3*8 || t[:3] != "▄" && t[:3] != "▀" {
		return false
	}
	return t[3:] == t[:len(t)-3]
}

// leadingBlanks counts the blanks at a text's start.
func leadingBlanks(s string) int {
	n := 0
	for n < len(s) && s[n] == ' ' {
		n++
	}
	return n
}

// hasInverse reports whether a cell of the row is drawn inverse, as Gemini draws its cursor.
func hasInverse(r *vterm.Row) bool {
	for i := range r.Runs {
		if r.Runs[i].Style.Inverse {
			return true
		}
	}
	return false
}

// hasBackground reports whether the row's first cell has a background, as the prompts between bars
// have.
func hasBackground(r *vterm.Row) bool {
	return len(r.Runs) > 0 && r.Runs[0].Col == 0 && r.Runs[0].Style.Bg.Kind != vterm.ColorDefault
}
