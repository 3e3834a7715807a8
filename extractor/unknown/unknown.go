// Package unknown reads conversations with agents that have no package of their own. It relies on
// what all agents have in common, and on no names, words or signs. A Reader learns how one program
// draws while it runs:
//
//   - The cursor rests in the input area (area.go). The area is between two lines, on a background,
//     to the right of a vertical line, or to the right of a sign with chrome below.
//   - Text that leaves the input area and appears above it, with new text below, is a prompt with
//     the start of an answer. The conversation begins there. Programs that show no such thing, such
//     as editors and pagers, never have a conversation.
//   - Later prompts are drawn like the first one: the same sign, column, ink and background.
//   - Rows that keep their distance from the input area from turn to turn are chrome. So is the
//     short block right above the input area while the agent works (moving.go).
//   - The rows between two prompts form blocks (blocks.go). A block in a box, or with output hung
//     from its first row, is a call. A grey block is a notice. All others are the reply.
package unknown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Limits on what a Reader learns.
const (
	maxSent  = 256 // prompts
	maxLooks = 16  // ways to draw a prompt
)

// Reader reads one program, and learns from its screens how it draws. The zero value is ready to
// use. A Reader is not safe for concurrent use.
type Reader struct {
	kind   kind            // kind of the input area; noArea until the conversation has begun
	looks  []look          // how prompts are drawn
	sent   map[string]bool // letters of the prompts that were sent
	empty  kind            // kind of the input area when it was last seen empty, before any input
	typed  typed           // the text in the input area, or the text that left it last
	still  []string        // texts of the chrome rows above the input area, bottom first
	top    []row.Line      // on the alternate screen, the rows above the first prompt
	moving moving          // rows that show that the agent works
	busy   bool            // a prompt was sent, and no settled frame has shown an empty input area since
}

// typed is a text in the input area.
type typed struct {
	letters string
	row     row.Line    // first row of the area
	style   vterm.Style // style of the text
	above   []row.Line  // rows above the area
	pending bool        // the text has left the area
}

// Look returns a look that reads the program with what r has learned.
func (r *Reader) Look() *chat.Look {
	return &chat.Look{
		Begins:   func(string) bool { return false },
		Banner:   func([]row.Line) (chat.Banner, int) { return chat.Banner{}, 0 },
		See:      r.See,
		Split:    r.split,
		Parse:    func(lines []row.Line) []chat.Item { return r.parse(lines, false) },
		ParseTop: func(lines []row.Line) []chat.Item { return r.parse(lines, true) },
	}
}

// See learns from a frame. It reports whether the frame shows a new prompt and the start of an
// answer. settled reports whether nothing is being drawn.
func (r *Reader) See(s chat.Screen, settled bool) (answered bool) {
	a := find(s)
	if a.kind == noArea || r.kind != noArea && r.kind != a.kind {
		return false
	}
	r.moving.see(s.Lines[:a.top])
	switch now := letters(a.text()); {
	case now != "" && r.empty != a.kind: // it was there from the start: nobody has typed it
		return false
	case now != "" && !(r.typed.pending && r.typed.letters == now):
		first := s.Lines[a.top]
		r.typed = typed{letters: now, row: first, style: first.StyleAt(a.left), above: slices.Clone(s.Lines[:a.top])}
		return false
	case now == "":
		if r.typed.letters == "" {
			r.empty = a.kind
		}
		r.typed.pending = r.typed.letters != ""
		r.busy = r.busy && !settled
	}
	return r.typed.pending && r.answer(s, &a, settled)
}

// answer reports whether the text that was sent is on the screen above the input area, with the
// start of an answer below it, and learns from them.
func (r *Reader) answer(s chat.Screen, a *area, settled bool) bool {
	first, end := r.echo(s.Lines[:a.top])
	if first < 0 || !r.newBelow(s.Lines[end:a.top]) {
		return false
	}
	if r.kind == noArea && a.kind == pointed && !a.hints() && r.inPlace(s.Lines, first) {
		return false
	}
	r.learn(s.Lines[first:end])
	r.rest(s.Lines[end:a.top])
	if r.kind == noArea && s.Alt {
		r.top = slices.Clone(s.Lines[:first])
	}
	r.kind, r.busy, r.typed = a.kind, !settled, typed{}
	return true
}

// echo finds the last rows that show the text that was sent, and nothing else. first is -1 if there
// are none.
func (r *Reader) echo(lines []row.Line) (first, end int) {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Text == "" {
			continue
		}
		if n := spells(lines[i:], r.typed.letters); n > 0 {
			return i, i + n
		}
	}
	return -1, 0
}

// spells returns the number of rows at the start of lines that consist of the letters in want. Up
// to half as many letters may follow, since the last of them may have been typed after the last
// frame. It returns 0 if the rows have other letters.
func spells(lines []row.Line, want string) int {
	more := len(want) / 2
	for n, l := range lines {
		have := letters(withoutRight(l).Text)
		rest, ok := strings.CutPrefix(want, have)
		switch {
		case !ok && strings.HasPrefix(have, want) && len(have) <= len(want)+more:
			return n + 1
		case !ok, n == 0 && have == "":
			return 0
		case rest == "":
			return n + 1
		}
		want = rest
	}
	return 0
}

// inPlace reports whether the sent text is still where it was typed, as at a shell's prompt.
func (r *Reader) inPlace(lines []row.Line, first int) bool {
	l, was := lines[first], r.typed.above
	same := l.Text == r.typed.row.Text && l.StyleAt(row.Extent(l.Row)-1) == r.typed.style
	return same && (first == 0 || len(was) == 0 || lines[first-1].Text == was[len(was)-1].Text)
}

// newBelow reports whether an answer begins in the rows below a prompt: one of them was not on the
// screen while the prompt was typed. Hints do not count. They are right below a prompt that waits
// in a queue, or on the right of the screen.
func (r *Reader) newBelow(rows []row.Line) bool {
	if len(rows) == 0 || rows[0].Text != "" && !isFrame(rows[0].Text) {
		return false
	}
	return slices.ContainsFunc(rows, func(l row.Line) bool {
		return letters(l.Text) != "" && !onTheRight(l) &&
			!slices.ContainsFunc(r.typed.above, func(was row.Line) bool { return was.Text == l.Text })
	})
}

// rest learns which rows above the input area are chrome: those that were at the same distance from
// it while the prompt was typed. rows are the rows between the prompt and the area.
func (r *Reader) rest(rows []row.Line) {
	r.still = nil
	was := r.typed.above
	for n := 1; n <= min(len(rows), len(was)); n++ {
		text := rows[len(rows)-n].Text
		if text != was[len(was)-n].Text {
			break
		}
		r.still = append(r.still, text)
	}
}

// isChrome reports whether a row, n rows above the input area, is chrome: it has not moved since
// the last prompt, it is blank or a line, or it is on the right.
func (r *Reader) isChrome(l row.Line, n int) bool {
	return n < len(r.still) && l.Text == r.still[n] || l.Text == "" || isLine(l.Text) || onTheRight(l)
}

// onTheRight reports whether a row of its own begins right of the first third of the screen.
func onTheRight(l row.Line) bool { return !l.Wrapped && row.Indent(l.Text) > l.Cols/3 }

// busyRows is the maximum height of the block above the input area that is chrome while the agent
// works.
const busyRows = 3

// split separates the conversation from the chrome.
func (r *Reader) split(s chat.Screen) chat.Split {
	a := find(s)
	if a.kind != r.kind { // a menu, a question, or another program
		return chat.Split{OK: true, Overlay: true}
	}
	if !r.busy && a.text() != "" { // any other change is a list of completions
		return chat.Split{OK: true, Overlay: true}
	}
	sp := chat.Split{OK: true, Top: r.pinned(s), Bottom: a.top, State: chat.StateIdle}
	sp.Bottom = max(sp.Top, sp.Bottom)
	if s.Alt {
		sp.Right = scrollBar(s.Lines[sp.Top:sp.Bottom])
	}
	sp.Bottom = r.aboveChrome(s.Lines, sp, a.top)
	top, moves := r.moving.first(s.Lines[:sp.Bottom], r.prompts)
	busy := r.busy || r.typed.pending
	if !moves && busy {
		top = lastBlock(s.Lines[:sp.Bottom])
	}
	if busy || moves {
		sp.State = chat.StateBusy
	}
	if moves || sp.Bottom-top <= busyRows && !slices.ContainsFunc(s.Lines[top:sp.Bottom], r.prompts) {
		sp.Bottom = top
		sp.Bottom = r.aboveChrome(s.Lines, sp, a.top)
	}
	return sp
}

// aboveChrome returns the end of the conversation without the chrome above the input area, which
// begins with row input.
func (r *Reader) aboveChrome(lines []row.Line, sp chat.Split, input int) int {
	end := sp.Bottom
	for end > sp.Top && r.isChrome(lines[end-1], input-end) {
		end--
	}
	return end
}

// pinned returns the number of rows at the top of the alternate screen that have not moved although
// the rows below them have.
func (r *Reader) pinned(s chat.Screen) int {
	n := 0
	for n < min(len(r.top), len(s.Lines)) && s.Lines[n].Text == r.top[n].Text {
		n++
	}
	if n == len(r.top) { // nothing has moved yet
		return 0
	}
	return len(row.Trim(s.Lines[:n]))
}

// scrollBar returns the column of the scroll bar in which most rows end, or 0 if there is none.
func scrollBar(lines []row.Line) int {
	ends := map[int]int{}
	for _, l := range lines {
		if last, _ := utf8.DecodeLastRuneInString(l.Text); isDrawn(last) && !isLine(l.Text) {
			ends[row.Extent(l.Row)]++
		}
	}
	for end, n := range ends {
		if 2*n > len(lines) && n > 2 && end > lines[0].Cols-4 {
			return end - 1
		}
	}
	return 0
}

// letters returns the letters and digits of a text.
func letters(text string) string {
	return strings.Map(func(c rune) rune {
		if isWordy(c) {
			return c
		}
		return -1
	}, text)
}
