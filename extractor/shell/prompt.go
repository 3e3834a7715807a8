package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// prompts knows what the prompts of the recording's shells look like. Until one is learned,
// rows that only a prompt looks like count (user@host:~/dir$); afterwards only what was learned, so
// that prompts quoted in some output are output.
type prompts struct {
	forms   []promptForm
	after   []string // output without a line end, with the prompt behind it
	learned int      // counts up with all that is learned
	marked  bool     // the shell itself says what its prompts are
	outputs string   // the last prompt at which it said where the command's output begins
}

// promptForm is a prompt with a piece in it that varies: the directory, the branch.
type promptForm struct {
	head, tail string // around the piece that varies; tail is empty where nothing is known to vary
	styled     bool   // drawn in some style
}

// These bound what is learned: a shell in a container in a shell.
const (
	maxPrompts = 8
	maxAfter   = 64
)

func (p *prompts) known() bool { return len(p.forms) > 0 }

// learn looks at the row that the cursor is on while all is quiet: a shell that waits shows its
// prompt up to there. last is the command that was entered last.
func (p *prompts) learn(row *vterm.Row, cursorX int, last string) {
	assigned := assignsPrompt().MatchString(last)
	text := promptText(row, cursorX, assigned)
	if text == "" {
		return
	}
	if _, ok := p.match(row); ok && p.known() || p.learnAfter(text) {
		return
	}
	f := promptForm{head: text, styled: firstStyled(row)}
	head, tail, strong := usualPrompt(text)
	switch {
	case strong:
		f.head, f.tail = head, tail
	case assigned:
	case replPrompt().MatchString(text):
		return
	case p.known() && (last == "" || !startsShell().MatchString(last)):
		p.vary(f)
		return
	}
	p.forms = bounded(p.forms, f, maxPrompts)
	p.learned++
}

// bounded appends x to a list and drops the first of more than limit.
func bounded[T any](list []T, x T, limit int) []T {
	return append(list[max(0, len(list)+1-limit):len(list):len(list)], x)
}

// learnAfter learns a prompt after output which did not end its line.
func (p *prompts) learnAfter(text string) bool {
	is := slices.ContainsFunc(p.forms, func(f promptForm) bool { return len(strings.TrimSpace(f.head)) >= 3 && f.behind(text) > 0 })
	if is {
		p.after = bounded(p.after, text, maxAfter)
		p.learned++
	}
	return is
}

// behind returns how much is before the prompt that a text ends with; 0 if it is nothing, or the
// text ends otherwise.
func (f promptForm) behind(text string) int {
	at := strings.LastIndex(text, f.head)
	if at <= 0 || f.length(text[at:]) != len(text)-at {
		return 0
	}
	return at
}

// behindOutput reports whether a row was seen to begin with output that did not end its line, and
// the prompt behind it.
func (p *prompts) behindOutput(text string) bool {
	return row.Starts(text, p.after...)
}

// outputBefore returns the output before a prompt on its row.
func (p *prompts) outputBefore(prompt string) string {
	if !slices.Contains(p.after, prompt) {
		return ""
	}
	for _, f := range p.forms {
		if at := f.behind(prompt); at > 0 {
			return strings.TrimRight(prompt[:at], " ")
		}
	}
	return ""
}

// vary finds what varies between a prompt and one that was learned: the two begin and end alike.
func (p *prompts) vary(f promptForm) {
	for i := range p.forms {
		g := &p.forms[i]
		if g.styled != f.styled {
			continue
		}
		old := g.head + g.tail
		head := row.CommonStart(g.head, f.head)
		tail := commonEnd(old[len(head):], f.head[len(head):])
		if strings.TrimSpace(tail) == "" || len(strings.TrimSpace(head))+len(strings.TrimSpace(tail)) < 3 {
			continue
		}
		g.head, g.tail = head, tail
		p.learned++
		return
	}
}

// promptText is what is before the cursor, if it may be a prompt: it ends with a prompt's sign
// unless any text will do, and behind the cursor is nothing, or at most something apart.
func promptText(rw *vterm.Row, cursorX int, any bool) string {
	before := row.Text(row.Spans(rw, 0, cursorX, nil))
	after := row.Text(row.Spans(rw, cursorX, max(cursorX, row.Extent(rw)), nil))
	if strings.TrimSpace(after) != "" && !strings.HasPrefix(after, "   ") {
		return ""
	}
	text := strings.TrimRight(before, " ")
	r, _ := utf8.DecodeLastRuneInString(text)
	if text == "" || !any && !promptSign(r) && !strings.HasPrefix(text, "➜ ") {
		return ""
	}
	if row.Width(text) < cursorX {
		text += " "
	}
	return text
}

func promptSign(r rune) bool { return strings.ContainsRune("$#%>❯➜»λ›✗⟩▶❱", r) }

// firstStyled reports whether a row's first character has a style.
func firstStyled(row *vterm.Row) bool {
	for _, r := range row.Runs {
		if strings.TrimLeft(r.Text, " ") != "" {
			return r.Style != vterm.Style{}
		}
	}
	return false
}

// match parts a row into prompt and command.
func (p *prompts) match(row *vterm.Row) (command string, ok bool) {
	_, command, ok = p.cut(row)
	return command, ok
}

// waits reports whether the shell waits for a command on the row.
func (p *prompts) waits(r *vterm.Row, cursorX int) bool {
	if m, ok := markOf(r, vterm.MarkInput); ok {
		return cursorX == m.Col && columns(r, m.Col, max(m.Col, row.Extent(r))) == ""
	}
	prompt, command, ok := p.cut(r)
	return ok && (command == "" || strings.HasPrefix(r.Text[min(len(prompt), len(r.Text)):], "   ")) && cursorX >= row.Width(strings.TrimRight(prompt, " ")) && cursorX <= row.Width(prompt)+1
}

// cut parts a row into its prompt and the command behind it.
func (p *prompts) cut(row *vterm.Row) (prompt, command string, ok bool) {
	text := row.Text + " " // the blank behind a prompt is cut off where nothing follows
	n := 0
	if !p.known() {
		head, tail, _ := usualPrompt(text)
		n = promptForm{head: head, tail: tail}.length(text)
	} else {
		styled := firstStyled(row)
		for i := range p.forms {
			if p.forms[i].styled == styled {
				n = max(n, p.forms[i].length(text))
			}
		}
	}
	for _, a := range p.after {
		if strings.HasPrefix(text, a) {
			n = max(n, len(a))
		}
	}
	if n == 0 {
		return "", "", false
	}
	return text[:n], strings.TrimSpace(text[n:]), true
}

// length returns the length of the prompt at a text's start, or 0.
func (f promptForm) length(text string) int {
	if strings.HasPrefix(text, "(") && !strings.HasPrefix(f.head, "(") { // a virtual environment was entered
		venv := len(virtual().FindString(text))
		if venv == 0 {
			return 0
		}
		if n := f.length(text[venv:]); n > 0 {
			return venv + n
		}
		return 0
	}
	if strings.HasPrefix(f.head, "➜  ") {
		if head := zshPrompt().FindString(text); head != "" {
			return len(head) + 1
		}
		return 0
	}
	if !strings.HasPrefix(text, f.head) {
		return 0
	}
	rest := text[len(f.head):]
	if f.head == "" && !strings.HasPrefix(rest, "~") && !strings.HasPrefix(rest, "/") {
		return 0
	}
	piece, _, ok := strings.Cut(rest, f.tail)
	if !ok || len(piece) > 120 || strings.Contains(piece, "  ") {
		return 0
	}
	return len(f.head) + len(piece) + len(f.tail)
}

// withoutHead is the end of the output above the prompt on line i: a prompt of two lines has its
// first there.
func (p *prompts) withoutHead(lines []row.Line, i int) int {
	prompt, _, _ := p.cut(lines[i].Row)
	sign := strings.TrimSpace(prompt)
	if i == 0 {
		return i
	}
	above := lines[i-1]
	var begins bool
	if chat.Begins(sign, "╰", "└") {
		begins = chat.Begins(above.Text, "╭", "┌")
	} else {
		begins = utf8.RuneCountInString(sign) == 1 && firstStyled(above.Row) && firstLine().MatchString(above.Text)
	}
	if begins {
		return i - 1
	}
	return i
}

func commonEnd(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return a[len(a)-n:]
}
