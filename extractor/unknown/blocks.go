package unknown

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// look is how the first row of a prompt is drawn.
type look struct {
	sign   string      // before its text, with the blanks around it
	at     int         // the column of its first character
	col    int         // that of its text
	signed vterm.Style // of the sign
	inked  vterm.Style // of the text
}

// lookOf returns how a row is drawn.
func lookOf(l row.Line) look {
	k := look{at: row.Indent(l.Text)}
	k.col = signWidth(l, 0)
	if bar := barWidth(l); bar > 0 {
		k.col = bar + row.Indent(row.Text(row.Spans(l.Row, bar, -1, nil)))
	}
	k.col = max(k.col, k.at)
	k.sign = row.Text(row.Spans(l.Row, 0, k.col, nil))
	k.signed, k.inked = l.StyleAt(k.at), l.StyleAt(k.col)
	return k
}

// plain reports whether nothing distinguishes a prompt from other text.
func (k *look) plain() bool {
	return strings.TrimSpace(k.sign) == "" && k.inked == vterm.Style{}
}

// learn learns a prompt, and how it is drawn.
func (r *Reader) learn(rows []row.Line) {
	if k := lookOf(rows[0]); !k.plain() && !slices.Contains(r.looks, k) && len(r.looks) < maxLooks {
		r.looks = append(r.looks, k)
	}
	said := ""
	for _, l := range rows {
		said += letters(withoutRight(l).Text)
	}
	if r.sent == nil {
		r.sent = map[string]bool{}
	}
	if len(r.sent) < maxSent {
		r.sent[said] = true
	}
}

// prompts reports whether a prompt begins on a row.
func (r *Reader) prompts(l row.Line) bool {
	return l.Text != "" && !l.Wrapped && slices.Contains(r.looks, lookOf(l))
}

// prompt returns the rows of the prompt that lines begin with; 0 if they begin with none. asked are
// the letters of the prompt above.
func (r *Reader) prompt(lines []row.Line, asked string) (n int, k look) {
	k = lookOf(lines[0])
	if lines[0].Wrapped || letters(lines[0].Text) == "" {
		return 0, k
	}
	shown := slices.Contains(r.looks, k)
	want := ""
	for n, l := range lines[:min(len(lines), maxInput)] {
		want += letters(withoutRight(l).Text)
		if r.sent[want] && (shown || want != asked) {
			return n + 1, k
		}
		if !r.beginsSent(want) { // as most rows do not
			break
		}
	}
	if !shown {
		return 0, k
	}
	for n = 1; n < len(lines) && r.goesOn(lines[n], k); n++ {
	}
	return len(row.Trim(lines[:n])), k
}

// beginsSent reports whether a prompt that was typed begins with letters.
func (r *Reader) beginsSent(letters string) bool {
	for said := range r.sent {
		if strings.HasPrefix(said, letters) {
			return true
		}
	}
	return false
}

// goesOn reports whether a prompt goes on with a row.
func (r *Reader) goesOn(l row.Line, k look) bool {
	switch {
	case isLine(l.Text):
		return false
	case row.Highlighted(k.inked):
		return l.StyleAt(k.col).Bg == k.inked.Bg || l.Wrapped
	case l.Wrapped:
		return true
	}
	return l.Text != "" && row.Indent(l.Text) >= k.col && l.StyleAt(row.Indent(l.Text)) == k.inked
}

// block is what is between two prompts, or a piece of that with a sign or ink of its own.
type block struct {
	first, end int
	sign       string
	left       int  // the column of its text
	framed     bool // it is in a box
	hung       bool // output hangs from its first row
	notice     bool // it is none of the model's words: it hangs from what is above, or is in grey
}

// parse reads the items off conversation lines. top: the first of them is the conversation's first.
func (r *Reader) parse(lines []row.Line, top bool) []chat.Item {
	p := &chat.Parser{Agent: session.UnknownAgent, Lines: lines}
	began, from, asked := false, 0, ""
	for i := 0; i < len(lines); {
		n, k := r.prompt(lines[i:], asked)
		if n == 0 {
			i++
			continue
		}
		end := i
		for end > from && isFrame(lines[end-1].Text) && !junctions(lines[end-1].Text) { // the prompt's
			end--
		}
		r.above(p, from, end, top && !began)
		rows := make([]row.Line, n)
		for j := range rows {
			rows[j] = withoutRight(lines[i+j])
		}
		if it, ok := chat.Typed(rows, &markdown.Style{Left: k.col}); ok {
			if command().MatchString(it.Text) {
				it.Role = session.RoleCommand
			}
			p.Add(it, i, i+n, "prompt")
		}
		for i += n; i < len(lines) && isFrame(lines[i].Text); i++ {
		}
		began, from, asked = true, i, letters(p.Above().Text)
	}
	r.above(p, from, len(lines), top && !began)
	return p.Items
}

// above adds what is on the lines [from, end), above a prompt or the end. first: no prompt is above
// them.
func (r *Reader) above(p *chat.Parser, from, end int, first bool) {
	if first {
		welcome(p, end)
	} else {
		r.reply(p, from, end)
	}
}

// command matches a command of the agent itself.
var command = lazy.Regexp(`^/[a-z][a-z0-9:_-]*( |$)`)

// welcome adds what is above the first prompt, up to a line.
func welcome(p *chat.Parser, end int) {
	first := row.SkipBlank(p.Lines[:end], 0)
	var texts []string
	for _, l := range row.Trim(p.Lines[:end]) {
		texts = append(texts, l.Text)
	}
	if first < end {
		text := strings.Join(texts[first:], "\n")
		p.Say(session.RoleSystem, text, text, first, end, "above the first prompt")
	}
}

// reply adds what is on the lines [from, end), between two prompts.
func (r *Reader) reply(p *chat.Parser, from, end int) {
	blocks := blocksOf(p.Lines, from, end)
	said := slices.IndexFunc(blocks, block.speaks)
	for i := 0; i < len(blocks); {
		b := blocks[i]
		for i++; i < len(blocks) && b.goesOn(blocks[i]); i++ {
			b.end = blocks[i].end
		}
		if said >= 0 && b.first > blocks[said].first && blocks[said].sign == "" && b.sign != "" && b.end == b.first+1 {
			b.notice = true // replies have no sign
		}
		b.add(p)
	}
}

// speaks reports whether a block is what the model wrote.
func (b block) speaks() bool { return !b.notice && !b.framed && !b.hung }

// goesOn reports whether a block goes on with the one below it.
func (b block) goesOn(below block) bool {
	return below.sign == "" && !below.framed && !b.framed && !b.hung && below.notice == b.notice
}

// add adds the item of a block.
func (b block) add(p *chat.Parser) {
	role, rule := session.RoleAssistant, "reply"
	if b.notice {
		role, rule = session.RoleSystem, "notice"
	}
	lines := p.Lines[b.first:b.end]
	if b.framed || b.hung {
		p.Add(call(lines, &b), b.first, b.end, "call")
	} else if it, ok := chat.Wrote(role, lines, styleOf(b.left)); ok {
		p.Add(it, b.first, b.end, rule)
	}
}

// blocksOf parts lines at blank rows, signs and boxes.
func blocksOf(lines []row.Line, from, end int) (out []block) {
	margin := marginOf(lines[from:end])
	for i := from; i < end; {
		l := lines[i]
		if l.Text == "" || isLine(l.Text) && boxed(lines[i:end]) == 0 {
			i++
			continue
		}
		b := block{first: i, left: margin}
		if n := boxed(lines[i:end]); n > 0 {
			b.framed, b.end = true, i+n
			out = append(out, b)
			i += n
			continue
		}
		if signed(l, margin) && !isDrawn(row.FirstRune(l.Text[margin:])) {
			b.sign, b.left = row.FirstWord(l.Text), signWidth(l, 0)
		}
		n := chat.Until(lines[i:end], func(k int) bool {
			l := lines[i+k]
			return l.Text == "" || k > 1 && hangs(l) || boxed(lines[i+k:end]) > 0 || b.sign != "" && signed(l, margin)
		})
		b.end = i + n
		for b.end > i+1 && isLine(lines[b.end-1].Text) && !junctions(lines[b.end-1].Text) {
			b.end-- // of what is below
		}
		b.hung = n > 1 && hangs(lines[i+1]) && !hangs(l)
		b.notice = hangs(l) || grey(lines[i:b.end]) && barWidth(l) == 0
		out = append(out, b)
		i += n
	}
	return out
}

// signed reports whether a row begins with a sign in a column.
func signed(l row.Line, col int) bool { return row.Indent(l.Text) == col && signWidth(l, 0) > 0 }

// marginOf returns the column in which the leftmost row begins.
func marginOf(lines []row.Line) int {
	margin := -1
	for _, l := range lines {
		if l.Text != "" && !l.Wrapped && !isLine(l.Text) && (margin < 0 || row.Indent(l.Text) < margin) {
			margin = row.Indent(l.Text)
		}
	}
	return max(0, margin)
}

// boxed returns the rows of the box that lines begin with, or 0.
func boxed(lines []row.Line) int {
	if len(lines) < 2 || !isLine(lines[0].Text) || junctions(lines[0].Text) {
		return 0
	}
	at := row.Indent(lines[0].Text)
	for n, l := range lines[1:] {
		switch {
		case row.Indent(l.Text) != at || !isDrawn(row.FirstRune(l.Text[at:])):
			return 0
		case isLine(l.Text):
			if n == 0 {
				return 0
			}
			return n + 2
		}
	}
	return len(row.Trim(lines)) // more of it comes
}

// junctions reports whether a line has corners between its ends, as the upper one of a table.
func junctions(text string) bool {
	line := []rune(strings.TrimSpace(text))
	if len(line) < 3 {
		return false
	}
	for _, c := range line[1 : len(line)-1] {
		if isDrawn(c) && c != line[1] {
			return true
		}
	}
	return false
}

// hangs reports whether a row begins with a corner that leads to output from the row above.
func hangs(l row.Line) bool { return isCorner(row.FirstRune(strings.TrimLeft(l.Text, " "))) }

// isCorner reports whether a character is drawn from above to the right: a lower left corner of a
// box, or of a bracket.
func isCorner(c rune) bool {
	return c >= 0x2514 && c <= 0x2517 || c >= 0x2558 && c <= 0x255a || c == 0x2570 || c == 0x23bf
}

// grey reports whether all text of lines is subdued.
func grey(lines []row.Line) bool {
	for _, l := range lines {
		if !l.All(row.Grey) {
			return false
		}
	}
	return true
}

// call returns the item of a call: its first row, and its output.
func call(lines []row.Line, b *block) chat.Item {
	text := func(l row.Line) string {
		return strings.TrimSpace(strings.TrimFunc(strings.TrimSpace(l.Text),
			func(c rune) bool { return isDrawn(c) || isCorner(c) }))
	}
	if b.framed {
		lines = lines[1:]
	}
	head := text(lines[0])
	if n := signWidth(row.CutLine(lines[0], b.left, -1), 0); n > 0 || b.sign != "" {
		_, head, _ = strings.Cut(head, " ")
	}
	head = strings.TrimSpace(head)
	t := &session.Tool{Status: session.ToolOK}
	t.Name, t.Input, _ = strings.Cut(head, " ")
	if name, input, ok := strings.Cut(t.Name, "("); ok {
		t.Name = name
		t.Input = strings.TrimSuffix(strings.TrimSpace(input+" "+t.Input), ")")
	}
	var out []string
	for _, l := range lines[1:] {
		if !isLine(l.Text) {
			out = append(out, text(l))
		}
	}
	t.Output = strings.TrimSpace(strings.Join(out, "\n"))
	return chat.Called(t)
}
