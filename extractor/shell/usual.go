package shell

import (
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// What prompts are made of: the environment that is active, user@host, and a folder, with a branch
// in brackets behind it.
const (
	venvForm   = `(?:\([^)]{0,38}\) )?`
	hostForm   = `[\pL\p{Nd}._-]+@[\pL\p{Nd}._-]+`
	folderForm = `[^ ]*?(?: [^ ]+?)??(?: \((?:[^ ]| [^ ])*?\))??`
)

// usualForms are the prompts that nothing else looks like. Their groups are what is before the
// piece that varies, and what is behind it.
var usualForms = []func() *regexp.Regexp{
	lazy.Regexp(`^(` + venvForm + zshForm + `)`),
	lazy.Regexp(`^(` + venvForm + `PS )(?:[/~]|.:.).*?(> )`),
	lazy.Regexp(`^(` + venvForm + hostForm + `[: ])(?: ??[/~]` + folderForm + `( ?[$#%>❯](?: |$))| ??` + folderForm + `( ?[$#%](?: |$)))`),
	lazy.Regexp(`^(` + venvForm + `\[` + hostForm + `[: ])(?: ??[/~]` + folderForm + `(\][$#%>❯](?: |$))| ??` + folderForm + `(\][$#%](?: |$)))`),
	lazy.Regexp(`^((?:bash|sh|zsh)-[0-9.]+[$#%])(?: |$)`),
}

// zshForm is the prompt of Oh My Zsh: a folder, and the branch where there is one. All of it is
// what is before, as nothing else tells where it ends.
const zshForm = `➜  [^ ]+(?: git:\([^)]*\))?(?: ✗)?(?: ✔)?`

// zshPrompt is zshForm at the start of a text.
var zshPrompt = lazy.Regexp(`^` + zshForm)

// usualPrompt reads a prompt that nothing else looks like, from the text of a row or of a prompt
// alone: what is around the piece that varies.
func usualPrompt(text string) (head, tail string, ok bool) {
	if !strings.ContainsAny(text, "$#%>❯➜") {
		return "", "", false
	}
	for _, form := range usualForms {
		if m := form().FindStringSubmatch(text); m != nil {
			if head, tail = m[1], strings.Join(m[2:], ""); tail == "" {
				head += " "
			}
			return head, tail, true
		}
	}
	return "", "", false
}

// virtual is an environment at the start of a prompt.
var virtual = lazy.Regexp(`^\([^)]{0,38}\) `)

// firstLine is what the first line of a prompt that ends with a lone sign on the next looks like.
var firstLine = lazy.Regexp(`^[~/]|^` + hostForm + `[^\pL\p{Nd}._-]| on | via `)

// replPrompt is the prompt of a program that is no shell.
var replPrompt = lazy.Regexp(`^(?:>>>|\.\.\.|>|\((?:gdb|lldb)\)|ftp>|node>|.*sql(?:ite)?>|irb\(.*|In \[.*|iex\(.*) *$`)

// assignsPrompt is in a command that changes the shell's prompt.
var assignsPrompt = lazy.Regexp(`(?:^|[ ;&\n])(?:PS1|PROMPT)=`)

// startsShell is a command that may start a shell, or read a file that changes the prompt.
var startsShell = lazy.Regexp(`^\s*(?:(?:exec|sudo|env|command|\S*=\S*)(?:\s+|$))*(?:$|(?:\S*/)?(?:` +
	`sh|bash|dash|zsh|fish|ksh|su|ssh|mosh|docker|podman|kubectl|chroot|nix-shell|newgrp|unshare|nsenter|\.|source|eval|conda|-i|-s)(?:\s|$))`)

// continuation is a line typed at a continuation prompt: > of bash and sh, dquote> and its like of
// zsh. Its group is what was typed.
var continuation = lazy.Regexp(`^ *(?:` + zshWord + `(?: +` + zshWord + `)*)? *>(?: (.*)|$)`)

// zshWord is what zsh says before the sign of a continuation prompt.
const zshWord = `(?:quote|dquote|bquote|cmdsubst|subsh|pipe|for|while|until|if|then|else|elif|do|case|function|heredoc|` +
	`cmdand|cmdor|cursh|select|repeat|mathsubst|braceparam|array)`

// goesOn is the end of a command that a shell asks for more of.
var goesOn = lazy.Regexp(`[\\|{(]$|&&$`)

// quoted is a command whose quotes are all closed.
var quoted = lazy.Regexp(`(?s)^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*\\?$`)

// compound is a command that needs a compoundBody.
var (
	compound     = lazy.Regexp(`(?:^|[ ;\n\t])(?:for|while|until|if)(?:[ ;\n\t]|$)`)
	compoundBody = lazy.Regexp(` do|then`)
)

// depths is by how much words change how deep what follows is nested.
var depths = map[string]int{
	"do": 1, "then": 1, "case": 1, "{": 1, "done": -1, "fi": -1, "esac": -1, "}": -1,
	"elif": -1, // its then is one more for the same fi
}

// hereDocument begins a here document. Its group is the word that ends it, perhaps in quotes.
var hereDocument = lazy.Regexp(`^(?:[^<]|<[^<])*?<<(-? *[^< \n;|&>][^ \n;|&>]*)`)
