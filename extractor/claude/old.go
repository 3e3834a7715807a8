package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// oldTalk is what only 1.0 and 2.0 draw: `>` before prompts, on a background (2.0) or grey (1.0);
// text that leaves 4 and, in early 1.0, 5 columns free at the right. What is wrapped at the wider
// width is wrapped at the narrower one, too.
var oldTalk = (&talk{
	sent:   chat.Mark{Signs: glyphs(">"), Ink: func(s vterm.Style) bool { return row.Highlighted(s) || row.Grey(s) }},
	goesOn: oldGoesOn,
	rest:   func(l row.Line) bool { return painted(l) || row.Indent(l.Text) == 2 && l.All(greyed) },
	text:   oldPrompt,
	style:  oldStyle(),
}).begin()

// oldWelcome is the title without a box, in a narrow window.
const oldWelcome = " ✻ Welcome to Claude Code!"

// oldBanner is a box that says "Welcome to Claude Code!" (1.0; without the box in a narrow window),
// a box with the version in its top (2.0 on a wide window), or the logo.
var oldBanner = chat.Welcome{
	Begins: func(text string) bool {
		return row.Starts(text, "╭─", oldWelcome) || strings.Contains(text, title)
	},
	Titles: []string{"Claude Code"},
	Forms: append([]chat.Form{
		{Text: lazy.Regexp(`^╭─.*\n│.*✻ Welcome to Claude Code.*\n` + inBox + `(?:│ *cwd: (?P<cwd>.*)│\n` + inBox +
			`)?╰─.*\n`)},
		{Text: lazy.Regexp(`^` + oldWelcome + `\n(?:` + indented + ` +cwd: (?P<cwd>.*)\n)?(?:(?:   .*)?\n)*`),
			Bold: "Claude Code!"},
	}, forms(`[01]\.\d+|2\.0`)...),
}

// oldSign matches a row that begins with the sign of an item.
var oldSign = lazy.Regexp(`^(?:>|\p{So})[ \x{a0}]`)

// oldGoesOn reports whether a row continues a prompt: with the background of its first row or, in
// 1.0, without a sign, and grey unless it is directly below. Early 1.0 draws only the first row
// grey.
func oldGoesOn(above []row.Line, l row.Line) bool {
	if row.HasBackground(above[0]) {
		return goesOn(above, l)
	}
	return !oldSign().MatchString(l.Text) && !isCorner(l) && (row.Filled(above[len(above)-1]) || l.All(row.Grey))
}

// greyed reports whether text is drawn in the grey of 1.0's prompts. Thinking is grey and italic
// there, and headings are grey and dim.
func greyed(s vterm.Style) bool { return row.Grey(s) && !s.Italic && !s.Dim }

// oldPrompt returns the text of a prompt. It was wrapped together with its `> `, so its later rows
// begin in column 0. The blank at a break is at the end of the row or at the start of the next one.
// Rows that are neither grey nor on a background drop it at their end.
func oldPrompt(rows []row.Line) string {
	lk, widest := markdown.Style{Left: 2}, 0
	for _, l := range rows {
		widest = max(widest, row.Extent(l.Row))
		if row.Indent(l.Text) < 2 && !row.Starts(l.Text, ">") {
			lk.Left = 0
		}
	}
	lk.Seam = func(_, b *markdown.Line, _ int) (markdown.Seam, bool) {
		above := rows[b.At-1]
		width, word, room := row.Extent(above.Row), row.Width(row.FirstWord(b.Text)), widest
		kept := row.HasBackground(above) || above.All(row.Grey) // the blanks at its end
		if !kept {
			room = above.Cols - lk.Left
		}
		switch {
		case above.Blanks > 0:
			return markdown.SeamSpace, true
		case width < room-1 && (kept || width+word < room), widest < above.Cols-6:
			return markdown.SeamBreak, true
		case b.Indent > 0, !kept && width < room:
			return markdown.SeamSpace, true
		case row.Width(row.LastWord(above.Text))+word <= room:
			return markdown.SeamBreak, true
		}
		return markdown.SeamNone, true // a word was cut
	}
	text := markdown.Prompt(rows, &lk)
	if lk.Left == 0 {
		text = strings.TrimPrefix(text, ">")
	}
	return strings.Trim(text, "\n \u00a0")
}

// oldStyle describes how replies are drawn: quotes and headings of the third level are dim, tables
// without enough room are written as Markdown.
func oldStyle() markdown.Style {
	lk := style
	lk.Right = 5
	lk.Marks = func(s vterm.Style) row.Mark {
		s.Bold = s.Bold && !s.Dim // the bold words of a quote are not dim, what is behind them is both
		return marks(s)
	}
	lk.Heading = headings(append(levels[:2:2], func(s vterm.Style) bool { return s.Dim && !s.Italic }))
	lk.Quote = func(l *markdown.Line) (int, bool) {
		return 0, l.All(func(s vterm.Style) bool {
			return s.Italic && (s.Dim || s.Bold && s.Underline == vterm.UnderlineNone)
		})
	}
	lk.Table = markdown.PipeTable
	return lk
}
