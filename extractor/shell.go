package extractor

import (
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// shellCommand is a command on a tape.
type shellCommand struct {
	Item
	out     int    // the first line of its output
	more    string // output that stands before the next prompt, on that prompt's row
	printed *printed
}

// maxTyped bounds the rows of one command line, so that what follows a quote that is never closed is read as output.
const maxTyped = 1000

// scanShell reads the commands off shell lines from a line on, and appends them to those above it. A command that is not entered yet (nothing
// is below it) is none, nor is one that was given up with ^C. If open, the output of the last of cmds goes on at that line. typing is the
// line on which a command begins that is still being typed, len(lines) if there is none.
func scanShell(lines []Line, cmds []shellCommand, from int, open bool, p *shellPrompt) (_ []shellCommand, typing int) {
	typing = len(lines)
	for i := from; i < len(lines); {
		prompt, text, ok := "", "", false
		if !lines[i].Wrapped {
			prompt, text, ok = p.cut(lines[i].Row)
		}
		if !ok {
			i++
			continue
		}
		if open {
			c := &cmds[len(cmds)-1]
			c.End, c.Open, c.more = max(p.withoutHead(lines, i), c.out), false, p.outputBefore(prompt)
			open = false
		}
		first := i
		text, i = typed(lines, i, text)
		if i == len(lines) {
			typing = first
		}
		if text == "" || strings.HasSuffix(text, "^C") || i == len(lines) {
			continue
		}
		item := Item{Message: session.Message{Role: session.RoleShell, Text: text}, First: first, Rule: "shell prompt", Open: true}
		cmds = append(cmds, shellCommand{Item: item, out: i})
		open = true
	}
	if open {
		c := &cmds[len(cmds)-1]
		c.End, c.Open, c.more = len(lines), true, ""
	}
	return cmds, typing
}

// parseShell reads the commands off shell lines, with their output.
func parseShell(lines []Line, p *shellPrompt) []Item {
	var items []Item
	cmds, _ := scanShell(lines, nil, 0, false, p)
	for _, c := range cmds {
		out := printed{tape: &tape{lines: lines}, from: c.out, end: c.End, more: c.more}
		c.Output, _ = out.Text()
		items = append(items, c.Item)
	}
	return items
}

// withoutSign cuts off the sign with which a shell tells that output did not end its line: an inverse % or # of zsh, ⏎ of
// fish.
func withoutSign(output string, lines []Line) string {
	lines = trim(lines)
	if len(lines) == 0 || len(lines[len(lines)-1].Runs) == 0 {
		return output
	}
	runs := lines[len(lines)-1].Runs
	sign := runs[len(runs)-1]
	if t := sign.Text; t == "⏎" || sign.Style.Inverse && (t == "%" || t == "#") {
		return strings.TrimSuffix(output, t)
	}
	return output
}

// typed puts the command on line i together with the rows that it was wrapped to and the lines that were typed at
// continuation prompts; next is the line behind it.
func typed(lines []Line, i int, command string) (_ string, next int) {
	end := min(len(lines), i+maxTyped)
	prev := lines[i]
	var b strings.Builder
	b.WriteString(command)
	for i++; i < end && (lines[i].Wrapped || wrapsItself(prev, lines[i])); i++ {
		b.WriteString(blanks(prev.Blanks) + lines[i].Text)
		prev = lines[i]
	}
	command = strings.TrimSpace(withoutRight(b.String(), prev))
	word, here := hereWord(command)
	for rest, ok := "", true; i < end && (here && rest != word || !here && unfinished(command)); {
		if rest, ok = continuation(lines[i].Text); !ok {
			break
		}
		b.Reset()
		b.WriteString(command + "\n" + rest)
		for i++; i < end && lines[i].Wrapped; i++ {
			b.WriteString(blanks(lines[i-1].Blanks) + lines[i].Text)
		}
		command = b.String()
	}
	return command, i
}

// wrapsItself tells whether a shell that wraps what is typed by itself (zsh, fish) went on with row b: row a is full. Where
// a command just fits, the cursor stood on the next row, and its output begins below that.
func wrapsItself(a, b Line) bool {
	return a.Cols > 0 && rowWidth(a.Row)+a.Blanks >= a.Cols && b.Text != "" && withoutRight(a.Text, a) == a.Text
}

// withoutRight cuts off a prompt that the shell shows at the window's right edge.
func withoutRight(command string, l Line) string {
	if l.Cols == 0 || rowWidth(l.Row) < l.Cols-2 {
		return command
	}
	if i := strings.LastIndex(command, "   "); i >= 0 {
		return command[:i]
	}
	return command
}

// continuation reads a line typed at a continuation prompt: > of bash and sh, dquote> and its like of zsh.
func continuation(row string) (rest string, ok bool) {
	at := strings.IndexByte(row, '>')
	if at < 0 || at > 24 || len(row) > at+1 && row[at+1] != ' ' {
		return "", false
	}
	for _, word := range strings.Fields(row[:at]) {
		switch word {
		case "quote", "dquote", "bquote", "cmdsubst", "subsh", "pipe", "for", "while", "until", "if", "then", "else", "elif", "do", "case",
			"function", "heredoc", "cmdand", "cmdor", "cursh", "select", "repeat", "mathsubst", "braceparam", "array":
		default:
			return "", false
		}
	}
	return strings.TrimPrefix(row[at+1:], " "), true
}

// unfinished tells whether a shell would ask for more of a command.
func unfinished(command string) bool {
	last := command[strings.LastIndexByte(command, '\n')+1:]
	if word, ok := hereWord(command); ok {
		return last != word
	}
	if openQuote(command) || strings.HasSuffix(last, `\`) {
		return true
	}
	for _, s := range []string{"|", "&&", "||", "{", "("} {
		if strings.HasSuffix(last, s) {
			return true
		}
	}
	depth := 0
	for _, w := range strings.FieldsFunc(command, func(r rune) bool { return r == ' ' || r == ';' || r == '\n' || r == '\t' }) {
		switch w {
		case "do", "then", "case", "{":
			depth++
		case "done", "fi", "esac", "}":
			depth--
		case "for", "while", "until", "if":
			if !strings.Contains(command, " do") && !strings.Contains(command, "then") {
				return true
			}
		case "elif": // its then is one more for the same fi
			depth--
		}
	}
	return depth > 0
}

// hereWord is the word that ends a command's here document.
func hereWord(command string) (string, bool) {
	_, after, ok := strings.Cut(command, "<<")
	if !ok || strings.HasPrefix(after, "<") {
		return "", false
	}
	word := firstWord(strings.TrimPrefix(after, "-"))
	if i := strings.IndexAny(word, "\n;|&>"); i >= 0 {
		word = word[:i]
	}
	word = strings.Trim(word, `'"\`)
	return word, word != ""
}

// openQuote tells whether a quote is open at a command's end.
func openQuote(command string) bool {
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}
