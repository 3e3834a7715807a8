package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// The titles of welcomes: without a box in 1.0, and with the version.
const (
	oldWelcome = " ✻ Welcome to Claude Code!"
	title      = "Claude Code v"
)

// Rows of a welcome that say nothing: in a box, below the title without one, beside the logo.
const (
	inBox    = `(?:│.*\n)*?`
	indented = `(?:(?:   .*)?\n)*?`
	beside   = `(?:.*\pL.*\n)*?`
)

// art is the logo, or a piece of it, before what is beside it.
const art = `[^\pL\d~/\n]*`

// welcome is a box that says "Welcome to Claude Code!" (1.0; without the box in a narrow window), a
// box with the version in its top (2.0 on a wide window), or the logo with three lines beside it:
// name and version, model, directory. A narrow window wraps the plan's name behind the model. There
// is no box before its bottom is drawn.
var welcome = chat.Welcome{
	Begins: func(text string) bool {
		return chat.Begins(text, "╭─", oldWelcome) || strings.Contains(text, title)
	},
	Title: "Claude Code",
	Forms: []chat.Form{
		{Text: lazy.Regexp(`^╭─.*\n│.*✻ Welcome to Claude Code.*\n` + inBox + `(?:│ *cwd: (?P<cwd>.*)│\n` + inBox + `)?╰─.*\n`)},
		{Text: lazy.Regexp(`^╭─.*` + title + `(?P<version>\d+\.\d+\.\d+).*\n` + inBox + `(?:│ *(?P<model>[^│\n]*?) · .*\n` + inBox + `)?(?:│ *(?P<cwd>[~/][^│\n]*).*\n` + inBox + `)?╰─.*\n`)},
		{Text: lazy.Regexp(`^` + oldWelcome + `\n(?:` + indented + ` +cwd: (?P<cwd>.*)\n)?(?:(?:   .*)?\n)*`), Bold: "Claude Code!"},
		{Text: lazy.Regexp(`^.*` + title + `(?P<version>\d+\.\d+\.\d+).*\n` + art + `(?P<model>.+?)(?: · .*)?\n` + beside + art + `(?P<cwd>[~/].*)\n`), Bold: title},
	},
}
