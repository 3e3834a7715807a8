// Package gemini reads the Gemini CLI.
package gemini

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/markdown"
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
		Resume: chat.ResumedBy("gemini", []string{"--resume", chat.ResumeID}, chat.UUID, `gemini --resume '?`, "--resume",
			"-r"),
		Send: &chat.Sending{Interrupt: []string{"\x03"}, Typed: true, Completes: true, Folds: []string{"[Pasted Text: "}},
		Looks: []chat.Look{{
			Versions: "0.1-", Farewell: true,
			Begins: welcome.Begins, Banner: welcome.Banner, Split: split, Parse: parse, Box: inkcli.InputBox,
		}, spokenLook},
	}
}

// parse reads the items off conversation lines. Older versions wrap up to four columns before the
// edge.
var parse = (&inkcli.CLI{
	Agent: "gemini", Replies: []string{"✦"}, Notices: []string{"ℹ", "⚠", "✕", "✖"},
	Style:   markdown.Style{Left: 2, Slack: 4},
	Welcome: &welcome, Status: status, Call: chat.Cell{Begin: inkcli.CallAt(2), Rows: inkcli.CallRows("     ", result),
		Add: inkcli.Call(line)},
}).Parse()

// The logo: blocks are the characters that it is drawn with, blocky a row with one.
const (
	blocks = `▝▜▄▗▟▀█░`
	blocky = `(?:[^\n` + blocks + `]*[` + blocks + `].*\n)`
)

// welcome is the small logo with the version beside it or, in a narrow window, below it; or the one
// in full and shaded blocks, with two rows more in an IDE.
var welcome = chat.Welcome{
	Begins: func(text string) bool { return strings.Contains(text, "███") || strings.Contains(text, "▝") },
	Titles: []string{"███", "Gemini CLI v"},
	Forms: []chat.Form{
		{Text: lazy.Regexp(`^.*███.*\n` + blocky + `{7}(?:` + blocky + `{2})?`)},
		{Text: lazy.Regexp(`^` + blocky + `*(?:.*\n)??[▝▜▄▗▟▀█ ]* Gemini CLI v(?P<version>\S+).*\n` + blocky + `*`)},
	},
}
