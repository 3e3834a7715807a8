package shell

import (
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// prompts knows what the prompts of the recording's shells look like. Until one is learned,
// rows that only a prompt looks like count (user@host:~/dir$); afterwards only what was learned, so
// that prompts quoted in some output are output.
type prompts struct {
	forms   []form
	after   []form // output without a line end, with the prompt behind it
	learned int    // counts up with all that is learned
	marked  bool   // the shell itself says where its prompts end (OSC 133;B)
	outputs string // the last prompt at which it said where the command's output begins
}

// form is a prompt with a piece in it that varies: the directory, the branch.
type form struct {
	head, tail string // around the piece that varies; tail is empty if nothing is known to vary
	col        int    // where the prompt begins, behind output that did not end its line
	styled     bool   // the row's first character has some style
	pattern    *regexp.Regexp
}

// These bound what is learned: a shell in a container in a shell.
const (
	maxPrompts = 8
	maxAfter   = 64
)

// newForm returns the form of a prompt.
func newForm(head, tail string, col int, styled bool) form {
	piece := `(?: ?[^ ])*? ??`
	if head == "" {
		piece = `[~/]` + piece
	}
	pattern := regexp.MustCompile(`^` + venvForm + regexp.QuoteMeta(head) + piece + regexp.QuoteMeta(tail) + branchForm)
	return form{head, tail, col, styled, pattern}
}

// prompt returns the prompt at a text's start, or "".
func (f *form) prompt(text string) string {
	if !strings.Contains(text, f.head) { // as most rows
		return ""
	}
	return f.pattern.FindString(text)
}

func (p *prompts) known() bool { return len(p.forms) > 0 }

// mark notes that the shell marks its prompts.
func (p *prompts) mark() {
	if !p.marked {
		p.marked = true
		p.learned++
	}
}

// find returns the prompt that a row begins with, and its form; or "".
func (p *prompts) find(r *vterm.Row) (found form, prompt string) {
	text := r.Text + " " // the blank behind a prompt is cut off where nothing follows
	if !p.known() {
		return usualPrompt(text)
	}
	styled := firstStyled(r)
	for _, list := range [...][]form{p.forms, p.after} {
		for _, f := range list {
			if s := f.prompt(text); f.styled == styled && len(s) > len(prompt) {
				found, prompt = f, s
			}
		}
	}
	return found, prompt
}

// learn looks at the row that the cursor is on while all is quiet: a shell that waits shows its
// prompt up to there. last is the command that runs.
func (p *prompts) learn(r *vterm.Row, cursorX int, last string) {
	text, styled := beforeCursor(r, cursorX), firstStyled(r)
	assigned := assignsPrompt().MatchString(last)
	_, found := p.find(r)
	f, usual := usualPrompt(text)
	switch {
	case strings.TrimSpace(text) == "", !assigned && !promptEnd().MatchString(text): // no prompt
	case p.known() && found != "", p.learnAfter(text, styled): // a known one
	case usual != "":
		p.add(&p.forms, maxPrompts, newForm(f.head, f.tail, 0, styled))
	case !assigned && replPrompt().MatchString(text):
	case !assigned && p.known() && !startsShell().MatchString(last):
		p.vary(text, styled)
	default:
		p.add(&p.forms, maxPrompts, newForm(text, "", 0, styled))
	}
}

// add adds a form to a list of at most so many.
func (p *prompts) add(list *[]form, most int, f form) {
	*list = append((*list)[max(0, len(*list)+1-most):], f)
	p.learned++
}

// learnAfter learns a prompt after output which did not end its line.
func (p *prompts) learnAfter(text string, styled bool) bool {
	for _, f := range p.forms {
		at := strings.LastIndex(text, f.head)
		if at > 0 && len(strings.TrimSpace(f.head)) >= 3 && f.prompt(text[at:]) == text[at:] {
			p.add(&p.after, maxAfter, newForm(text, "", row.Width(text[:at]), styled))
			return true
		}
	}
	return false
}

// vary finds what varies between a prompt and one that was learned: the two begin and end alike.
func (p *prompts) vary(text string, styled bool) {
	for i, f := range p.forms {
		head := row.CommonStart(f.head, text)
		tail := commonEnd((f.head + f.tail)[len(head):], text[len(head):])
		end := strings.TrimSpace(tail)
		if f.styled == styled && end != "" && len(strings.TrimSpace(head)+end) >= 3 {
			p.forms[i] = newForm(head, tail, 0, styled)
			p.learned++
			return
		}
	}
}

// commonEnd returns what two texts end with, in whole characters.
func commonEnd(a, b string) string {
	for i := range a {
		if strings.HasSuffix(b, a[i:]) {
			return a[i:]
		}
	}
	return ""
}

// beforeCursor returns what is before the cursor, if nothing is behind it, or at most something
// apart; else "".
func beforeCursor(r *vterm.Row, cursorX int) string {
	if after := columns(r, cursorX, rowEnd); after != "" && !strings.HasPrefix(after, "   ") {
		return ""
	}
	text := columns(r, 0, cursorX)
	return text + row.Blanks(min(1, cursorX-row.Width(text)))
}

// firstStyled reports whether a row's first character has a style.
func firstStyled(r *vterm.Row) bool {
	return row.Line{Row: r}.StyleAt(row.Indent(r.Text)) != (vterm.Style{})
}

// waits reports whether the shell waits for a command on the row.
func (p *prompts) waits(r *vterm.Row, cursorX int) bool {
	at, ok := p.split(row.Line{Row: r})
	return ok && strings.TrimSpace(beforeCursor(r, cursorX)) == strings.TrimSpace(at.prompt) && cursorX <= row.Width(at.prompt)+1
}
