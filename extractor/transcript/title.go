package transcript

import (
	"path"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Title returns the whole first line of the user's first prompt, or of the first shell command that
// says something, or of the first shell command.
func (p *Processor) Title() string {
	t := p.title
	for _, e := range p.Entries() {
		if t.see(e); t.asked {
			break
		}
	}
	return t.text
}

// title is the title of a session.
type title struct {
	text  string
	says  bool // it is a command that says something
	asked bool // it is from a prompt
}

// see processes the next entry.
func (t *title) see(e *session.Entry) {
	switch {
	case t.asked:
	case e.Role == session.RoleUser:
		t.text, t.asked = firstLine(e.Text), true
	case e.Role != session.RoleShell || t.says:
	case t.text == "" || says(e.Text):
		t.text, t.says = firstLine(e.Text), says(e.Text)
	}
}

// says reports whether a shell command says what a session is about: one of those that it consists
// of does more than prepare the shell or look around.
func says(command string) bool {
	parts := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(";&|\n", r) })
	return slices.ContainsFunc(parts, func(part string) bool {
		words := strings.Fields(part)
		for len(words) > 0 && (prefixes[words[0]] || assigns(words[0])) {
			words = words[1:]
		}
		return len(words) > 0 && !silent[path.Base(words[0])]
	})
}

// assigns reports whether a word is an assignment.
func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, `/'"$`)
}

// prefixes are words before a command.
var prefixes = set("sudo doas env command builtin time")

// silent are commands that many sessions begin with.
var silent = set(": . alias cd clear cls dir exit export history l la ll logout ls popd pushd pwd reset set " +
	"setopt shopt source stty true ulimit umask unalias unset")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
