package claude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestWithoutColours reads what is told by marks, columns and blank rows alone.
func TestWithoutColours(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a prompt of several lines", "❯ one\n  two\n\n  three\n\n● So.", "user one|two||three\nassistant So."},
		{"a prompt, and a call below it", "❯ Go\n\n  Reading main.go\n  ⎿  main.go", "user Go\ntool `Read(main.go)` running"},
		{"calls by name", "● Update(main.go)\n  ⎿  Added 1 line\n\n  Bash(ls -1)\n  ⎿  Running…\n\n" +
			"● shop - find (MCP)(query: \"x\")",
			"tool `Update(main.go)` ok Added 1 line\ntool `Bash(ls -1)` ok Running…\ntool `shop - find (MCP)(query: \"x\")` ok"},
		{"groups", "● Reading 1 file…\n  ⎿  $ wc -l main.go\n\n  Read 2 files, ran 1 shell command\n\n● So.",
			"tool `Bash(wc -l main.go)` running\ntool `Read` ok…\ntool `Read` ok…\ntool `Bash` ok…\nassistant So."},
		{"sentences like calls", "● Read(2) is a call. Write() is another.\n\n  Read 2 files, then stop.\n\n  Ran 2 tests.",
			"assistant Read(2) is a call. Write() is another.||Read 2 files, then stop.||Ran 2 tests."},
		{"a reply that was stopped", "● Half\n  ⎿  Interrupted · What now?", "assistant Half (partial)\ncli:interrupted"},
		{"a turn that ended", "● So.\n\n✻ Churned for 5s · done 9:15 AM\n\n❯ /cost\n  ⎿  Total cost: $0.01",
			"assistant So.\ncommand `/cost` -> Total cost: $0.01"},
		{"code by where its lines end",
			"● So:\n\n  SELECT a\n  FROM b\n  WHERE c\n\n  A sentence that goes on to the edge of the window, and then\n" +
				"  ends.", "assistant So:||```|SELECT a|FROM b|WHERE c|```||A sentence that goes on to the edge of the window, " +
				"and then ends."},
	} {
		t.Run(c.name, func(t *testing.T) {
			look := mono()
			var got []string
			for _, it := range look.Parse(rowtest.Plain(62, strings.Split(c.text, "\n")...)) {
				it.Text = it.Markdown
				got = append(got, itemWords(it))
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("(-want +got):\n%s", cmp.Diff(c.want, got))
			}
		})
	}
}

// TestScreenWithoutColours finds the end of the conversation above a spinner, a menu and a button.
func TestScreenWithoutColours(t *testing.T) {
	rule := strings.Repeat("─", 60)
	for _, c := range []struct {
		name, text string
		bottom     int
		scrolled   bool
	}{
		{"a spinner", "● So.\n\n✢ Channeling… (0s)\n  ⎿  Tip: x\n\n" + rule + "\n❯ \n" + rule, 1, false},
		{"a turn that ended", "● So.\n\n✻ Churned for 5s\n\n" + rule + "\n❯ \n" + rule, 3, false},
		{"a menu", "● So.\n  ❯ /add-dir       Add a directory\n    /agents        Agents\n" + rule + "\n❯ /a\n" + rule, 1,
			true},
		{"the user scrolled back", "❯ Go\n  So.\n               Jump to bottom (ctrl+End) ↓\n" + rule + "\n❯ \n" + rule, 2,
			true},
	} {
		look := mono()
		sp := look.Split(chat.Screen{Lines: rowtest.Plain(60, strings.Split(c.text, "\n")...), Alt: true})
		if !sp.OK || sp.Bottom != c.bottom || sp.Scrolled != c.scrolled {
			t.Errorf("%s: %+v", c.name, sp)
		}
	}
}
