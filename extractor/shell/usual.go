package shell

import (
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// What prompts are made of: the environments that are active, user@host, a folder with a branch in
// brackets behind it, and the branch as Oh My Zsh shows it.
const (
	venvForm   = `(?:\([^)]{0,38}\) )*`
	hostForm   = `[\pL\p{Nd}._-]+@[\pL\p{Nd}._-]+`
	folderForm = `[^ ]*?(?: [^ ]+?)??(?: \((?:[^ ]| [^ ])*?\))??`
	branchForm = `(?:git:\([^)]*\) )?(?:✗ )?(?:✔ )?`
)

// usualForms are the prompts that nothing else looks like. Their groups are what is before the
// piece that varies, and what is behind it.
var usualForms = []func() *regexp.Regexp{
	lazy.Regexp(`^` + venvForm + `(➜  )[^ ]+( )` + branchForm),
	lazy.Regexp(`^` + venvForm + `(PS )(?:[/~]|.:.).*?(> )`),
	lazy.Regexp(`^` + venvForm + `(` + hostForm + `[: ])(?: ??[/~]` + folderForm + `( ?[$#%>❯](?: |$))| ??` +
		folderForm + `( ?[$#%](?: |$)))`),
	lazy.Regexp(`^` + venvForm + `(\[` + hostForm + `[: ])(?: ??[/~]` + folderForm + `(\][$#%>❯](?: |$))| ??` +
		folderForm + `(\][$#%](?: |$)))`),
	lazy.Regexp(`^((?:bash|sh|zsh)-[0-9.]+[$#%] )`),
}

// usualPrompt returns the prompt that a text begins with, if nothing else looks like it, and its
// form; else "".
func usualPrompt(text string) (f form, prompt string) {
	if !strings.ContainsAny(text, "$#%>❯➜") {
		return form{}, ""
	}
	for _, pattern := range usualForms {
		if m := pattern().FindStringSubmatch(text); m != nil {
			return form{head: m[1], tail: strings.Join(m[2:], "")}, m[0]
		}
	}
	return form{}, ""
}

// replPrompt is the prompt of a program that is no shell.
var replPrompt = lazy.Regexp(`^(?:>>>|\.\.\.|>|\((?:gdb|lldb)\)|ftp>|node>|.*sql(?:ite)?>|irb\(.*|In \[.*|iex\(.*) *$`)

// assignsPrompt is in a command that changes the shell's prompt.
var assignsPrompt = lazy.Regexp(`(?:^|[ ;&\n])(?:PS1|PROMPT)=`)

// startsShell is a command that may start a shell, or read a file that changes the prompt.
var startsShell = lazy.Regexp(`^\s*(?:(?:exec|sudo|env|command|\S*=\S*)\s+)*(?:\S*=\S*$|(?:\S*/)?(?:` +
	`sh|bash|dash|zsh|fish|ksh|su|ssh|mosh|docker|podman|kubectl|chroot|nix-shell|newgrp|unshare|nsenter|\.|source|` +
	`eval|conda|-i|-s)(?:\s|$))`)

// continuation is a line typed at a continuation prompt: > of bash and sh, dquote> and its like of
// zsh. Its group is what was typed.
var continuation = lazy.Regexp(`^ *(?:[a-z]+(?: +[a-z]+)*)? *>(?: (.*)|$)`)

// goesOn is the end of a command that a shell asks for more of.
var goesOn = lazy.Regexp(`[\\|{(]$|&&$`)

// quoted is a command whose quotes are all closed.
var quoted = lazy.Regexp(`(?s)^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*\\?$`)

// depths is by how much words change how deep what follows is nested.
var depths = map[string]int{
	"for": 1, "while": 1, "until": 1, "if": 1, "case": 1, "{": 1, "done": -1, "fi": -1, "esac": -1, "}": -1,
}

// hereDocument begins a here document. Its group is the word that ends it, perhaps in quotes.
var hereDocument = lazy.Regexp(`^(?:[^<]|<[^<])*?<<(-? *[^< \n;|&>][^ \n;|&>]*)`)
