package codex

import (
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestLate shows the first rows of recordings that begin in the middle of a conversation: the rest
// of a reply is one, what a tool printed and a change to a file are none.
func TestLate(t *testing.T) {
	for _, c := range []struct{ name, dump, want string }{
		{"a reply", "  ends here.", "ends here."},
		{"an output", "  ⟦d|└ main.go⟧\n    ⟦d|go.mod⟧", ""},
		{"an output without colours", "  └ main.go\n    go.mod", ""},
		{"rows in another colour", "  ⟦ p1|x⟧\n  ⟦di|y⟧", ""},
		{"a change", "    9 -func a() {}\n    9 +func b() {}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 60, c.dump+"\n\n⟦d|• ⟧So.")
			lines[0].Lost, lines[0].Late = true, true
			items, got := cells.Parse(lines), ""
			if items[0].Headless {
				got = items[0].Text
			}
			if got != c.want || items[len(items)-1].Text != "So." {
				t.Errorf("got %q of %v, want %q", got, items, c.want)
			}
		})
	}
}
