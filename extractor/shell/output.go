package shell

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// Output is the output of a shell command. Rows that the window cannot change any more move into
// text; the others are read off the document when somebody asks for them, so that a snapshot costs
// no more than what it changed.
type Output struct {
	text document.LongText
	size int // counts up with each change

	doc       *document.Document // nil: text is all
	from, end int                // the lines of the document that are not in text yet
	shown     int                // the line behind the last of them that is not blank
	more      string             // what is on the row of the next prompt, before that
	joined    bool               // which continues the row above
}

var _ session.LongOutput = (*Output)(nil)

// Size counts the changes so far.
func (p *Output) Size() int { return p.size }

// Text returns the output as it is now, and what is left out of its middle.
func (p *Output) Text() (string, session.Gap) {
	if p.doc == nil {
		return p.text.String(), p.text.Omitted()
	}
	lines := p.rest()
	var t document.LongText
	t.Copy(&p.text)
	t.Add(lines)
	s := withoutSign(strings.TrimRight(t.String(), "\n"), lines)
	switch {
	case p.joined && p.more != "":
		s += row.Blanks(t.Blank) + p.more
	case p.more != "":
		s += "\n" + p.more
	}
	return strings.Trim(s, "\n"), t.Omitted()
}

// rest returns the lines that are not in text yet.
func (p *Output) rest() []row.Line {
	end := min(p.end, len(p.doc.Lines))
	return p.doc.Lines[min(p.from, end):end]
}

// extend notes that the output goes up to line end of the document, of which the lines from dirty
// on are new.
func (p *Output) extend(end int, more string, joined bool, dirty int) {
	shown := end
	for shown > p.from && p.doc.Lines[shown-1].Text == "" {
		shown--
	}
	if dirty < p.shown || shown != p.shown || more != p.more {
		p.size++
	}
	p.end, p.shown, p.more, p.joined = end, shown, more, joined
}

// clear takes the output back.
func (p *Output) clear() {
	if s, _ := p.Text(); s != "" {
		p.size++
	}
	p.text, p.doc = document.LongText{}, nil
}

// commit moves the lines up to line n of the document into text.
func (p *Output) commit(n int) {
	if n > p.from {
		p.text.Add(p.doc.Lines[p.from:n])
		p.from = n
	}
}

// moved notes that the document lost its first n lines, which are in text.
func (p *Output) moved(n int) {
	p.from, p.end, p.shown = max(0, p.from-n), max(0, p.end-n), max(0, p.shown-n)
}

// gone keeps what a command had printed of which nothing is left on the document.
func (p *Output) gone() {
	if p.doc != nil {
		p.doc = &document.Document{Lines: p.doc.Before(p.from, p.end)}
		p.from, p.end = 0, len(p.doc.Lines)
		p.freeze()
	}
}

// freeze lets go of the document.
func (p *Output) freeze() {
	if p.doc != nil {
		s, gap := p.Text()
		p.text.Set(s, gap)
		p.doc = nil
	}
}
