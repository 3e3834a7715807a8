package claude

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/prose"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// style describes how replies are drawn.
var style = markdown.Style{
	Left: 2, MarkCells: true, SkipsBlanks: true,
	Marks: marks, Item: item, Heading: headings(levels), HeadingGap: true,
	Quote: markdown.QuoteSign("▎ "), QuoteMarks: row.MarkItalic,
	Code: code, Language: language, CodeTabs: true, CodeBlanks: true, Table: markdown.FieldTable, WholeCells: true,
	Border: border,
}

// fewColours reports whether a marker's or a prompt's colour is that of a theme of 16 colours.
func fewColours(c vterm.Color) bool { return c.Kind == vterm.ColorPalette && c.Palette < 16 }

// marks returns inline styles. Code is in the themes' light blue.
func marks(s vterm.Style) row.Mark { return row.Marks(s, codeInk(s.Fg)) }

// marks16 is marks for a theme of 16 colours, in which grammars also use the blue of code.
func marks16(s vterm.Style) row.Mark {
	return row.Marks(vterm.Style{}, slices.Contains([]uint8{4, 12}, s.Fg.Palette))
}

// codeInk reports whether a colour is that of inline code, which is a blue in all themes.
func codeInk(c vterm.Color) bool {
	r, _, b := row.Rgb(c)
	return b >= r+40
}

// item parses a list item's marker: `-`, a number, or at a deeper level a letter or a Roman
// numeral.
func item(l *markdown.Line) (markdown.Item, bool) {
	t := l.Text[l.Indent:]
	if row.FirstRune(t) <= '9' { // "-" too
		return markdown.ListItem(l)
	}
	mark := row.FirstWord(t)
	number := letterNumbers[mark]
	if number == 0 || l.Indent < 2 {
		return markdown.Item{}, false
	}
	it := l.ItemOf(mark, number, len(mark), t[len(mark):])
	it.Mark = strconv.Itoa(number) + "." // Markdown has no other numbers
	return it, true
}

// letterNumbers are the numbers of markers: lower-case letters and Roman numerals with a point. A
// single letter is a numeral only if it is the first.
var letterNumbers = func() map[string]int {
	numbers := map[string]int{}
	for i, letter := range "abcdefghijklmnopqrstuvwxyz" {
		numbers[string(letter)+"."] = i + 1
	}
	for i, roman := range strings.Fields("i ii iii iv - vi vii viii ix - xi xii xiii xiv xv xvi xvii xviii xix xx") {
		numbers[roman+"."] = i + 1
	}
	return numbers
}()

// levels describe how headings are drawn, by level: the first is bold, italic and underlined, the
// others are bold.
var levels = []func(vterm.Style) bool{
	func(s vterm.Style) bool { return s.Italic && s.Underline != vterm.UnderlineNone },
	func(s vterm.Style) bool { return s.Bold && !s.Italic && (row.Plain(s.Fg) || codeInk(s.Fg)) },
}

// headings returns a markdown.Style.Heading for these levels.
func headings(levels []func(vterm.Style) bool) func(l *markdown.Line) int {
	return func(l *markdown.Line) int {
		if l.Indent > 0 {
			return 0
		}
		level := 1 + slices.IndexFunc(levels, l.All)
		if level == 2 && strings.ContainsRune(".,;", rune(l.Text[len(l.Text)-1])) {
			return 0
		}
		return level
	}
}

// claudeInk classifies a line by its colours.
type claudeInk uint8

const (
	inkPlain  claudeInk = 1 << iota // no colour
	inkSyntax                       // highlighted code: the 16 colours, which nothing else uses
	inkCode                         // completely in the colour of code: a block without a language (2.1.2xx)
	inkStyled                       // bold, italic or code within text: a paragraph
)

// keywords begin lines of code and are drawn like code spans in a theme of 16 colours.
const keywords = " import from for def class return if else while func package fn let const use var type "

// meta is the grey of highlighted code.
var meta = vterm.Color{Kind: vterm.ColorPalette, Palette: 8}

// Bits of Line.Note: the line's claudeInk in the lowest bits, and other properties that are needed
// often.
const (
	noteInk   = 1<<4 - 1
	noteItem  = 1 << 4 // item accepts it
	noteText  = 1 << 5 // it is an item of several words, so it is text
	noteSigns = 8      // number of the first bit of the result of readSigns
)

func claudeNote(l *markdown.Line) uint16 {
	if l.Note == 0 {
		l.Note = uint16(readInk(l)) | uint16(readSigns(l))<<noteSigns
		if it, ok := item(l); ok {
			l.Note |= noteItem
			if strings.Contains(l.Text[min(it.Content, len(l.Text)):], " ") {
				l.Note |= noteText
			}
		}
	}
	return l.Note
}

// isProse reports whether the words of a line are a sentence, or the beginning of one, or markup,
// which has colours in code.
func isProse(l *markdown.Line) bool {
	return claudeNote(l)&noteText != 0 || prose.Judge(l.Text[l.Indent:]) == prose.Prose || isMarkup(l)
}

// isMarkup reports whether a line is markup of a text.
func isMarkup(l *markdown.Line) bool { return inkOf(l) == inkPlain && prose.Markup(l.Text[l.Indent:]) }

// inkOf returns the cached result of readInk.
func inkOf(l *markdown.Line) claudeInk { return claudeInk(claudeNote(l) & noteInk) }

// isItem reports whether item accepts the line.
func isItem(l *markdown.Line) bool { return claudeNote(l)&noteItem != 0 }

// readInk classifies a line by its colours.
func readInk(l *markdown.Line) claudeInk {
	var seen claudeInk
	for i := range l.Spans {
		seen |= spanInk(&l.Spans[i])
	}
	switch {
	case seen&inkSyntax != 0, l.First().Fg == meta && !l.All(grey8) && !strings.HasPrefix(l.Text, "▎"):
		return inkSyntax
	case seen&(inkCode|inkStyled) == 0:
		return inkPlain
	case seen == inkCode:
		return inkCode
	case marks16(l.First()) != 0 && strings.Contains(keywords, " "+row.FirstWord(l.Text)+" "):
		return inkSyntax
	}
	return inkStyled
}

// grey8 reports whether a character is in the grey of highlighted code.
func grey8(s vterm.Style) bool { return s.Fg == meta }

// spanInk classifies a piece of a line by its colour. It returns 0 if it is blank.
func spanInk(s *row.Span) claudeInk {
	c := s.Style.Fg
	switch {
	case strings.Trim(s.Text, " ") == "":
		return 0
	case row.Plain(c) && s.Mark != 0:
		return inkStyled
	case row.Plain(c), c == meta:
		return inkPlain
	case s.Mark == row.MarkCode:
		return inkCode
	case c.Kind == vterm.ColorPalette && s.Mark&row.MarkCode == 0:
		return inkSyntax
	}
	return inkStyled
}

// code returns how many lines from the first are a code block, including the name of its language.
// The agent draws code at the left edge of text, in the colours of a grammar if it has one for the
// language. Code may contain blank lines, and text may follow without one.
func code(ls []markdown.Line) int {
	if language(ls) {
		if n := markdown.CodeGroups(ls[1:], unstyled, below); n > 0 {
			return 1 + n
		}
	}
	return markdown.CodeGroups(ls, codeAt, below)
}

// language reports whether the first line is the name of a language, above code: the agent draws
// it, dim, if it has no grammar for the language.
func language(ls []markdown.Line) bool {
	dim := func(s vterm.Style) bool { return s.Dim && row.Plain(s.Fg) && !s.Italic }
	if !ls[0].All(dim) || strings.Contains(ls[0].Text[ls[0].Indent:], " ") {
		return false
	}
	return len(ls) > 1 && !ls[1].Blank() && !ls[1].All(dim)
}

// unstyled returns how many lines from the first may be code by their style. They end at a blank
// line, a line with a style of text, a numbered item or the name of another language.
func unstyled(ls []markdown.Line) int {
	for n := range ls {
		l := &ls[n]
		if l.Blank() || inkOf(l) == inkStyled || numbered(l) || n > 0 && language(ls[n:]) {
			return n
		}
	}
	return len(ls)
}

// numbered reports whether a line is a numbered item with several words.
func numbered(l *markdown.Line) bool {
	return claudeNote(l)&noteText != 0 && unicode.IsDigit(row.FirstRune(l.Text[l.Indent:]))
}

// below returns how many of the lines, which follow code and a blank line, belong to the same code
// block.
func below(ls []markdown.Line) int {
	l := &ls[0]
	if strings.HasPrefix(l.Text, "┌─") || strings.HasPrefix(l.Text, "▎") { // a table, a quote
		return 0
	}
	if isMarkup(l) {
		return 0
	}
	if l.Indent > 0 && !isItem(l) && inkOf(l) == inkPlain {
		return unstyled(ls) // indented: no paragraph is
	}
	if n := codeAt(ls); n > 0 {
		return n
	}
	n := unstyled(ls)
	if n == 0 || isItem(l) || prose.Judge(l.Text) != prose.Code || endsSentence(ls[n-1].Text) {
		return 0
	}
	return n
}

// endsSentence reports whether a text ends with a mark that ends sentences.
func endsSentence(t string) bool { return strings.ContainsAny(t[len(t)-1:], ".:!?") }

// codeAt returns how many lines from the first are code; more groups may follow after blank
// lines.
func codeAt(ls []markdown.Line) int {
	if n := source(ls); n > 0 {
		return n
	}
	return codeGroup(ls)
}

// maxGroup is how many lines are examined to find out what a line begins. Code of which no line has
// a colour of its own, and the first row of a table, are shorter.
const maxGroup = 200

// codeGroup returns how many lines from the first, up to a blank one, are code.
func codeGroup(ls []markdown.Line) int {
	switch inkOf(&ls[0]) {
	case inkStyled:
		return 0
	case inkCode:
		return codeInkRun(ls)
	}
	group := ls[:min(unstyled(ls), maxGroup+1)]
	first, last := syntaxLines(group)
	end, command := len(group), prose.Command(ls[0].Text[ls[0].Indent:])
	for k := range group {
		between := first <= k && k <= last
		belowCode := first >= 0 && k > last || command && k > 0
		if !between && text(ls[k:], ls[0].Indent, belowCode) {
			end = k
			break
		}
	}
	switch {
	case end > maxGroup:
		return 0
	case first >= 0 && end > first:
		return end
	}
	return plainCode(ls, end, command)
}

// syntaxLines returns the first and the last line that are code by their colours, or -1.
func syntaxLines(ls []markdown.Line) (first, last int) {
	first, last = -1, -1
	for k := range ls {
		if inkOf(&ls[k]) == inkSyntax {
			last = k
			if first < 0 {
				first = k
			}
		}
	}
	return first, last
}

// text reports whether the first line is text: a sentence that is not indented further than the
// code and does not begin an indented block. Below code, words without a capital and a final mark
// are not a sentence, but a command.
func text(ls []markdown.Line, indent int, belowCode bool) bool {
	l := &ls[0]
	deeper := l.Indent > indent && !isItem(l)
	fragment := belowCode && prose.Fragment(l.Text[l.Indent:])
	return inkOf(l) == inkPlain && !deeper && !fragment && isProse(l) && !opens(ls)
}

// opens reports whether a line is followed by one with a deeper indentation, as only in code:
// `Traceback:`, `class A:`.
func opens(ls []markdown.Line) bool {
	next := &ls[min(1, len(ls)-1)]
	return next.Indent > ls[0].Indent && !isItem(&ls[0])
}

// codeInkRun returns how many lines that are completely in the colour of code are a block. A single
// word is a code span.
func codeInkRun(ls []markdown.Line) int {
	n := row.Run(ls, func(l markdown.Line) bool { return inkOf(&l) == inkCode })
	t := ls[0].Text[ls[0].Indent:]
	if n == 1 && (!strings.Contains(t, " ") || markdown.UntilBlank(ls) > 1) {
		return 0
	}
	return n
}

// plainCode returns how many lines without any colour are code: all lines of a group without prose,
// if its lines break although words had room, or are indented. ls[:end] is the group. Text may
// follow directly below a command.
func plainCode(ls []markdown.Line, end int, command bool) int {
	items := func(l markdown.Line) bool { return isItem(&l) }
	if end == 0 || slices.ContainsFunc(ls[:end], items) {
		return 0
	}
	lk, deep, breaks := markdown.Style{}, false, true
	if end < markdown.UntilBlank(ls) && !isItem(&ls[end]) { // text goes on below
		if !command || lk.SeamOf(&ls[end-1], &ls[end], 0) != markdown.SeamBreak {
			return 0
		}
	}
	for k := 1; k < end; k++ {
		if lk.SeamOf(&ls[k-1], &ls[k], 0) != markdown.SeamBreak {
			breaks = false
		} else {
			deep = deep || ls[k].Indent > ls[0].Indent
		}
	}
	if deep || breaks && (end > 1 || command || prose.Signs(ls[0].Text)) {
		return end
	}
	return 0
}
