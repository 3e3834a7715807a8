package pi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/vterm"
)

// told returns an item in a line.
func told(it chat.Item) string {
	s := it.Role + " " + it.Markdown
	switch {
	case it.Event != "":
		s = it.Event
	case it.Tool != nil:
		s = fmt.Sprintf("tool %s(%s) %s %s", it.Tool.Name, it.Tool.Input, it.Tool.Status, it.Tool.Output)
	case it.Output != "":
		s += " > " + it.Output
	}
	if it.Tool != nil && it.Tool.Truncated || it.Truncated {
		s += "…"
	}
	return strings.ReplaceAll(s, "\n", "|")
}

// panel draws a panel of 40 columns with a blank row at the top and at the bottom.
func panel(colour string, rows ...string) string {
	var b strings.Builder
	for _, text := range append(append([]string{""}, rows...), "") {
		bold := strings.HasPrefix(text, "*")
		text = strings.TrimPrefix(text, "*")
		text = fmt.Sprintf("%-39s", text)
		if bold {
			fmt.Fprintf(&b, "⟦ on%s| ⟧⟦b on%[1]s|%s⟧\n", colour, text)
		} else {
			fmt.Fprintf(&b, "⟦ on%s| %s⟧\n", colour, text)
		}
	}
	return b.String()
}

// The colours of panels in the standard theme.
const (
	prompt  = "#343541"
	running = "#282832"
	good    = "#283228"
	bad     = "#3c2828"
	custom  = "#2d2838"
)

// TestSituations shows situations that users meet.
func TestSituations(t *testing.T) {
	rule := strings.Repeat("─", 40)
	for _, c := range []struct{ name, dump, want string }{
		{"a prompt and a reply", panel(prompt, "Go on") + "\n So.", "user Go on\nassistant So."},
		{"calls", panel(good, "*$ ls -1", "", "a.txt", "", "Took 0.1s") + "\n" + panel(bad, "*$ false", "", "exit 1") + "\n" +
			panel(running, "*$ sleep 9", "", "Elapsed 2.0s") + "\n" + panel(good, "*read", "", "package main"),
			"tool bash(ls -1) ok a.txt\ntool bash(false) error exit 1\ntool bash(sleep 9) running \n" +
				"tool read() ok package main"},
		{"a command of several lines", panel(good, "*$ cat <<E", "", "*a", "*E", "", "a"),
			"tool bash(cat <<E||a|E) ok a"},
		{"folded output", panel(good, "*$ seq 9", "", "... (7 earlier lines, ctrl+o to expand)", "8", "9"),
			"tool bash(seq 9) ok 8|9…"},
		{"a panel that is no call", panel(custom, "*[compaction]", "", "Compacted from 9 tokens"),
			"system [compaction]||Compacted from 9 tokens"},
		{"the user's own commands",
			"⟦ #b5bd68|" + rule + "⟧\n ⟦b #b5bd68|$ ls⟧\n\n ⟦ #808080|a.txt⟧\n\n ⟦ #808080|(exit 2)⟧\n⟦ #b5bd68|" + rule +
				"⟧\n", "shell ls > a.txt"},
		{"what pi says between rules", "⟦ #5f87ff|" + rule + "⟧\n ⟦b #8abeb7|Keys⟧\n\n x does y\n⟦ #5f87ff|" + rule +
			"⟧\n\n" + panel(prompt, "Go"), "system Keys||x does y\nuser Go"},
		{"notices", " So.\n\n ⟦ #666666|Model: m⟧\n\n ⟦ #cc6666|Error: no⟧\n\n ⟦b|Session Info⟧\n\n ⟦ #666666|File:⟧ x.jsonl",
			"assistant So.\nsystem Model: m||Error: no||Session Info||File: x.jsonl"},
		{"an interruption", " So\n\n ⟦ #cc6666|Operation aborted⟧", "assistant So\ncli:interrupted"},
		{"thinking", " ⟦i #808080|Hm.⟧\n\n ⟦i #808080|Well.⟧\n\n So, ⟦i|really⟧.",
			"thinking Hm.||Well.\nassistant So, *really*."},
		{"headings", " ⟦bu #f0c674|One⟧\n\n ⟦b #f0c674|Two of ⟧⟦ #8abeb7|x⟧\n\n ⟦b #f0c674|### Three⟧\n\n" +
			" ⟦b|Bold⟧ and ⟦ #8abeb7|y⟧",
			"assistant # One||## Two of `x`||### Three||**Bold** and `y`"},
		{"code", " ⟦ #808080|```go⟧\n   func f() {\n      g()\n\n   ⟦ #808080|// grey⟧\n   }\n ⟦ #808080|```⟧\n\n So.",
			"assistant ```go|func f() {|\tg()||// grey|}|```||So."},
		{"code that pi has wrapped",
			" ⟦ #808080|```⟧\n   aaaaaaaaa bbbbbbbbb ccccccccc ddddd\n eeeeeeeee\n   f\n ⟦ #808080|```⟧",
			"assistant ```|aaaaaaaaa bbbbbbbbb ccccccccc ddddd eeeeeeeee|f|```"},
		{"a fence in code", " ⟦ #808080|```md⟧\n   ```sh\n   ls\n   ```\n ⟦ #808080|```⟧\n\n So.",
			"assistant ````md|```sh|ls|```|````||So."},
		{"code in an item", " ⟦ #8abeb7|1. ⟧One:\n   ⟦ #808080|```⟧\n     ls\n   ⟦ #808080|```⟧\n ⟦ #8abeb7|2. ⟧Two",
			"assistant 1. One:|   ```|   ls|   ```|2. Two"},
		{"an item that pi has wrapped",
			" ⟦ #8abeb7|- ⟧aaaaaaaaa bbbbbbbbb ccccccccc ddddd\n eeeeeeeee\n ⟦ #8abeb7|- ⟧f\n - g",
			"assistant - aaaaaaaaa bbbbbbbbb ccccccccc ddddd eeeeeeeee|- f|  - g"},
		{"a quote", " ⟦ #808080|│ ⟧⟦i #808080|One⟧\n ⟦ #808080|│ ⟧⟦i #808080|two⟧\n\n So.", "assistant > One|> two||So."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, it := range cells().Parse(rowtest.Dump(t, 40, c.dump)) {
				got = append(got, told(it))
			}
			if d := cmp.Diff(c.want, strings.Join(got, "\n")); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestMarkedPanelIsAPrompt takes a panel with a mark for a prompt even if it begins in bold, as the
// panels of calls do.
func TestMarkedPanelIsAPrompt(t *testing.T) {
	lines := rowtest.Dump(t, 40, panel(prompt, "*Go on"))
	r := *lines[0].Row
	r.Marks = []vterm.Mark{{Kind: vterm.MarkPrompt}}
	lines[0].Row = &r
	items := cells().Parse(lines)
	if len(items) != 1 || told(items[0]) != "user Go on" {
		t.Errorf("got %v", items)
	}
}

func TestSplit(t *testing.T) {
	rule := strings.Repeat("─", 40)
	const figures = "~/shop\n↑1 0.1%/9k (auto)"
	for _, c := range []struct {
		name, dump string
		want       chat.Split
	}{
		{"idle", " So.\n\n" + rule + "\n\n" + rule + "\n" + figures, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"busy", " So.\n\n ⠋ Working...\n\n" + rule + "\n\n" + rule + "\n" + figures,
			chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}},
		{"a panel above the input", panel(prompt, "Go") + "\n" + rule + "\n\n" + rule + "\n" + figures,
			chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"a queue", " So.\n\n ⠋ Working...\n\n Steering: Go on\n ↳ alt+up to edit all queued messages\n" + rule + "\n\n" +
			rule + "\n" + figures, chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}},
		{"a long input", " So.\n\n─── ↑ 3 more " + strings.Repeat("─", 27) + "\nx\n" + rule + "\n" + figures,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"a menu below the input", " So.\n\n" + rule + "\n/\n" + rule + "\n→ model\n" + figures,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"another program", " So.\n\n" + rule + "\n", chat.Split{}},
		{"another agent", " So.\n\n" + rule + "\n❯ \n" + rule + "\n m-1 (100) $0.00\n shop", chat.Split{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := split(chat.Screen{Lines: rowtest.Dump(t, 40, c.dump)}); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
