package shell

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Output is the output of a shell command. Rows that the window cannot change any more move into
// text; the others are read off the document when somebody asks for them, so that a snapshot costs
// no more than what it changed.
type Output struct {
	text document.LongText
	size int // counts up with each change

	doc       *document.Document
	from, end int    // the lines of the document that are not in text yet
	col       int    // the column in which the first of them begins
	shown     int    // the line behind the last of them that is not blank
	more      string // what is on the row of the next prompt, before that
	joined    bool   // which continues the row above
}

var _ session.LongOutput = (*Output)(nil)

// Size counts the changes so far.
func (p *Output) Size() int { return p.size }

// Text returns the output as it is now, and what is left out of its middle.
func (p *Output) Text() (string, session.Gap) {
	end := min(p.end, len(p.doc.Lines))
	lines := row.Trim(p.doc.Lines[min(p.from, end):end])
	if p.col > 0 && len(lines) > 0 {
		lines = slices.Clone(lines)
		lines[0] = row.CutLine(lines[0], p.col, rowEnd)
	}
	if p.more != "" {
		lines = append(slices.Clip(lines), row.Line{Row: &vterm.Row{Text: p.more, Runs: []vterm.Run{{Text: p.more}},
			Wrapped: p.joined}})
	}
	var t document.LongText
	t.Copy(&p.text)
	t.Add(lines)
	return strings.Trim(withoutSign(t.String(), lines), "\n"), t.Omitted()
}

// withoutSign cuts off the sign with which a shell shows that output did not end its line: an
// inverse % or # of zsh, ⏎ of fish.
func withoutSign(output string, lines []row.Line) string {
	if len(lines) == 0 || len(lines[len(lines)-1].Runs) == 0 {
		return output
	}
	runs := lines[len(lines)-1].Runs
	sign := runs[len(runs)-1]
	if t := sign.Text; t == "⏎" || sign.Style.Inverse && strings.Contains("%#", t) {
		return strings.TrimSuffix(output, t)
	}
	return output
}

// extend notes what the output of a command is, on a document whose lines from dirty on are new.
func (p *Output) extend(c *Command, dirty int) {
	p.from, p.end, p.joined = max(0, c.out), max(c.End, c.out, 0), c.joined
	if p.col = c.outCol; c.out < 0 {
		p.col = 0
	}
	shown := p.from + len(row.Trim(p.doc.Lines[p.from:p.end]))
	if dirty < p.shown || shown != p.shown || c.more != p.more {
		p.size++
	}
	p.shown, p.more = shown, c.more
}

// forget moves the lines above line n of the document, which it drops, into text.
func (p *Output) forget(n int) {
	lines := p.doc.Lines[p.from:max(p.from, min(n, p.end))]
	if p.col > 0 && len(lines) > 0 {
		lines = slices.Clone(lines)
		lines[0], p.col = row.CutLine(lines[0], p.col, rowEnd), 0
	}
	p.text.Add(lines)
	p.from, p.end, p.shown = max(0, p.from-n), max(0, p.end-n), max(0, p.shown-n)
}

// gone keeps what a command had printed of which nothing is left on the document.
func (p *Output) gone() {
	p.doc = &document.Document{Lines: p.doc.Before(p.from, p.end)}
	p.from, p.end = 0, len(p.doc.Lines)
	p.freeze()
}

// freeze lets go of the document.
func (p *Output) freeze() {
	s, gap := p.Text()
	*p = Output{size: p.size, doc: &document.Document{}}
	p.text.Set(s, gap)
}
