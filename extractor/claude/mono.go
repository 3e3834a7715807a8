package claude

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// Without colours (NO_COLOR, a monochrome terminal) only marks, columns and blank rows distinguish
// prompts, replies and tool calls. This file finds them by these, and paints their rows in the
// colours that Claude Code would have used. The rules for sessions with colours read them then.

// monoWelcome is the logo, in no colour, with three lines beside it, or the box. A reply that
// quotes it is further in.
var monoWelcome = func() chat.Welcome {
	w := welcome
	w.Forms = forms(`\d+\.\d+`)
	for i := range w.Forms {
		w.Forms[i].Bold, w.Forms[i].Mono = "", true
	}
	w.Forms[1].Text = lazy.Regexp(`^ ?[▐▛▜▝]+.*` + title + `(?P<version>\d+\.\d+\.\d+).*\n[▐▛▜▝]` + art +
		`(?P<model>.+?)(?: · .*)?\n` + beside + art + `(?P<cwd>[~/].*)\n`)
	return w
}()

// monoTalk reads the painted conversation. It finds code by where lines break, before their words.
var monoTalk = func() *talk {
	t := *newTalk
	t.style.Code = func(ls []markdown.Line) int { return markdown.CodeGroups(ls, monoCode, below) }
	return (&t).begin()
}()

// monoCode returns how many lines from the first are code. They are code if each ends although the
// next word had room on it, and none is a list item. Otherwise their words decide.
func monoCode(ls []markdown.Line) int {
	n, lk := markdown.UntilBlank(ls), markdown.Style{}
	for k := range ls[:n] {
		if isItem(&ls[k]) || strings.HasPrefix(ls[k].Text, "▎") ||
			k > 0 && lk.SeamOf(&ls[k-1], &ls[k], 0) != markdown.SeamBreak {
			return code(ls)
		}
	}
	if n > 1 && n <= maxGroup {
		return n
	}
	return code(ls)
}

// mono is the look of a session without colours.
func mono() chat.Look {
	return chat.Look{
		Versions: "2.1-", Mono: true,
		Begins: monoWelcome.Begins, Banner: monoWelcome.Banner, Box: inputBox,
		Clears: func(l row.Line) bool { return monoTalk.clears(inkTalk([]row.Line{l})[0]) },
		Split: func(s chat.Screen) chat.Split {
			s.Lines = inkScreen(s.Lines)
			return split(s)
		},
		Parse: func(lines []row.Line) []chat.Item { return monoTalk.cells.Parse(inkTalk(lines)) },
	}
}

// The styles that rows are painted in.
var (
	grey     = vterm.Style{Dim: true}
	bold     = vterm.Style{Bold: true}
	coloured = vterm.Style{Fg: vterm.Color{Kind: vterm.ColorPalette, Palette: 2}}
	lit      = vterm.Style{Bg: vterm.Color{Kind: vterm.ColorPalette, Palette: 8}}
)

// inked returns l with columns from up to, not including, to painted in a style. If to is negative,
// it paints to the row's end.
func inked(l row.Line, from, to int, s vterm.Style) row.Line {
	spans := slices.Clone(row.Spans(l.Row, 0, from, nil))
	for _, span := range row.Spans(l.Row, from, to, nil) {
		span.Style = s
		spans = append(spans, span)
	}
	if to >= 0 {
		spans = append(spans, row.Spans(l.Row, to, -1, nil)...)
	}
	r := row.Join(spans)
	r.Wrapped, r.Blanks, l.Row = l.Wrapped, l.Blanks, r
	return l
}

// monoMenu matches a row of a menu: a command or a file, perhaps with its pointer.
var monoMenu = lazy.Regexp(`^ {0,4}(?:❯ )?[/@+*…]`)

// inkScreen paints the rows around the conversation: spinners, menus, and notes at the right.
func inkScreen(lines []row.Line) []row.Line {
	lines = slices.Clone(lines)
	for i, l := range lines {
		if l.Text == "" {
			continue
		}
		switch sign, _ := utf8.DecodeRuneInString(l.Text); {
		case i == 0 && monoTalk.sent.Signed(l):
			lines[i] = inked(l, 0, -1, lit)
		case strings.ContainsRune(spinners, sign), monoMenu().MatchString(l.Text):
			lines[i] = inked(l, 0, -1, coloured)
		case strings.HasSuffix(l.Text, "↓") && row.Indent(l.Text) > 2:
			lines[i] = inked(l, row.Indent(l.Text), -1, lit)
		case row.Indent(l.Text) > l.Cols/2:
			lines[i] = inked(l, 0, -1, grey)
		}
	}
	return lines
}

// inkTalk paints the rows of the conversation.
func inkTalk(lines []row.Line) []row.Line {
	lines = slices.Clone(lines)
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case l.Text == "":
		case monoTalk.sent.Signed(l):
			for n := promptEnd(lines[i:]); n > 0; n-- {
				lines[i] = inked(lines[i], 0, -1, lit)
				i++
			}
			i--
		case row.Starts(l.Text, "! "), row.Starts(l.Text, "● Unknown ", "⏺ Unknown "):
			lines[i] = inked(l, 0, 1, coloured)
		case ended().MatchString(l.Text):
			lines[i] = inked(l, 0, -1, grey)
		case marker.On(l) || row.Indent(l.Text) == 2 && (i == 0 || lines[i-1].Text == ""):
			inkCall(lines[i:])
		}
	}
	return lines
}

// promptEnd counts the rows of a prompt, with the blank ones in it.
func promptEnd(lines []row.Line) int {
	return chat.Until(lines, func(k int) bool {
		l := lines[k]
		if l.Text == "" || l.Wrapped {
			return false
		}
		return l.Lost || row.Indent(l.Text) < 2 || isCorner(l) || lines[k-1].Text == "" && isMonoCall(lines[k:])
	})
}

// monoName matches the name of a call that is shown by it, before its bracket.
var monoName = lazy.Regexp(`^(?:[●⏺] | {2})((?:[A-Z]\w*(?: [A-Z]\w*)?|.{1,60} \(MCP\)))\(`)

// nameOf returns the name of the call in the first row, or "". Its bracket is closed at the end of
// its last row.
func nameOf(lines []row.Line) string {
	m := monoName().FindStringSubmatch(lines[0].Text)
	if m == nil || !names[m[1]] && !strings.HasSuffix(m[1], "(MCP)") {
		return ""
	}
	n := row.Run(lines, func(l row.Line) bool { return l.Text != "" && !isCorner(l) })
	if end := lines[n-1].Text; !strings.HasSuffix(end, ")") && !strings.HasSuffix(end, "…") {
		return ""
	}
	return m[1]
}

// counts reports whether the first row sums up a group of calls, such as "Read 2 files". A sentence
// that begins like that does not count.
func counts(lines []row.Line) bool {
	parts, _ := groupParts(lines)
	return parts != nil && !strings.ContainsAny(lines[0].Text[len(lines[0].Text)-1:], ".:;!?") &&
		len(strings.Fields(lines[0].Text)) <= 6*len(parts)
}

// describes reports whether the first row describes a running call, whose command or file follows a
// corner (⎿) below.
func describes(lines []row.Line) bool {
	at := cornerBelow(lines)
	if at < 0 {
		return false
	}
	text := corner().ReplaceAllString(lines[at].Text, "")
	return !row.Starts(text, noHints...) && !hookSays().MatchString(text)
}

// cornerBelow returns the row of the corner right below the paragraph in the first row, or -1.
func cornerBelow(lines []row.Line) int {
	for k := 1; k < min(len(lines), 6); k++ {
		switch {
		case isCorner(lines[k]):
			return k
		case !strings.HasPrefix(lines[k].Text, "  "):
			return -1
		}
	}
	return -1
}

func isMonoCall(lines []row.Line) bool {
	return row.Indent(lines[0].Text) == 2 && (nameOf(lines) != "" || counts(lines) || describes(lines))
}

// inkCall paints the tool call that begins in the first of lines, if there is one.
func inkCall(lines []row.Line) {
	l := lines[0]
	signed := row.Indent(l.Text) == 0
	switch name := nameOf(lines); {
	case name != "":
		if signed {
			l = inked(l, 0, 1, coloured)
		}
		lines[0] = inked(l, 2, 2+row.Width(name), bold)
	case !counts(lines) && !describes(lines):
	default:
		if signed {
			lines[0] = inked(l, 0, 1, grey)
		} else {
			lines[0] = inked(l, 0, -1, grey)
		}
		if at := cornerBelow(lines); at > 0 {
			lines[at] = inked(lines[at], 0, -1, grey)
		}
	}
}
