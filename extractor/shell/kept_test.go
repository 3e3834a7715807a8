package shell_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
)

// sheet writes what a shell session shows: a character, an escape sequence or a pause each.
type sheet struct {
	t      *rapid.T
	pieces []string
	next   rune   // the last character that is nowhere else
	said   string // the characters of commands and their outputs

	misplaced bool // a mark is in a wrong place
}

// pause is a piece of a sheet where nothing is printed for a moment.
const pause = ""

func (s *sheet) show(pieces ...string) { s.pieces = append(s.pieces, pieces...) }

// text shows a text, a character each.
func (s *sheet) text(text string) { s.show(strings.Split(text, "")...) }

// unique shows n characters that are nowhere else, with blanks among them.
func (s *sheet) unique(n int) (text string) {
	for i := range n {
		if i%4 == 3 && i < n-1 {
			text += " "
			continue
		}
		for s.next++; !unicode.IsLetter(s.next) || row.Width(string(s.next)) != 1; s.next++ {
		}
		text += string(s.next)
	}
	s.said += text
	return text
}

// mark shows a mark that a shell of these kinds has, at times twice.
func (s *sheet) mark(kinds, kind string) {
	if strings.Contains(kinds, kind[:1]) {
		s.show("\x1b]133;" + kind + "\a")
		if rapid.IntRange(0, 9).Draw(s.t, "twice") == 0 {
			s.show("\x1b]133;" + kind + "\a")
		}
	}
}

// manner is how a shell prompts.
type manner struct {
	name          string
	before, after string // the prompt
	enter         string
}

var manners = []manner{
	{"plain", "", "", "\r\n"},
	{"bash", "\x1b[?2004h", "", "\r\n\x1b[?2004l\r"},
	{"zsh", "\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m" + strings.Repeat(" ", 39) + "\r \r\r\x1b[J", "\x1b[K\x1b[?2004h",
		"\x1b[?2004l\r\r\n"},
	{"fish", "\x1b[m\x0f\r\x1b[K\x1b[?2004h", "\x1b[K", "\x1b[?2004l\r\n"},
}

// session draws a session: what is shown, and a mark or more in the wrong place.
func (s *sheet) session() {
	t := s.t
	m := rapid.SampledFrom(manners).Draw(t, "manner")
	prompts := []string{"% ", "me@host ~/x $ ", "╭─ ~/x main\n╰─ ", "\n~/x\n❯ ", "x>"}
	prompt := rapid.SampledFrom(prompts).Draw(t, "prompt")
	marks := []string{"ABCD", "ABCD", "BCD", "ACD", "AB", "B", "A", "CD", "BC", "AD", ""}
	kinds := rapid.SampledFrom(marks).Draw(t, "marks")
	line := func(what string, most int) string { return s.unique(rapid.IntRange(1, most).Draw(t, what)) }
	for range rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "motd") {
		s.text(line("length", 30))
		s.show("\r\n")
	}
	shown := func() {
		s.mark(kinds, "A")
		s.show(m.before)
		s.text(strings.ReplaceAll(prompt, "\n", "\r\n"))
		s.mark(kinds, "B")
		s.show(m.after, pause)
	}
	shown()
	for range rapid.IntRange(1, 5).Draw(t, "commands") {
		s.text(line("command", 12))
		s.show(pause, m.enter, pause)
		s.mark(kinds, "C")
		for range rapid.SampledFrom([]int{0, 1, 2, 5, 14}).Draw(t, "rows") {
			s.text(line("length", 30))
			s.show("\r\n", pause)
		}
		s.mark(kinds, "D;0")
		shown()
	}
	s.misplace()
}

// misplace moves marks elsewhere, and adds some.
func (s *sheet) misplace() {
	t := s.t
	put := func(mark string) {
		s.misplaced = true
		s.pieces = slices.Insert(s.pieces, rapid.IntRange(0, len(s.pieces)).Draw(t, "at"), mark)
	}
	for range rapid.IntRange(0, 2).Draw(t, "moved") {
		var at []int
		for i, p := range s.pieces {
			if strings.HasPrefix(p, "\x1b]133;") {
				at = append(at, i)
			}
		}
		if len(at) > 0 {
			i := rapid.SampledFrom(at).Draw(t, "from")
			mark := s.pieces[i]
			s.pieces = slices.Delete(s.pieces, i, i+1)
			put(mark)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "added") {
		put("\x1b]133;" + rapid.SampledFrom([]string{"A", "B", "C", "D", "D;1"}).Draw(t, "mark") + "\a")
	}
}

// read feeds what the sheet shows, and returns the entries.
func (s *sheet) read() []*session.Entry {
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 40, Rows: 12, SessionID: "s", Command: []string{"run"}})
	var at time.Duration
	wait := rapid.SampledFrom([]time.Duration{0, 20, 300, 1500}).Draw(s.t, "pause") * time.Millisecond
	for _, piece := range s.pieces {
		if piece == pause {
			at += wait
			continue
		}
		p.Feed(session.Event{At: at, Kind: session.Output, Data: []byte(piece)})
	}
	p.Close(at + time.Second)
	return p.Entries()
}

// TestNoTextIsLost puts marks in wrong places of a shell's session. All that was typed and printed
// must be in some entry; once, if all marks are in their places.
func TestNoTextIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sheet{t: t, next: 'ᐁ'}
		s.session()
		var all strings.Builder
		entries := s.read()
		for _, e := range entries {
			fmt.Fprintf(&all, "%s: %q = %q\n", e.Role, e.Text, e.Output)
		}
		var lost, again string
		for _, r := range strings.ReplaceAll(s.said, " ", "") {
			switch strings.Count(all.String(), string(r)) {
			case 0:
				lost += string(r)
			case 1:
			default:
				again += string(r)
			}
		}
		if lost != "" || again != "" && !s.misplaced {
			t.Fatalf("lost %q, twice %q of %q:\n%s", lost, again, strings.Join(s.pieces, "·"), all.String())
		}
	})
}
