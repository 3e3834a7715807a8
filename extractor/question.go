package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// Asks reports whether a screen shows a question, in which Enter accepts an answer, rather than a
// place for a prompt. agent is the name of the agent that runs, "" if none is known: agents ask
// before they show who they are, whether a folder is trusted, say. known is false where the screen
// shows neither: it is drawn just now, or something covers it.
func Asks(s *vterm.Snapshot, agent string) (asks, known bool) {
	screen := screenOf(s, row.Lines(s.Lines, s.Cols))
	if agent == "" {
		return question(screen), true
	}
	for _, p := range profiles { // an agent may have several
		if p.Name == agent {
			a, k := asksIn(screen, p.Split(screen))
			asks, known = asks || a, known || k
		}
	}
	return asks, known
}

// asksIn is Asks for an agent's screen, and how it is parted.
func asksIn(s chat.Screen, sp chat.Split) (asks, known bool) {
	switch {
	case sp.State == chat.StateAsking:
		return true, true
	case sp.OK && (!sp.Overlay || sp.State != chat.StateUnknown): // completions cover the conversation
		return false, sp.State != chat.StateStarting
	case question(s):
		return true, true
	}
	last := chat.LastLines(s.Lines, 1)
	return len(last) == 1 && strings.Contains(strings.ToLower(last[0]), "press enter"), false
}

// split parts an agent's screen, and looks for a question on it.
func split(p *Profile, s chat.Screen) chat.Split {
	sp := p.Split(s)
	if asks, _ := asksIn(s, sp); asks {
		sp.State = chat.StateAsking
	}
	return sp
}

// screenOf returns what stood in the window of a snapshot whose rows are lines.
func screenOf(s *vterm.Snapshot, lines []row.Line) chat.Screen {
	return chat.Screen{Lines: lines, CursorX: s.CursorX, CursorY: s.CursorY, CursorVisible: s.Visible, Alt: s.Alt, Title: s.Title}
}

// listRows is how far above the end of the screen the list of a question is at most, in rows: a
// preview may be below it.
const listRows = 30

// question reports whether the screen ends with a list of answers of which one is chosen, in any
// program: its row has a pointer, and another row is in line with it. The answers are numbered, or
// a row near the end says what Enter or Esc does.
func question(s chat.Screen) bool {
	lines := row.Trim(s.Lines)
	hint := slices.ContainsFunc(chat.LastLines(lines, 4), chat.KeyHint)
	if s.CursorVisible && (!hint || typesBelow(s)) {
		return false
	}
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-listRows; i-- {
		chosen, ok := pointed(lines[i].Text)
		if !ok {
			continue
		}
		for j := max(0, i-4); j < len(lines) && j <= i+4; j++ {
			if j != i && beside(chosen, lines[j].Text, hint) {
				return true
			}
		}
	}
	return false
}

// typesBelow reports whether the cursor is behind a text below the last row that says which key
// answers: at the prompt of a shell, which the program has left its question to.
func typesBelow(s chat.Screen) bool {
	if s.CursorY >= len(s.Lines) || s.Lines[s.CursorY].Text == "" {
		return false
	}
	last := -1
	for y, l := range s.Lines {
		if chat.KeyHint(l.Text) {
			last = y
		}
	}
	return s.CursorY > last
}

// answer is the text of an answer, and the column where it begins.
type answer struct {
	col  int
	text string
}

// pointed returns the answer in a row that has a pointer before it.
func pointed(r string) (answer, bool) {
	in := strings.TrimLeft(r, chat.Frame)
	for _, pointer := range []string{"❯ ", "› ", "> ", "● ", "▶ ", "→ "} {
		if text, ok := strings.CutPrefix(in, pointer); ok {
			text = strings.TrimPrefix(strings.TrimLeft(text, " "), "✔ ")
			return answer{row.Width(r) - row.Width(text), text}, text != ""
		}
	}
	return answer{}, false
}

// beside reports whether a row holds another answer: it begins in the column of the chosen one, and
// is numbered as that is. Answers without numbers count only where a hint says that they are a
// list.
func beside(chosen answer, r string, hint bool) bool {
	text := strings.TrimLeft(r, chat.Frame)
	shift := row.Width(r) - row.Width(text) - chosen.col
	switch n := numberOf(chosen.text); {
	case text == "":
		return false
	case n > 0:
		m := numberOf(text)
		return m > 0 && m != n && shift >= -1 && shift <= 1 // numbers are aligned right
	}
	return hint && shift == 0
}

// numberOf returns the number that an answer begins with, 0 if none does: "2. No".
func numberOf(text string) int {
	digits, rest, ok := strings.Cut(text, ".")
	if !ok || !strings.HasPrefix(rest, " ") || len(digits) > 2 {
		return 0
	}
	n := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// Sight is what a screen shows of an agent.
type Sight struct {
	State chat.State // StateUnknown: the screen is not understood
	Talk  []string   // the rows of the conversation
	Rest  []string   // those below it: the input box, and what is around it
	Box   string     // what was typed into the input box
	Boxed bool       // Box is known: the screen shows an input box
}

// Look returns what a screen shows of the agent of this name. Where an agent's welcome is around
// its input box, Rest has all rows. Where no agent is known, only a question is seen: agents ask
// before they show who they are.
func Look(s *vterm.Snapshot, agent string) (sight Sight) {
	screen := screenOf(s, row.Lines(s.Lines, s.Cols))
	if agent == "" && question(screen) {
		sight.State, sight.Rest = chat.StateAsking, textsOf(screen.Lines)
	}
	for _, p := range profiles { // an agent may have several
		if p.Name != agent {
			continue
		}
		sp := split(p, screen)
		if !sp.OK && sp.State != chat.StateAsking {
			continue
		}
		rest := max(sp.Bottom, 0)
		if rest >= len(screen.Lines) {
			rest = 0
		}
		top := min(max(sp.Top, 0), rest)
		sight = Sight{State: sp.State, Talk: textsOf(screen.Lines[top:rest]), Rest: textsOf(screen.Lines[rest:])}
		if p.Box != nil && sp.State != chat.StateAsking {
			var b chat.Box
			if b, sight.Boxed = p.Box(screen.Lines); sight.Boxed {
				sight.Box = b.Text()
			}
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
