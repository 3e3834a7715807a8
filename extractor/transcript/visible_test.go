package transcript_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestWordsWereOnScreen looks for the words of every entry in the frames of the recording: nothing
// is in a transcript that was never on the screen.
func TestWordsWereOnScreen(t *testing.T) {
	t.Parallel()
	paths := fixtureCasts(t)
	fixtures := len(paths)
	if testing.Short() {
		paths = everyNth(paths, 8)
		t.Logf("in short mode: %d of the recordings", len(paths))
	} else {
		paths = append(paths, moreRecordings(t, "*.cast")...)
	}
	eachParallel(len(paths), func(i int) func() {
		read := newRecorded
		if i < fixtures {
			read = readFixture
		}
		r := read(t, paths[i])
		return func() {
			entries := r.entries()
			unseen := unseenWords(entries, r.header, r.events, seenRows(r.header, r.events, vterm.Graphemes))
			for _, seq := range slices.Sorted(maps.Keys(unseen)) {
				e := entries[slices.IndexFunc(entries, func(e *session.Entry) bool { return e.Seq == seq })]
				t.Errorf("%s: %s #%d %.60q has words that were never on the screen: %.200q", paths[i], e.Role, seq, e.Text,
					unseen[seq])
			}
		}
	})
}

// TestUnseenWords checks that a word that was never on the screen is found.
func TestUnseenWords(t *testing.T) {
	h := cast.Header{Cols: 20, Rows: 4}
	events := []session.Event{{Kind: session.Output, Data: []byte("> why\r\n\r\nbecause of the wri\r\nte-ahead log")}}
	said := &session.Entry{Seq: 1, Role: session.RoleAssistant, Text: "because of the write-ahead log"}
	made := &session.Entry{Seq: 2, Role: session.RoleAssistant, Text: "because I said so"}
	got := unseenWords([]*session.Entry{said, made}, h, events, seenRows(h, events, vterm.Graphemes))
	if want := map[int][]string{2: {"I", "said", "so"}}; !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("unseen are %v, want %v", got, want)
	}
}

func everyNth(paths []string, n int) (some []string) {
	for i := 0; i < len(paths); i += n {
		some = append(some, paths[i])
	}
	return some
}

// unseenWords returns, by the number of the entry, the words that no frame shows. screen is what
// seenRows returns of the same events.
func unseenWords(entries []*session.Entry, h cast.Header, events []session.Event, screen string) map[int][]string {
	// some agents take characters to be as wide as their code points
	points := sync.OnceValue(func() string { return seenRows(h, events, vterm.Points) })
	known := map[string]bool{}
	unseen := map[int][]string{}
	for _, e := range entries {
		for _, w := range wordsOf(e, h.Command) {
			seen, ok := known[w]
			if !ok {
				seen = strings.Contains(screen, w) || strings.Contains(points(), w)
				known[w] = seen
			}
			if !seen {
				unseen[e.Seq] = append(unseen[e.Seq], w)
			}
		}
	}
	return unseen
}

// seenRows returns all that was ever on the screen: the rows of each frame, every three of them put
// together, as words may be cut at the edge.
func seenRows(h cast.Header, events []session.Event, widths vterm.Widths) string {
	var all strings.Builder
	seen := map[string]bool{}
	note := func(rows []string) {
		for i := range rows {
			three := strings.Join(rows[i:min(i+3, len(rows))], "")
			if !seen[three] {
				seen[three] = true
				all.WriteString(three)
				all.WriteByte('\n')
			}
		}
	}
	var term *vterm.Term
	frame := func() {
		var rows []string
		for _, r := range term.TakeHistory() {
			if r.Row != nil {
				rows = append(rows, unframe(r.Row.Text))
			}
		}
		for _, r := range term.Snapshot().Lines {
			rows = append(rows, unframe(r.Text))
		}
		note(rows)
	}
	term = vterm.New(vterm.Options{Cols: h.Cols, Rows: h.Rows, Widths: widths, OnCue: func(c vterm.Cue) {
		if c.Kind != vterm.CueShell {
			frame()
		}
	}})
	for _, e := range events {
		switch e.Kind {
		case session.Output:
			_, _ = term.Write(e.Data) // never fails
		case session.Resize:
			term.Resize(e.Cols, e.Rows)
		}
		frame()
	}
	return all.String()
}

// unframe removes blanks from a text, and the borders and bars that agents draw beside it.
func unframe(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("│┃▎▌█", r) {
			return -1
		}
		return r
	}, s)
}

// wordsOf returns the words of an entry that the screen must have shown, long ones in pieces. Left
// out are the command that was recorded, the name of a tool, which each agent words in its own way,
// and the check mark of a task, which agents draw.
func wordsOf(e *session.Entry, command string) (words []string) {
	texts := []string{strings.ReplaceAll(e.Text, "[x]", ""), e.Output}
	switch {
	case e.Tool != nil:
		texts = []string{e.Tool.Input, e.Tool.Output}
	case e.Role == session.RoleShell && e.Text == command:
		texts = texts[1:]
	}
	for _, w := range strings.Fields(strings.Join(texts, " ")) {
		const longest = 40 // bytes
		for w = unframe(w); w != ""; {
			n := min(len(w), longest)
			for n < len(w) && w[n]&0xc0 == 0x80 {
				n++
			}
			if strings.IndexFunc(w[:n], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
				words = append(words, w[:n])
			}
			w = w[n:]
		}
	}
	return words
}
