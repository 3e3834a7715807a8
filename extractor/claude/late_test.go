package claude

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/session"
)

// TestLate shows the first rows of recordings that begin in the middle of a conversation: the rest
// of a reply is one, what a tool printed and the rest of the welcome are none.
func TestLate(t *testing.T) {
	const next = "\n\n⟦ #505050 on#373737|❯ ⟧⟦ #ffffff on#373737|On⟧"
	for _, c := range []struct{ name, dump, want string }{
		{"a reply", "  ends here.", "ends here."},
		{"a reply that goes on in a list", "     of the first item\n\n  2. Two", "of the first item\n\n2. Two"},
		{"an output", "     main.go\n     go.mod", ""},
		{"a grey note", "  ⟦ #999999|ctrl+o to expand⟧", ""},
		{"the welcome", "  ▘▘ ▝▝    /home/dev", ""},
		{"faint rows", "  ⟦d|faint⟧", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 60, c.dump+next)
			lines[0].Lost, lines[0].Late = true, true
			items, got := parse(lines), ""
			if items[0].Headless {
				got = items[0].Text
			}
			if got != c.want || items[len(items)-1].Text != "On" {
				t.Errorf("got %q of %v, want %q", got, items, c.want)
			}
		})
	}
}

// TestRestOfPrompt reads rows on a background, below a gap, as the rest of a prompt, which the
// terminal may have wrapped to the first column. The pixels of a logo and lines of a diff have one,
// too.
func TestRestOfPrompt(t *testing.T) {
	for _, c := range []struct{ name, dump, want string }{
		{"one row", "⟦ #ffffff on#373737|is held.⟧", "is held."},
		{"more rows", "⟦ #ffffff on#373737|The lock⟧\n⟦ #ffffff on#373737|is held.⟧", "The lock\nis held."},
		{"the logo", "⟦ #ffffff on#373737|▀⟧  Opus 5.5", ""},
		{"a diff", "     ⟦ #ffffff on#3d0100| 30 -is lost.⟧", ""},
	} {
		lines := rowtest.Dump(t, 60, c.dump+"\n\n● On")
		lines[0].Lost = true
		items, got := oldTalk.cells.Parse(lines), ""
		if items[0].Role == session.RoleUser && items[0].Headless {
			got = items[0].Text
		}
		if got != c.want || items[len(items)-1].Text != "On" {
			t.Errorf("%s: got %q of %v, want %q", c.name, got, items, c.want)
		}
	}
}

// TestPromptAboveGap has a row in the middle of a line that the terminal wrapped, below a gap: it
// does not go on with the prompt above, whose end was on the screen.
func TestPromptAboveGap(t *testing.T) {
	lines := rowtest.Dump(t, 60, "⟦ #ffffff on#373737|> Go⟧\n+on and on.\n\n  And on.")
	lines[1].Lost = true
	items := oldTalk.cells.Parse(lines)
	if len(items) != 2 || items[0].Text != "Go" || items[1].Role != session.RoleAssistant || !items[1].Headless {
		t.Errorf("got %v", items)
	}
}

// TestManyGaps reads a prompt of 1.0 in which rows are lost above each row: the work for it must
// not double with each gap.
func TestManyGaps(t *testing.T) {
	rows := "⟦ #999999|> one⟧" + strings.Repeat("\n⟦ #999999|  another line⟧", 200)
	lines := rowtest.Dump(t, 60, rows)
	for i := range lines[1:] {
		lines[i+1].Lost = true
	}
	items := oldTalk.cells.Parse(lines)
	if len(items) != 1 || strings.Count(items[0].Text, "another line") != 200 {
		t.Errorf("%d items", len(items))
	}
}
