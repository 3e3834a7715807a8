// Package gemini reads the Gemini CLI.
package gemini

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
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

// cLI is what the Gemini CLI draws in its own way. Older versions wrap up to four columns before
// the edge.
var cLI = inkcli.CLI{
	Agent: "gemini", Replies: "✦", Notices: "ℹ⚠✕✖", Style: markdown.Style{Left: 2, Slack: 4},
	Banner: banner, Status: status, Call: line, CallCol: 2, Next: inkcli.Next, Begins: inkcli.Begins,
}

// geminiBegins reports whether a row may be the first of the logo.
func geminiBegins(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= '▀' && r <= '▟' })
}

// version is in a row of the small logo or, in a narrow window, below it.
var version = lazy.Regexp(`^[▝▜▄▗▟▀█ ]* Gemini CLI v(\S+)`)

// banner reads the logo: drawn in full and shaded blocks, with two rows more in an IDE, or the
// small one with the version.
func banner(lines []row.Line) (b chat.Banner, n int) {
	n = row.Run(lines, func(l row.Line) bool { return strings.ContainsAny(l.Text, "▝▜▄▗▟▀█░") })
	if n == 0 {
		return b, 0
	}
	for i, l := range lines[:min(n+2, len(lines))] {
		if m := version().FindStringSubmatch(l.Text); m != nil {
			return chat.Banner{Version: m[1]}, max(n, i+1)
		}
	}
	if strings.Contains(lines[0].Text, "███") && (n == 8 || n == 10) {
		return b, n
	}
	return b, 0
}
