package codex

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// breaks are the characters after which textwrap cuts a word: hyphens, and what Unicode
// allows.
const breaks = "-/?!|}–—"

// slack is how many columns a line may end early: before 0.5x the lines of a paragraph are
// balanced.
const slack = 12

// balanced reports whether line b continues line a although its first word would have had room
// there.
func (c *body) balanced(a, b *markdown.Line) bool {
	free := a.Room - a.Width
	return free <= slack && row.Width(row.FirstWord(b.Text)) < free
}

// seam is a markdown.Style.Seam: lines are balanced before 0.5x, words are cut after hyphens and
// between any two characters of Chinese and Japanese, and URLs are wrapped by the terminal.
func (c *body) seam(a, b *markdown.Line, hang int) (markdown.Seam, bool) {
	if free := a.Room - a.Width; free <= slack && free < row.Width(row.FirstWord(b.Text)) && markdown.WithoutBlanks(a, b) {
		return markdown.SeamNone, true
	}
	if !c.balanced(a, b) {
		return c.cutSeam(a, b, hang)
	}
	if s, cut := markdown.CutBehind(a, b, "-", slack); cut {
		return s, true
	}
	return markdown.SeamSpace, true
}

// cutSeam returns the seam next to a URL (0.10x to 0.16x), or within a word after one of breaks.
func (c *body) cutSeam(a, b *markdown.Line, _ int) (markdown.Seam, bool) {
	if a.Wrapped && strings.Contains(row.LastWord(a.Text), "://") {
		return markdown.SeamSpace, true
	}
	if c.besideURL(b.At-1) && c.midWord(row.LastWord(a.Text), row.FirstWord(b.Text)) {
		return markdown.SeamNone, true
	}
	if cutCode(a, b) {
		return markdown.SeamNone, true
	}
	if word := row.FirstWord(b.Text); mixed().MatchString(row.LastWord(a.Text) + "\n" + word) {
		if ideograph().MatchString(word) {
			word = string(row.FirstRune(word))
		}
		if row.Width(word) > a.Room-a.Width {
			return c.besideIdeograph(), true
		}
	}
	return markdown.CutBehind(a, b, breaks, 0)
}

// cutCode reports whether a code span was cut within a word: after a sign, before another.
func cutCode(a, b *markdown.Line) bool {
	signs := strings.HasSuffix(a.Text, "?") || strings.HasSuffix(a.Text, "+") || strings.HasSuffix(a.Text, "!")
	word := row.FirstWord(b.Text)
	dash := len(row.LastWord(a.Text)) < 2 && !strings.HasPrefix(word, "=") // "! =" is no code
	both := marks(a.StyleOf(len(a.Text)-1))&marks(b.First())&row.MarkCode != 0
	return both && signs && !dash && !markdown.WordRune(row.FirstRune(word)) && row.Width(word) > a.Room-a.Width
}

// ideographs are the characters of Chinese and Japanese texts, between any two of which textwrap
// cuts, and beside words of other scripts.
const ideographs = `[\p{Han}\p{Hiragana}\p{Katakana}\x{3000}-\x{303f}ー\x{ff00}-\x{ff65}]`

// latin matches the beginning or end of a word in another script, or of code.
const latin = "[A-Za-z0-9`$]"

// mixed matches the end of a row and the word below it where a word of another script is beside
// one of the ideographs; touching and spaced match the same within a row, without a blank and with
// one.
var (
	ideograph = lazy.Regexp("^" + ideographs)
	mixed     = lazy.Regexp(ideographs + `\n` + latin + `|` + latin + `\n` + ideographs)
	touching  = lazy.Regexp(ideographs + latin + `|` + latin + ideographs)
	spaced    = lazy.Regexp(ideographs + ` ` + latin + `|` + latin + ` ` + ideographs)
)

// besideIdeograph returns the seam between an ideograph and a word of another script: what is most
// frequent within the rows of the cell.
func (c *body) besideIdeograph() markdown.Seam {
	without, with := 0, 0
	for _, l := range c.lines {
		without += len(touching().FindAllStringIndex(l.Text, -1))
		with += len(spaced().FindAllStringIndex(l.Text, -1))
	}
	if with > without {
		return markdown.SeamSpace
	}
	return markdown.SeamNone
}

// besideURL reports whether a row of a line with a URL may have been cut within a word. From 0.10x
// to 0.15x such a line is cut between any two characters except those of the URL, and leaves one
// column free for a hyphen that is never drawn: each row has at most two free columns, or a URL
// follows it. Later versions make the URL a link, and wrap words.
func (c *body) besideURL(at int) bool {
	free := func(l row.Line) int { return l.Cols - c.look.Right - row.Extent(l.Row) }
	goesOn := func(i int) bool { // from row i-1 to row i
		return i > 0 && !c.blank(i) && (free(c.lines[i-1]) <= 2 || c.lines[i-1].Wrapped ||
			strings.Contains(row.FirstWord(c.lines[i].Text), "://"))
	}
	if c.blank(at) || free(c.lines[at]) != 1 {
		return false
	}
	first, end := at, at+1
	for goesOn(first) {
		first--
	}
	for goesOn(end) {
		end++
	}
	return slices.ContainsFunc(c.lines[first:end], func(l row.Line) bool {
		before, _, ok := strings.Cut(l.Text, "://")
		return ok && l.StyleAt(row.Width(before)).Link == ""
	})
}

// midWord reports whether a row that was cut between two pieces was probably cut within a word.
// That is so in four of five cases, but not after a mark, and not next to a piece that is a word.
func (c *body) midWord(last, word string) bool {
	word = strings.TrimRight(word, ".,;:!?)")
	return c.within(last+word) || !apart().MatchString(last+" "+word) && !c.known(last) && !c.known(word)
}

// known reports whether a piece is a word that occurs elsewhere in the cell.
func (c *body) known(piece string) bool { return len(piece) > 2 && c.within(piece) }

// apart matches two pieces that do not form a word: the first ends in a mark, the second is a URL
// or begins with a capital, or one of the two is a word that is rarely a part of another.
var apart = lazy.Regexp(`[.,;:!?)] |\p{Ll} \p{Lu}| .*://|^(?i:` + common + `) | (?i:` + common + `)$`)

const common = `a|the|and|to|is|for|it|of|that|as|or|with|if|you|are|by|can|not|at|but|which|have|its|from|has|this|` +
	`was|they|when|will|then`

// within reports whether a word occurs between two others on a row of the cell, where it is
// complete.
func (c *body) within(word string) bool {
	return slices.ContainsFunc(c.lines, func(l row.Line) bool {
		return strings.Contains(strings.TrimLeft(l.Text, " •›>-"), " "+word+" ")
	})
}
