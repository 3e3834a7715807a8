// Package unknown reads an agent that nobody has described, by what all agents have in common. It
// knows no names, words or signs. What it finds out is the state of a Reader, one for each run:
//
//   - The input area (area.go) is where the cursor rests: between lines, on a background, behind a
//     vertical line, or behind a sign with chrome below.
//   - A prompt is what was typed there and is gone, once it is shown above, and something new is
//     below it. That begins the conversation: a program in which nothing is sent, or nothing is
//     answered, never has one.
//   - How that prompt is drawn is how all are: its sign, its column, its ink and its background.
//   - Chrome is what keeps its distance from the input area from one turn to the next, and, while
//     the agent works, the short block right above the input area.
//   - Between two prompts are blocks (blocks.go). One with a frame, or with a row of output hung
//     from it, is a call. One in grey is what the agent says of itself. The rest is the reply.
package unknown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// These bound what is learned: prompts by what was typed, and ways to draw one.
const (
	maxSent  = 256
	maxLooks = 16
)

// Reader is what is known of one program. The zero Reader knows nothing yet.
type Reader struct {
	kind   kind            // of the input area
	looks  []look          // how prompts are drawn
	sent   map[string]bool // the letters of prompts that were typed
	empty  kind            // of the input area when nothing was typed there
	typed  typed           // what is in the input area, or was sent last
	still  []string        // the rows right above the input area that were there before the last prompt, too, bottom first
	top    []row.Line      // on the alternate screen, the rows above the first prompt
	moving moving          // what shows that it works
	busy   bool            // a prompt was sent, and the screen has not been quiet with an empty input since
}

// typed is a text in the input area.
type typed struct {
	letters string
	row     row.Line    // the area's first row
	style   vterm.Style // of its text
	above   []row.Line  // the rows above the area
	pending bool        // it has left the area
}

// Look returns how the program is read.
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

// See looks at a frame. It reports whether that shows a prompt and the beginning of an answer.
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

// answer looks for what was sent, and for the beginning of an answer below it.
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

// echo finds the rows that show what was sent, and nothing else; first is -1 if none do.
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

// spells returns how many rows, from the first on, have these letters together, and at most a few
// more that were typed last; 0 if they have others.
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

// inPlace reports whether what was sent is where it was typed, as at the prompt of a shell.
func (r *Reader) inPlace(lines []row.Line, first int) bool {
	l, was := lines[first], r.typed.above
	same := l.Text == r.typed.row.Text && l.StyleAt(row.Extent(l.Row)-1) == r.typed.style
	return same && (first == 0 || len(was) == 0 || lines[first-1].Text == was[len(was)-1].Text)
}

// newBelow reports whether one of the rows below a prompt was not on the screen when that was
// typed. A blank row or a line parts them from the prompt; else it waits in a queue, with a hint.
// A row on the right is chrome: a prompt in a queue may have one below.
func (r *Reader) newBelow(rows []row.Line) bool {
	if len(rows) == 0 || rows[0].Text != "" && !isFrame(rows[0].Text) {
		return false
	}
	return slices.ContainsFunc(rows, func(l row.Line) bool {
		return letters(l.Text) != "" && !onTheRight(l) &&
			!slices.ContainsFunc(r.typed.above, func(was row.Line) bool { return was.Text == l.Text })
	})
}

// rest compares the rows between a prompt and the input area with those that were above that area
// when the prompt was typed: chrome has not moved.
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

// isChrome reports whether a row is chrome that is n rows above the input area: it has not moved
// since the last prompt, it is a line, or it is on the right.
func (r *Reader) isChrome(l row.Line, n int) bool {
	return n < len(r.still) && l.Text == r.still[n] || l.Text == "" || isLine(l.Text) || onTheRight(l)
}

// onTheRight reports whether a row of its own begins right of the first third of the screen.
func onTheRight(l row.Line) bool { return !l.Wrapped && row.Indent(l.Text) > l.Cols/3 }

// busyRows is how many rows the block has at most that is chrome while the agent works.
const busyRows = 3

// split parts the screen.
func (r *Reader) split(s chat.Screen) chat.Split {
	a := find(s)
	if a.kind != r.kind { // a menu, a question, or another program
		return chat.Split{OK: true, Overlay: true}
	}
	if !r.busy && a.text() != "" { // what else is new is completions of that
		return chat.Split{OK: true, Overlay: true}
	}
	sp := chat.Split{OK: true, Top: r.pinned(s), Bottom: a.top, State: chat.StateIdle}
	sp.Bottom = max(sp.Top, sp.Bottom)
	if s.Alt {
		sp.Right = scrollBar(s.Lines[sp.Top:sp.Bottom])
	}
	for sp.Bottom > sp.Top && r.isChrome(s.Lines[sp.Bottom-1], a.top-sp.Bottom) {
		sp.Bottom--
	}
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
		for sp.Bottom > sp.Top && r.isChrome(s.Lines[sp.Bottom-1], a.top-sp.Bottom) {
			sp.Bottom--
		}
	}
	return sp
}

// pinned returns how many rows at the top of the alternate screen have not moved, although the rows
// below them have.
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

// scrollBar returns the column of the scroll bar beside rows, 0 if there is none: most of them end
// in it.
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
