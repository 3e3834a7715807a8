package transcript_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestAnyBegin cuts off the first half or third of each recording: whoever attaches late has no
// more. No entry has words that were never on the screen then, and a message of which the whole
// recording has more is marked.
func TestAnyBegin(t *testing.T) {
	paths := fixtureCasts(t)
	if testing.Short() {
		paths = everyNth(paths, 8)
	}
	var said, marked atomic.Int64
	eachParallel(len(paths), func(i int) func() {
		h, events := readEvents(t, paths[i])
		name := fixtureName(filepath.Dir(paths[i]))
		return func() {
			whole := utterances(transcribe(h, events))
			first := len(events) / (2 + i%2)
			for _, e := range events[:first] {
				if e.Kind == session.Resize {
					h.Cols, h.Rows = e.Cols, e.Rows
				}
			}
			late := events[first:]
			entries := transcribe(h, late)
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
			points := unseenWords(entries, h, late, vterm.Points) // see TestWordsWereOnScreen
			for seq, words := range unseenWords(entries, h, late, vterm.Graphemes) {
				words = slices.DeleteFunc(words, func(w string) bool {
					return !slices.Contains(points[seq], w) || strings.HasPrefix(w, "!") // drawn apart from a shell command
				})
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
