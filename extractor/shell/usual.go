package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// usualPrompt reads a prompt that nothing else looks like, from the text of a row or of a prompt
// alone: what is around the piece that varies.
func usualPrompt(text string) (head, tail string, ok bool) {
	at := 0
	if strings.HasPrefix(text, "(") { // (venv)
		if i := strings.Index(text, ") "); i > 0 && i < 40 {
			at = i + 2
		}
	}
	rest := text[at:]
	switch {
	case strings.HasPrefix(rest, "➜  "):
		return zshPrompt(text, at)
	case strings.HasPrefix(rest, "PS /"), strings.HasPrefix(rest, "PS ~"), len(rest) > 6 && strings.HasPrefix(rest, "PS ") && rest[4] == ':':
		return text[:at+3], "> ", strings.Contains(rest, "> ")
	}
	closing := ""
	if strings.HasPrefix(rest, "[") {
		at, closing = at+1, "]"
	}
	n := hostLength(text[at:])
	if n == 0 {
		return versionPrompt(text)
	}
	end := at + n
	if end >= len(text) || text[end] != ':' && text[end] != ' ' {
		return "", "", false
	}
	head = text[:end+1]
	dir := text[end+1:]
	for i, r := range dir {
		if i > 120 {
			break
		}
		if !strings.ContainsRune("$#%>❯", r) || closing != "" && !strings.HasSuffix(dir[:i], closing) {
			continue
		}
		size := i + utf8.RuneLen(r)
		if size < len(dir) && dir[size] != ' ' || !dirLike(strings.TrimSuffix(dir[:i], closing), r) {
			continue
		}
		tail = closing + string(r)
		if strings.HasSuffix(dir[:i], " ") {
			tail = " " + tail
		}
		if size < len(dir) {
			tail += " "
		}
		return head, tail, true
	}
	return "", "", false
}

// dirLike reports whether a text may be a prompt's directory, with a branch in brackets behind it,
// before a sign.
func dirLike(s string, sign rune) bool {
	if strings.Contains(s, "  ") {
		return false
	}
	s = strings.TrimSpace(s)
	if (sign == '>' || sign == '❯') && !strings.HasPrefix(s, "~") && !strings.HasPrefix(s, "/") {
		return false
	}
	if i := strings.Index(s, " ("); i >= 0 && strings.HasSuffix(s, ")") {
		s = s[:i]
	}
	return strings.Count(s, " ") <= 1
}

// hostLength is the length of user@host at a text's start.
func hostLength(s string) int {
	at := -1
	for i, r := range s {
		switch {
		case r == '@' && at < 0 && i > 0:
			at = i
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '.', r == '-', r == '_':
		default:
			if at > 0 && i > at+1 {
				return i
			}
			return 0
		}
	}
	return 0
}

// versionPrompt reads bash-5.2$ and sh-5.1#.
func versionPrompt(text string) (head, tail string, ok bool) {
	for _, sh := range []string{"bash-", "sh-", "zsh-"} {
		rest, found := strings.CutPrefix(text, sh)
		if !found {
			continue
		}
		n := strings.IndexAny(rest, "$#%")
		if n > 0 && strings.Trim(rest[:n], "0123456789.") == "" && strings.HasPrefix(rest[n+1:]+" ", " ") {
			return text[:len(sh)+n+1] + " ", "", true
		}
	}
	return "", "", false
}

// zshPrompt reads ➜  dir git:(branch) ✗ of Oh My Zsh: a directory, and the branch where there is
// one. What is taken for the prompt is head alone, as nothing else tells where it ends.
func zshPrompt(text string, at int) (head, tail string, ok bool) {
	if !strings.HasPrefix(text[at:], "➜  ") {
		return "", "", false
	}
	n := at + len("➜  ")
	dir := row.FirstWord(text[n:])
	if dir == "" {
		return "", "", false
	}
	n += len(dir)
	if rest := text[n:]; strings.HasPrefix(rest, " git:(") {
		if i := strings.Index(rest, ")"); i > 0 {
			n += i + 1
		}
	}
	for _, s := range []string{" ✗", " ✔"} {
		if strings.HasPrefix(text[n:], s) {
			n += len(s)
		}
	}
	return text[:n] + " ", "", true
}

// replPrompt reports whether a prompt is that of a program which is no shell.
func replPrompt(text string) bool {
	t := strings.TrimRight(text, " ")
	switch t {
	case ">>>", "...", ">", "(gdb)", "(lldb)", "ftp>", "node>":
		return true
	}
	return strings.HasSuffix(t, "sql>") || strings.HasSuffix(t, "sqlite>") || strings.HasPrefix(t, "irb(") || strings.HasPrefix(t, "In [") || strings.HasPrefix(t, "iex(")
}
