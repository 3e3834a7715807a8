package extractor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// claudeLook is how a reply is drawn; right is what its text leaves free at the right, few that its
// theme has 16 colours.
func claudeLook(right int, few bool) *markdown.Style {
	marks := claudeMarks
	if few {
		marks = claudeMarks16
	}
	return &markdown.Style{
		Left: 2, Right: right,
		Marks: marks, Item: claudeItem, Heading: claudeHeading, Quote: claudeQuote, QuoteMarks: row.MarkItalic,
		Code: claudeCode, GoesOn: claudeGoesOnText, CodeOutdents: true, CodeTabs: true, Table: claudeTable, WholeCells: true,
		Border: claudeBorder,
	}
}

// claudeMarks reads inline styles; code is in the themes' light blue.
func claudeMarks(s vterm.Style) row.Mark {
	m := row.PlainMarks(s)
	if s.Dim { // the bold words of a quote are not dim, what is behind them is both (1.0, 2.0)
		m &^= row.MarkBold
	}
	if claudeCodeInk(s.Fg) {
		m |= row.MarkCode
	}
	return m
}

// claudeMarks16 reads inline styles in a theme of 16 colours, where code is in a blue that grammars
// use, too.
func claudeMarks16(s vterm.Style) row.Mark {
	m := claudeMarks(s)
	if s.Fg.Palette == 12 || s.Fg.Palette == 4 {
		m |= row.MarkCode
	}
	return m
}

// claudeCodeInk tells the colour of inline code: all themes take a blue for it.
func claudeCodeInk(c vterm.Color) bool {
	r, _, b, _ := row.Rgb(c)
	return b >= r+40
}

// claudeItem reads a list item's marker: `-`, a number, deeper down a letter or a Roman number.
func claudeItem(l *markdown.Line) (markdown.Item, bool) {
	t := l.Text[l.Indent:]
	if t == "" {
		return markdown.Item{}, false
	}
	if t[0] == '-' || t[0] <= '9' {
		it, ok := markdown.ListItem(l)
		return it, ok && !strings.HasSuffix(it.Mark, ")")
	}
	if l.Indent < 2 {
		return markdown.Item{}, false
	}
	n := strings.IndexByte(t, '.')
	if n < 1 || n > 5 || !strings.HasPrefix(t[n:], ". ") {
		return markdown.Item{}, false
	}
	number := claudeLetterNumber(t[:n])
	if number < 1 {
		return markdown.Item{}, false
	}
	it := l.ItemOf(t[:n+1], number, n+1, t[n+1:])
	it.Mark = strconv.Itoa(number) + "." // Markdown has no other numbers
	return it, true
}

// claudeLetterNumber returns the number that a lower-case letter or a Roman numeral represents, or
// 0 if s is neither.
func claudeLetterNumber(s string) int {
	if n := claudeRoman(s); n > 0 && (len(s) > 1 || s == "i") {
		return n
	}
	return strings.Index(" abcdefghijklmnopqrstuvwxyz", s)
}

// claudeRomans are the small Roman numbers, by what they are.
var claudeRomans = strings.Fields("0 i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")

// claudeRoman reads a small Roman number, or returns -1.
func claudeRoman(s string) int { return slices.Index(claudeRomans, s) }

// claudeHeading reads a heading's level: bold, italic and underlined the first, bold the others,
// dim the third in 1.0.
func claudeHeading(l *markdown.Line) int {
	switch {
	case l.Indent > 0 || l.Room-l.Width < 4:
		return 0
	case l.All(func(s vterm.Style) bool { return s.Bold && s.Italic && s.Underline != vterm.UnderlineNone }):
		return 1
	case l.All(func(s vterm.Style) bool { return s.Bold && !s.Italic && row.Plain(s.Fg) }):
		if strings.ContainsRune(".:,;", rune(l.Text[len(l.Text)-1])) {
			return 0
		}
		return 2
	case l.All(func(s vterm.Style) bool { return s.Dim && !s.Italic && s.Fg.Kind == vterm.ColorDefault }):
		return 3
	}
	return 0
}

// claudeQuote reads a quoted line: `▎ ` before it, or dim and italic up to 2.0, where bold words
// are not dim, and what follows them is bold and dim.
func claudeQuote(l *markdown.Line) (int, bool) {
	if rest, ok := strings.CutPrefix(l.Text[l.Indent:], "▎"); ok {
		if strings.HasPrefix(rest, " ") {
			return l.Indent + 2, true
		}
		return l.Indent + 1, rest == ""
	}
	return 0, l.All(func(s vterm.Style) bool {
		return s.Italic && (s.Dim || s.Bold && s.Underline == vterm.UnderlineNone)
	})
}

// claudeInk is what the colours of a line say of it.
type claudeInk uint8

const (
	claudeInkPlain  claudeInk = iota // none at all
	claudeInkSyntax                  // highlighted code: the 16 colours, which nothing else uses
	claudeInkCode                    // all in the colour of code: a block without a language (2.1.2xx)
	claudeInkStyled                  // bold, italic, code within text: a paragraph
)

// claudeKeywords begin lines of code and are drawn like code spans in a theme of 16 colours.
const claudeKeywords = " import from for def class return if else while func package fn let const use var type "

// claudeMeta is the grey of highlighted code.
var claudeMeta = vterm.Color{Kind: vterm.ColorPalette, Palette: 8}

// Notes of a line: its claudeInk in the lowest bits, and what else is asked of each line many
// times.
const (
	claudeNoteInk   = 3
	claudeNoteItem  = 1 << 2 // claudeItem reads it
	claudeNoteProse = 1 << 3 // claudeProse holds
	claudeNoteRule  = 1 << 4 // ruleLine holds
	claudeNoted     = 1 << 5
	claudeNoteSigns = 8 // the first bit of its claudeSigns
)

func claudeNote(l *markdown.Line) uint16 {
	if l.Note == 0 {
		l.Note = claudeNoted | uint16(claudeReadInk(l)) | uint16(claudeReadSigns(l))<<claudeNoteSigns
		if _, ok := claudeItem(l); ok {
			l.Note |= claudeNoteItem
		}
		if claudeProse(l) {
			l.Note |= claudeNoteProse
		}
		if markdown.RuleLine(l) {
			l.Note |= claudeNoteRule
		}
	}
	return l.Note
}

// claudeInkOf returns what claudeReadInk reads.
func claudeInkOf(l *markdown.Line) claudeInk { return claudeInk(claudeNote(l) & claudeNoteInk) }

// claudeIsItem reports whether claudeItem reads the line.
func claudeIsItem(l *markdown.Line) bool { return claudeNote(l)&claudeNoteItem != 0 }

// claudeReadInk reads the colours of a line.
func claudeReadInk(l *markdown.Line) claudeInk {
	plain, code, few := true, true, false
	for i := range l.Spans {
		s := &l.Spans[i]
		if strings.Trim(s.Text, " ") == "" {
			continue
		}
		c := s.Style.Fg
		if c == claudeMeta { // what a grammar calls meta or a tag, between its other colours
			code = false
			continue
		}
		if c.Kind == vterm.ColorPalette && !row.Plain(c) && s.Mark&row.MarkCode == 0 {
			return claudeInkSyntax
		}
		few = few || c.Kind == vterm.ColorPalette
		if s.Style.Dim || !row.Plain(c) {
			plain = false
		}
		if s.Mark != row.MarkCode {
			code = false
		}
	}
	switch {
	case l.Blank() || plain:
		return claudeInkPlain
	case code:
		return claudeInkCode
	case few && strings.Contains(claudeKeywords, " "+row.FirstWord(l.Text)+" "):
		return claudeInkSyntax
	}
	return claudeInkStyled
}

// claudeGoesOnText reports whether a paragraph goes on with a line that has no colours of code, or
// a code span with its rest.
func claudeGoesOnText(a, b *markdown.Line) bool {
	lk := markdown.Style{}
	return lk.SeamOf(a, b, b.Indent) != markdown.SeamBreak
}

// claudeCode returns how many lines from the first are a code block. The agent draws code like
// text, but highlighted and never wrapped at words that fit; it may contain blank lines and be
// surrounded by them.
func claudeCode(ls []markdown.Line) (int, string) {
	n := claudeCodeAt(ls)
	for n < len(ls) && ls[n].Blank() {
		k := n
		for k < len(ls) && ls[k].Blank() {
			k++
		}
		if k == len(ls) {
			break
		}
		g := claudeCodeAt(ls[k:])
		if ls[k].Indent > 0 && !claudeIsItem(&ls[k]) && claudeInkOf(&ls[k]) == claudeInkPlain {
			g = markdown.UntilBlank(ls[k:]) // indented: no paragraph is
		}
		if g == 0 {
			break
		}
		n = k + g
	}
	return n, ""
}

// claudeCodeAt returns how many lines from the first are code; more groups may follow after blank
// lines.
func claudeCodeAt(ls []markdown.Line) int {
	if n := claudeSource(ls); n > 0 {
		return n
	}
	return claudeCodeGroup(ls)
}

// maxGroup is how many lines below a line are looked at to find out what it begins: code of which
// no line has a colour of its own, and the first row of a table, are no longer.
const maxGroup = 200

// claudeCodeGroup tells how many lines from the first, up to a blank one, are code.
func claudeCodeGroup(ls []markdown.Line) int {
	switch claudeInkOf(&ls[0]) {
	case claudeInkStyled:
		return 0
	case claudeInkCode:
		return claudeCodeInkRun(ls)
	}
	highlighted, end := false, 0
	for ; end < len(ls) && !ls[end].Blank(); end++ {
		if end >= maxGroup {
			return 0
		}
		note := claudeNote(&ls[end])
		ink := claudeInk(note & claudeNoteInk)
		deeper := ls[end].Indent > ls[0].Indent && note&claudeNoteItem == 0 // no text is
		if ink == claudeInkPlain && !deeper && note&claudeNoteProse != 0 && !claudeOpens(ls[end:]) {
			break
		}
		highlighted = highlighted || ink == claudeInkSyntax
	}
	if end == 0 {
		return 0
	}
	if !highlighted {
		return claudePlainCode(ls, end)
	}
	return end
}

// claudeOpens reports whether a line is followed by one that is indented further, as only in code:
// `Traceback:`, `class A:`.
func claudeOpens(ls []markdown.Line) bool {
	if len(ls) < 2 || ls[1].Indent <= ls[0].Indent {
		return false
	}
	return !claudeIsItem(&ls[0])
}

// claudeCodeInkRun tells how many lines that are all in the colour of code are a block: a single
// word is a code span.
func claudeCodeInkRun(ls []markdown.Line) int {
	n := 0
	for n < len(ls) && claudeInkOf(&ls[n]) == claudeInkCode {
		n++
	}
	t := ls[0].Text[ls[0].Indent:]
	if n == 1 && (!strings.Contains(t, " ") || len(ls) > 1 && !ls[1].Blank()) {
		return 0
	}
	return n
}

// claudePlainCode reports whether lines without any colour are code: ls[:end] is a group without
// prose.
func claudePlainCode(ls []markdown.Line, end int) int {
	if claudeIsItem(&ls[0]) {
		return 0
	}
	if end < len(ls) && !ls[end].Blank() && !claudeIsItem(&ls[end]) { // text goes on below
		return 0
	}
	strong, breaks, deep := prose.Command(ls[0].Text[ls[0].Indent:]), true, false
	lk := markdown.Style{}
	for k := range end {
		l := &ls[k]
		if k > 0 {
			if claudeIsItem(l) {
				return 0
			}
			breaks = breaks && lk.SeamOf(&ls[k-1], l, 0) == markdown.SeamBreak
			deep = deep || l.Indent > ls[0].Indent && lk.SeamOf(&ls[k-1], l, 0) == markdown.SeamBreak
		}
		strong = strong || deep || strings.ContainsAny(l.Text, "├└│┌╭╰") || prose.Signs(l.Text)
	}
	if strong && (breaks || deep || prose.Command(ls[0].Text[ls[0].Indent:])) {
		return end
	}
	if end < 2 || !breaks {
		return 0
	}
	return end
}

// claudeProse reports whether a line without colours is a sentence, or the beginning of one, or a
// list item.
func claudeProse(l *markdown.Line) bool {
	t := l.Text[l.Indent:]
	if it, ok := claudeItem(l); ok {
		t = l.Text[min(it.Content, len(l.Text)):]
		return strings.Contains(t, " ")
	}
	return prose.Judge(t) == prose.Prose
}
