package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// title is the text before the version.
const title = "Claude Code v"

// Rows of a welcome without information: in a box, below the title without one, beside the logo.
const (
	inBox    = `(?:│.*\n)*?`
	indented = `(?:(?:   .*)?\n)*?`
	beside   = `(?:.*\pL.*\n)*?`
)

// art matches the logo, or a piece of it, before the text beside it.
const art = `[^\pL\d~/\n]*`

// welcome is the logo with three lines beside it: name and version, model, directory; or a box with
// the version in its top. A narrow window wraps the plan's name after the model. A box counts only
// once its bottom is drawn. A rule with the version in it is the head of the dialog of /help.
var welcome = chat.Welcome{
	Begins: func(text string) bool { return strings.Contains(text, title) },
	Titles: []string{title},
	Forms:  forms(`\d+\.\d+`),
}

// forms returns the forms of the welcomes of versions that begin with versions.
func forms(versions string) []chat.Form {
	named := title + `(?P<version>(?:` + versions + `)\.\d+).*\n`
	return []chat.Form{
		{Text: lazy.Regexp(`^╭─.*` + named + inBox + `(?:│ *(?P<model>[^│\n]*?) · .*\n` + inBox +
			`)?(?:│ *(?P<cwd>[~/][^│\n]*).*\n` + inBox + `)?╰─.*\n`)},
		{Text: lazy.Regexp(`^[^─\n]*` + named + art + `(?P<model>.+?)(?: · .*)?\n` + beside + art + `(?P<cwd>[~/].*)\n`),
			Bold: title},
	}
}
