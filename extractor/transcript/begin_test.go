package transcript_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestAnyBegin cuts off the first half or third of each recording: whoever attaches late has no
// more. No entry has words that were never on the screen then, and a message of which the whole
// recording has more is marked. Of the messages whose heads were cut off, most are there where the
// agent draws whole rows. On the alternate screen agents draw only the cells that change: the
// others were never seen, and words would have holes: nothing is read until the agent shows its
// welcome.
func TestAnyBegin(t *testing.T) {
	t.Parallel()
	paths := fixtureCasts(t)
	if testing.Short() {
		paths = everyNth(paths, 8)
	}
	var said, marked atomic.Int64
	var cut cutMessages
	eachParallel(len(paths), func(i int) func() {
		r := readFixture(t, paths[i])
		h, events := r.header, r.events
		name := fixtureName(filepath.Dir(paths[i]))
		return func() {
			all := r.entries()
			whole := utterances(all)
			first := len(events) / (2 + i%2)
			for _, e := range events[:first] {
				if e.Kind == session.Resize {
					h.Cols, h.Rows = e.Cols, e.Rows
				}
			}
			late := events[first:]
			entries := transcribe(h, late)
			screen := seenRows(h, late, vterm.Graphemes)
			cut.count(all, entries, screen, onAlt(events[:first]))
			for _, e := range entries {
				if len(utterances([]*session.Entry{e})) > 0 {
					said.Add(1)
				}
				if e.TruncatedAt == session.TruncatedHead {
					marked.Add(1)
				} else if headless(e, whole) {
					t.Errorf("%s: %s #%d %.60q has lost its head, and is not marked", name, e.Role, e.Seq, e.Text)
				}
			}
			for seq, words := range unseenWords(entries, h, late, screen) {
				// drawn apart from a shell command
				words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "!") })
				if len(words) > 0 {
					t.Errorf("%s: #%d has words that were never on the screen: %.200q", name, seq, words)
				}
			}
		}
	})
	t.Logf("%d recordings: %d messages, %d entries without their heads", len(paths), said.Load(), marked.Load())
	if said.Load() == 0 {
		t.Error("nothing was examined")
	}
	for agent, n := range cut.of {
		t.Logf("%s: of %d messages without their heads, %d are marked", agent, n.cut, n.marked)
	}
	if testing.Short() {
		return
	}
	for _, agent := range []string{"claude", "codex", "gemini"} {
		if n := cut.of[agent]; n.cut == 0 || n.marked*2 < n.cut {
			t.Errorf("%s: of %d messages without their heads, only %d are marked", agent, n.cut, n.marked)
		}
	}
}

// cutMessages counts, by agent and screen, the messages of which only the end was on the screen,
// and those of them that are marked.
type cutMessages struct {
	mu sync.Mutex
	of map[string]cutCount
}

type cutCount struct{ cut, marked int }

// count looks for the messages of the whole recording in what was read of its end, whose rows are
// in screen.
func (c *cutMessages) count(whole, late []*session.Entry, screen string, alt bool) {
	const enough = 40 // letters: the lab's sentences have pieces in common
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range whole {
		text := []rune(unframe(m.Text))
		if len(utterances([]*session.Entry{m})) == 0 || len(text) < 2*enough {
			continue
		}
		head, tail := string(text[:enough/2]), string(text[len(text)-enough:])
		if strings.Contains(screen, head) || !strings.Contains(screen, tail) {
			continue
		}
		ends := func(e *session.Entry) bool { return e.Role == m.Role && strings.HasSuffix(unframe(e.Text), tail) }
		if slices.ContainsFunc(late, func(e *session.Entry) bool { return ends(e) && e.Text == m.Text }) {
			continue // its head was drawn in pieces
		}
		agent := m.Agent
		if alt {
			agent += ", alternate screen"
		}
		n := c.of[agent]
		n.cut++
		if slices.ContainsFunc(late, func(e *session.Entry) bool {
			return ends(e) &&
				e.TruncatedAt == session.TruncatedHead
		}) {
			n.marked++
		}
		if c.of == nil {
			c.of = map[string]cutCount{}
		}
		c.of[agent] = n
	}
}

// onAlt reports whether the alternate screen is shown after the events.
func onAlt(events []session.Event) bool {
	term := vterm.New(vterm.Options{})
	for _, e := range events {
		if e.Kind == session.Output {
			_, _ = term.Write(e.Data) // never fails
		}
	}
	return term.Alt()
}

// headless reports whether an entry is the end of a message, but none of its own.
func headless(e *session.Entry, whole []string) bool {
	return slices.ContainsFunc(utterances([]*session.Entry{e}), func(u string) bool {
		text := strings.TrimPrefix(u, e.Role+": ")
		return !slices.Contains(whole, u) && slices.ContainsFunc(whole, func(w string) bool {
			return strings.HasPrefix(w, e.Role+": ") && strings.HasSuffix(w, text)
		})
	})
}
