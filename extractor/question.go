package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/vterm"
)

// Asks reports whether a screen shows a question, in which Enter accepts an answer, and not a place
// for a prompt. agent is the name of the running agent, or "" if it is unknown: agents may ask, for
// example, whether a folder is trusted before they show their banner. known is false if the screen
// shows neither, because it is being drawn or something covers it.
func Asks(s *vterm.Snapshot, agent string) (asks, known bool) {
	sight := Look(s, agent)
	return sight.State == chat.StateAsking, sight.known
}

// split divides an agent's screen, and looks for a question on it. known is false if the screen
// shows neither a question nor a place for a prompt.
func split(look *chat.Look, s chat.Screen) (sp chat.Split, known bool) {
	sp = look.Split(s)
	switch {
	case sp.OK && (!sp.Overlay || sp.State != chat.StateUnknown): // completions cover the conversation
		return sp, sp.State != chat.StateStarting
	case question(s):
		sp.State = chat.StateAsking
		return sp, true
	}
	if slices.ContainsFunc(chat.LastLines(s.Lines, 1), pressEnter().MatchString) {
		sp.State = chat.StateAsking
	}
	return sp, false
}

var (
	pressEnter = lazy.Regexp(`(?i)press enter`)
	// pointed matches a row with a pointer before an answer.
	pointed = lazy.Regexp(`^[ │┃]*[❯›>●▶→] +(?:✔ )?(.+)$`)
	// numbered matches an answer with a number.
	numbered = lazy.Regexp(`^\d{1,2}\. `)
)

// screenOf returns the Screen for a snapshot whose rows are lines.
func screenOf(s *vterm.Snapshot, lines []row.Line) chat.Screen {
	return chat.Screen{Lines: lines, CursorX: s.CursorX, CursorY: s.CursorY, CursorVisible: s.Visible, Alt: s.Alt,
		Title: s.Title}
}

// listRows is the maximum distance of a question's list from the end of the screen, in rows,
// because a preview may be below it.
const listRows = 30

// question reports whether the screen of any program ends with a list of answers of which one is
// selected: its row has a pointer, and another row is aligned with it. The answers must be
// numbered, or a row near the end must explain Enter or Esc.
func question(s chat.Screen) bool {
	lines := row.Trim(s.Lines)
	lines = lines[max(0, len(lines)-listRows):]
	hint := slices.ContainsFunc(chat.LastLines(lines, 4), chat.KeyHint)
	if s.CursorVisible && (!hint || typesBelow(s)) {
		return false
	}
	for i, l := range lines {
		if m := pointed().FindStringSubmatch(l.Text); m != nil {
			col := row.Width(l.Text) - row.Width(m[1])
			near := lines[max(0, i-4):min(len(lines), i+5)]
			if slices.ContainsFunc(near, func(l row.Line) bool { return beside(m[1], col, l.Text, hint) }) {
				return true
			}
		}
	}
	return false
}

// typesBelow reports whether the cursor is after a text below the last row that explains which key
// answers: at the prompt of a shell, after the program has exited.
func typesBelow(s chat.Screen) bool {
	at := s.Lines[s.CursorY:]
	return at[0].Text != "" && !slices.ContainsFunc(chat.LastLines(at, len(at)), chat.KeyHint)
}

// beside reports whether a row contains another answer than the selected one: it begins in the same
// column, and is numbered in the same way. Answers without numbers count only if hint is set.
func beside(chosen string, col int, r string, hint bool) bool {
	text := strings.TrimLeft(r, chat.Frame)
	shift := row.Width(r) - row.Width(text) - col
	if n := numbered().FindString(chosen); n != "" {
		m := numbered().FindString(text)
		return m != "" && m != n && shift*shift <= 1 // numbers are right-aligned
	}
	return hint && shift == 0
}

// Sight is what a screen shows of an agent.
type Sight struct {
	State chat.State // StateUnknown if the screen is not understood
	Talk  []string   // rows of the conversation
	Rest  []string   // rows below it: the input box, and what is around it
	Box   string     // input in the input box
	Boxed bool       // the screen shows an input box, so Box is valid
	known bool       // see Asks
}

// Look returns what a screen shows of the agent with this name. If an agent's welcome is around its
// input box, Rest contains all rows. If the name is unknown, Look recognises only a question,
// because agents may ask before they show their banner.
func Look(s *vterm.Snapshot, agent string) (sight Sight) {
	screen := screenOf(s, row.Lines(s.Lines, s.Cols))
	if agent == "" {
		if sight.known = true; question(screen) {
			sight.State, sight.Rest = chat.StateAsking, textsOf(screen.Lines)
		}
	}
	for _, look := range AgentOf(agent).Looks { // an agent may have several looks
		sp, known := split(&look, screen)
		if !sp.OK && sp.State != chat.StateAsking {
			continue
		}
		rest := sp.Bottom
		if rest == len(screen.Lines) {
			rest = 0
		}
		sight = Sight{State: sp.State, Talk: textsOf(screen.Lines[min(sp.Top, rest):rest]),
			Rest: textsOf(screen.Lines[rest:]), known: known}
		if look.Box != nil && sp.State != chat.StateAsking {
			b, ok := look.Box(screen.Lines)
			sight.Box, sight.Boxed = b.Text(), ok
		}
	}
	return sight
}

// textsOf returns the text of each row.
func textsOf(lines []row.Line) []string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	return texts
}
