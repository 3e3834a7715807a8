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
	sign   string      // the sign before the text, with the blanks around it
	at     int         // column of the first character
	col    int         // column of the text
	signed vterm.Style // style of the sign
	inked  vterm.Style // style of the text
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

// plain reports whether a prompt is drawn like other text.
func (k *look) plain() bool {
	return strings.TrimSpace(k.sign) == "" && k.inked == vterm.Style{}
}

// learn remembers a prompt and how it is drawn.
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

// prompt returns the number of rows of the prompt at the start of lines, or 0 if there is none, and
// how it is drawn. asked has the letters of the prompt above: an answer may repeat that.
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
		if !r.beginsSent(want) { // most rows end here
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

// beginsSent reports whether a prompt that was sent begins with these letters.
func (r *Reader) beginsSent(letters string) bool {
	for said := range r.sent {
		if strings.HasPrefix(said, letters) {
			return true
		}
	}
	return false
}

// goesOn reports whether a row continues a prompt.
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

// block is a group of rows between two prompts, set off by blank rows, a sign or a box.
type block struct {
	first, end int // lines [first, end)
	sign       string
	left       int  // column of its text
	framed     bool // it is in a box
	hung       bool // output hangs from its first row
	notice     bool // the agent itself says it, not the model: it is grey, or hangs from the row above
}

// parse parses the items in lines. top reports whether lines[0] is the conversation's first line.
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
		for end > from && isFrame(lines[end-1].Text) && !junctions(lines[end-1].Text) {
			end-- // the frame belongs to the prompt
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

// above adds the items on the lines [from, end), which are above a prompt or at the end. first
// reports whether no prompt is above them.
func (r *Reader) above(p *chat.Parser, from, end int, first bool) {
	if first {
		welcome(p, end)
	} else {
		r.reply(p, from, end)
	}
}

// command matches a prompt that is a command to the agent itself.
var command = lazy.Regexp(`^/[a-z][a-z0-9:_-]*( |$)`)

// welcome adds the text above the first prompt, which begins on line end.
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

// reply adds the items on the lines [from, end), between two prompts.
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

// speaks reports whether the model wrote the block.
func (b block) speaks() bool { return !b.notice && !b.framed && !b.hung }

// goesOn reports whether the block below continues b.
func (b block) goesOn(below block) bool {
	return below.sign == "" && !below.framed && !b.framed && !b.hung && below.notice == b.notice
}

// add adds the item that a block shows.
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

// blocksOf splits the lines [from, end) at blank rows, signs and boxes.
func blocksOf(lines []row.Line, from, end int) (out []block) {
	margin := marginOf(lines[from:end])
	for i := from; i < end; {
		l := lines[i]
		if l.Text == "" || isLine(l.Text) && boxed(lines[i:end]) == 0 {
			i++
			continue
		}
		if n := boxed(lines[i:end]); n > 0 {
			out = append(out, block{first: i, left: margin, framed: true, end: i + n})
			i += n
			continue
		}
		b, n := plainBlock(lines, i, end, margin)
		out = append(out, b)
		i += n
	}
	return out
}

// plainBlock returns the block that begins with line i, which is not in a box, and the number of
// lines until the next one.
func plainBlock(lines []row.Line, i, end, margin int) (b block, n int) {
	l := lines[i]
	b = block{first: i, left: margin}
	if signed(l, margin) && !isDrawn(row.FirstRune(l.Text[margin:])) {
		b.sign, b.left = row.FirstWord(l.Text), signWidth(l, 0)
	}
	n = chat.Until(lines[i:end], func(k int) bool {
		l := lines[i+k]
		return l.Text == "" || k > 1 && hangs(l) || boxed(lines[i+k:end]) > 0 || b.sign != "" && signed(l, margin)
	})
	b.end = i + n
	for b.end > i+1 && isLine(lines[b.end-1].Text) && !junctions(lines[b.end-1].Text) {
		b.end-- // the line belongs to the block below
	}
	b.hung = n > 1 && hangs(lines[i+1]) && !hangs(l)
	b.notice = hangs(l) || grey(lines[i:b.end]) && barWidth(l) == 0
	return b, n
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

// boxed returns the number of rows of the box at the start of lines, or 0 if there is none.
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
	return len(row.Trim(lines)) // its end is not drawn yet
}

// junctions reports whether a line has junctions between its ends, like the top of a table.
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

// isCorner reports whether a character is the lower left corner of a box or a bracket.
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

// call returns the item of a call. Its first row has the name and the input, the others the output.
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
