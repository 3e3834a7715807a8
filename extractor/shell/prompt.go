package shell

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// prompts knows the prompts of the recording's shells. It learns them only where a shell waits for
// input, so that a prompt quoted in output stays output.
type prompts struct {
	forms       []form
	after       []form   // output without a line end, with the prompt behind it
	resting     []rest   // what may be prompts
	kinds       []kind   // of all shells
	goesOn      []string // prompts at which a command goes on
	learned     int      // counts up with all that is learned
	pending     bool     // what is above the first prompt waits for it to be known how many rows that has
	rowsLearned bool     // some of that is how many rows a prompt has
	entered     bool     // a command was
	final       bool     // nothing more comes that says how many rows a prompt has
	unmarked    bool     // marks are not known: the shell is in a terminal multiplexer
	marked      bool     // the shell itself says where its prompts end
	shown       []shown  // the prompts that were read last
	rested      rested   // where the cursor first rested on its line
	outputs     string   // the last prompt at which it said where the command's output begins
}

// form is a prompt with a piece in it that varies: the directory, the branch.
type form struct {
	head, tail string // around the piece that varies; tail is empty if nothing is known to vary
	col        int    // where the prompt begins, behind output that did not end its line
	look       look   // of its row
	marked     bool   // the shell itself says where it ends
	pattern    *regexp.Regexp
}

// look is what rows with the same prompt have in common besides its text.
type look struct {
	styled  bool // the first character has some style
	wrapped bool // it continues the row above
}

// rested is a line of the document, and a column.
type rested struct{ line, cols int }

// rest is a text to the left of the cursor while nothing was printed.
type rest struct {
	text  string
	look  look // of its row
	line  int  // of the document
	typed bool // something was typed behind it
}

// drop notes that the first lines leave the document.
func (p *prompts) drop(lines []row.Line) {
	p.rested.line -= len(lines)
	for i := range p.resting {
		r := &p.resting[i]
		r.typed = r.typedAt(lines)
		r.line -= len(lines)
	}
}

// These bound what is learned: a shell in a container in a shell.
const (
	maxPrompts = 32
	maxAfter   = 64
)

// newForm returns the form of a prompt.
func newForm(head, tail string, col int, l look) form {
	piece := `(?: ?[^ ])*? ??`
	if head == "" {
		piece = `[~/]` + piece
	}
	if tail == "" {
		piece = ""
	}
	pattern := regexp.MustCompile(`^` + venvForm + regexp.QuoteMeta(head) + piece + regexp.QuoteMeta(tail) + branchForm)
	return form{head: head, tail: tail, col: col, look: l, pattern: pattern}
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

// find returns the prompt that a row begins with, and its form; or "". With all, it may be one that
// the shell marks.
func (p *prompts) find(r *vterm.Row, all bool) (found form, prompt string) {
	text := r.Text + " " // the blank behind a prompt is cut off where nothing follows
	if !p.known() && !p.marked {
		return usualPrompt(text)
	}
	l := lookOf(r)
	for _, list := range [...][]form{p.forms, p.after} {
		for _, f := range list {
			if f.marked && !all {
				continue
			}
			if s := f.prompt(text); f.look == l && len(s) > len(prompt) {
				found, prompt = f, s
			}
		}
	}
	return found, prompt
}

// learn looks at the row that the cursor is on while all is quiet: a shell that waits shows its
// prompt up to there. That is learned when it comes back below a row where it was typed at. at is
// the line that the row is on, and last the command that runs.
func (p *prompts) learn(r *vterm.Row, cursorX int, lines []row.Line, at int, last string) {
	text, l := beforeCursor(r, cursorX), lookOf(r)
	if strings.TrimSpace(text) == "" {
		return
	}
	assigned := assignsPrompt().MatchString(last)
	_, found := p.find(r, false)
	f, usual := usualPrompt(text)
	switch {
	case usual != "" && !p.known():
		p.add(&p.forms, maxPrompts, newForm(f.head, f.tail, 0, l))
	case p.known() && found != "", p.learnAfter(text, l): // a known one
	case assigned:
		p.add(&p.forms, maxPrompts, newForm(text, "", 0, l))
	case replPrompt().MatchString(text):
	case p.known() && !startsShell().MatchString(last) && (p.vary(text, l, false) || !p.similar(text)):
	default:
		p.rest(rest{text: text, look: l, line: at}, lines)
	}
}

// similar reports whether half of a text is that of a known prompt: another piece of it varies.
func (p *prompts) similar(text string) bool {
	return slices.ContainsFunc(p.forms, func(f form) bool { return alike(f.head+f.tail, nil, text, nil) })
}

// rest notes a text at whose end the cursor rests. It learns the text as a prompt if it was there
// before, with something typed after it.
func (p *prompts) rest(now rest, lines []row.Line) {
	for _, was := range p.resting {
		if was.line == now.line || was.look != now.look || !was.typedAt(lines) {
			continue
		}
		head, tail := now.text, ""
		if was.text != now.text {
			head = row.CommonStart(was.text, now.text)
			tail = commonEnd(was.text[len(head):], now.text[len(head):])
			if strings.TrimSpace(tail) == "" || head == "" && !strings.ContainsAny(was.text[:1], "~/") ||
				len(strings.TrimSpace(head)+strings.TrimSpace(tail)) < 3 {
				continue
			}
		}
		resting := p.resting
		p.resting = nil
		p.add(&p.forms, maxPrompts, newForm(head, tail, 0, now.look))
		for _, r := range resting {
			p.learnAfter(r.text, r.look)
		}
		return
	}
	if typedBehind(now.text, now.look, lines[:min(now.line, len(lines))], nil) > 1 { // typed at once
		p.resting = nil
		p.add(&p.forms, maxPrompts, newForm(now.text, "", 0, now.look))
		return
	}
	first := slices.IndexFunc(p.resting, func(r rest) bool { return r.line == now.line })
	keeps := first >= 0 && strings.HasPrefix(now.text, p.resting[first].text) // typed behind it, perhaps
	for i := len(p.resting) - 1; i >= 0; i-- {
		if p.resting[i].line == now.line && !(keeps && i == first) {
			p.resting = slices.Delete(p.resting, i, i+1)
		}
	}
	p.resting = append(p.resting[max(0, len(p.resting)+1-maxPrompts):], now)
}

// typedAt reports whether something was typed behind the text.
func (r *rest) typedAt(lines []row.Line) bool {
	if r.line < 0 || r.line >= len(lines) {
		return r.typed
	}
	text, ok := strings.CutPrefix(lines[r.line].Text, strings.TrimRight(r.text, " "))
	return ok && strings.TrimSpace(text) != ""
}

// cameBack learns the prompt on the cursor's row at the end of the recording. Another row above
// must begin with it and go on; if the prompt does not end with a blank, two rows must.
func (p *prompts) cameBack(r *vterm.Row, cursorX int, lines []row.Line) {
	text, l := beforeCursor(r, cursorX), lookOf(r)
	if strings.TrimSpace(text) == "" || replPrompt().MatchString(text) {
		return
	}
	if n := typedBehind(text, l, lines, r); n > 1 || n > 0 && strings.HasSuffix(text, " ") {
		p.add(&p.forms, maxPrompts, newForm(text, "", 0, l))
	}
}

// typedBehind counts the lines that begin with a text and go on. It leaves out the row but.
func typedBehind(text string, of look, lines []row.Line, but *vterm.Row) (n int) {
	for i, l := range lines {
		if r := (rest{text: text, line: i}); l.Row != but && r.typedAt(lines) && lookOf(l.Row) == of {
			n++
		}
	}
	return n
}

// typed learns the prompt of a command that has started an agent.
func (p *prompts) typed(lines []row.Line) {
	for _, r := range slices.Backward(p.resting) {
		if !p.known() && r.typedAt(lines) {
			p.add(&p.forms, maxPrompts, newForm(r.text, "", 0, r.look))
		}
	}
}

// alone learns a prompt that is the only text on a quiet screen.
func (p *prompts) alone(r *vterm.Row, cursorX int) {
	text := beforeCursor(r, cursorX)
	if strings.TrimSpace(text) == "" || !strings.HasSuffix(text, " ") || p.known() || replPrompt().MatchString(text) {
		return
	}
	p.add(&p.forms, maxPrompts, newForm(text, "", 0, lookOf(r)))
}

// met learns a prompt that the shell's marks name, once a command was entered at it.
func (p *prompts) met(r *vterm.Row, at prompted) {
	text, l := at.prompt, lookOf(r)
	text += row.Blanks(min(1, at.input-at.col-row.Width(text)))
	if strings.TrimSpace(text) == "" {
		return
	}
	if _, found := p.find(r, true); found == "" && !p.vary(text, l, true) {
		f := newForm(text, "", 0, l)
		f.marked = true
		p.forms = append(p.forms[max(0, len(p.forms)+1-maxPrompts):], f)
	}
}

// add adds a form to a list of at most so many.
func (p *prompts) add(list *[]form, most int, f form) {
	*list = append((*list)[max(0, len(*list)+1-most):], f)
	p.learned++
}

// learnAfter learns a prompt after output which did not end its line.
func (p *prompts) learnAfter(text string, l look) bool {
	for _, f := range p.forms {
		at := strings.LastIndex(text, f.head)
		if at > 0 && !f.marked && len(strings.TrimSpace(f.head)) >= 3 && f.prompt(text[at:]) == text[at:] {
			p.add(&p.after, maxAfter, newForm(text, "", row.Width(text[:at]), l))
			return true
		}
	}
	return false
}

// vary finds what varies between a prompt and one that was learned: the two begin and end alike.
func (p *prompts) vary(text string, l look, marked bool) bool {
	for i, f := range p.forms {
		head := row.CommonStart(f.head, text)
		tail := commonEnd((f.head + f.tail)[len(head):], text[len(head):])
		end := strings.TrimSpace(tail)
		if f.look == l && f.marked == marked && end != "" && len(strings.TrimSpace(head)+end) >= 3 {
			p.forms[i] = newForm(head, tail, 0, l)
			p.forms[i].marked = marked
			if !marked {
				p.learned++
			}
			return true
		}
	}
	return false
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

func lookOf(r *vterm.Row) look {
	return look{styled: row.Line{Row: r}.StyleAt(row.Indent(r.Text)) != (vterm.Style{}), wrapped: r.Wrapped}
}

// kindOn returns the kind of prompt that a row shows which has nothing else, or nil.
func (p *prompts) kindOn(text string) *kind {
	for i := range p.kinds {
		if k := &p.kinds[i]; k.id != 0 && k.text != "" && k.text == strings.TrimRight(text, " ") {
			return k
		}
	}
	return nil
}

// waits reports whether the shell waits for a command on the row.
func (p *prompts) waits(r *vterm.Row, cursorX int) bool {
	shown := strings.TrimSpace(beforeCursor(r, cursorX))
	if shown == "" {
		return false
	}
	if m, ok := r.Mark(vterm.MarkInput); ok {
		return shown == strings.TrimSpace(columns(r, 0, m.Col)) && cursorX <= m.Col+1
	}
	_, prompt := p.find(r, true)
	if shown == strings.TrimSpace(prompt) && cursorX <= row.Width(prompt)+1 {
		return true
	}
	_, reads := r.Mark(vterm.MarkReads)
	return reads && slices.ContainsFunc(p.kinds, func(k kind) bool { return k.alike(shown, styles(r, cursorX)) })
}
