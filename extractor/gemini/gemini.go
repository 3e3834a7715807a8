// Package gemini reads the Gemini CLI.
package gemini

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// Agent returns the Gemini CLI, an Ink program that draws on the main screen: finished items scroll
// off as they are (Ink's Static), the growing ones and the composer are drawn again with each
// frame, and everything is reprinted after a wipe. What it says begins with a sign in the first
// column; replies hang two columns under their ✦.
//
//	to 0.2x   logo in blocks, prompts as "> text", composer in a ╭─╮ box
//	0.15, 0.16, and wherever the user wants it: the same on the alternate screen, with a scroll
//	          bar in the last column and the head of a box that is cut off above kept in sight
//	from 0.3x a small logo with the version, prompts between half-block bars ▄▄▄ and ▀▀▀ on a
//	          background, so the composer; tools without much output as one line
//	          "  ✓  ReadFile  main.go"
func Agent() *chat.Agent {
	return &chat.Agent{
		Name: "gemini", Title: "Gemini CLI", Usage: inkcli.Usage(),
		Resume: chat.ResumedBy("gemini", []string{"--resume", chat.ResumeID}, chat.UUID, `gemini --resume '?`, "--resume", "-r"),
		Send:   &chat.Sending{Interrupt: []string{"\x03"}, Typed: true, Completes: true, Folds: []string{"[Pasted Text: "}},
		Looks: []chat.Look{{
			Versions: "0.1-", Farewell: true,
			Begins: geminiBegins, Banner: banner, Split: split, Parse: cLI.Parse, Box: inkcli.InputBox,
		}, spokenLook},
	}
}

// cLI is what the Gemini CLI draws in its own way.
var cLI = inkcli.CLI{Agent: "gemini", Replies: "✦", Notices: "ℹ⚠✕✖", Banner: banner, Status: status, IsCall: dense, Call: line}

// geminiBegins reports whether a row may be the first of the logo.
func geminiBegins(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= '▀' && r <= '▟' })
}

// banner reads the logo: drawn in blocks, or the small one beside "Gemini CLI v0.61.0", or
// above that in a narrow window. In an IDE the logo in blocks has a shade above.
func banner(lines []row.Line) (b chat.Banner, n int) {
	if b, n := narrowBanner(lines); n > 0 {
		return b, n
	}
	if at := strings.Index(lines[0].Text, "Gemini CLI v"); at > 0 && row.IsBlocks(lines[0].Text[:at]) {
		b.Version, _, _ = strings.Cut(lines[0].Text[at+len("Gemini CLI v"):], " ")
		return b, 1 + chat.Run(lines[1:], func(l row.Line) bool { return strings.ContainsAny(l.Text, "▝▜▄▗▟▀█") })
	}
	n = chat.Run(lines, func(l row.Line) bool { return isBlockArt(l.Text) })
	if !strings.Contains(lines[0].Text, "███") || n != 8 && n != 10 {
		return b, 0
	}
	return b, n
}

// narrowBanner reads the small logo with the version below it.
func narrowBanner(lines []row.Line) (b chat.Banner, n int) {
	n = chat.Run(lines, func(l row.Line) bool { return row.IsBlocks(l.Text) })
	if n < 3 || len(lines) < n+2 {
		return b, 0
	}
	v, ok := strings.CutPrefix(lines[n+1].Text, " Gemini CLI v")
	if !ok {
		return b, 0
	}
	b.Version, _, _ = strings.Cut(v, " ")
	return b, n + 2
}

// isBlockArt reports whether a row is made of full and shaded blocks only.
func isBlockArt(s string) bool { return s != "" && strings.Trim(s, "█░ ") == "" }
