package copilot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// told returns an item in a line.
func told(it chat.Item) string {
	s := it.Role + " " + it.Markdown
	switch {
	case it.Event != "":
		s = it.Event
	case it.Tool != nil:
		s = fmt.Sprintf("tool %s(%s) %s %s", it.Tool.Name, it.Tool.Input, it.Tool.Status, it.Tool.Output)
		if it.Tool.Truncated {
			s += "…"
		}
	}
	return strings.ReplaceAll(s, "\n", "|")
}

// TestSituations shows situations that users meet and the lab does not record.
func TestSituations(t *testing.T) {
	for _, c := range []struct {
		name string
		lost int // the row above which rows were never on the screen
		dump string
		want string
	}{
		{"a prompt with its time", -1, " ❯ Go on" + strings.Repeat(" ", 44) + "10:24 AM\n\n ● So.",
			"user Go on\nassistant So."},
		{"a prompt that waits", -1,
			" ❯ Go on\n   └ [pending · ↑ recall]\n\n ❯ Stop\n   └ [pending]\n\n ❯ So\n   └ it is [pending]",
			"user So|└ it is [pending]"},
		{"a prompt that ends in a time", -1, " ❯ Meet at 10:24\n\n ● So.", "user Meet at 10:24\nassistant So."},
		{"how long the model thought", -1, " ❯ ⟦i|Thought for 3s⟧\n\n ● So.", "assistant So."},
		{"calls", -1, " ⟦ p2|●⟧ ⟦b|Read⟧ main.go 12 lines…\n\n ⟦ p2|●⟧ ⟦b|Edit⟧ a.go ⟦ p2|+1⟧ ⟦ p1|-1⟧\n\n" +
			" $ ⟦b|Shell⟧ List files\n   ls -1\n\n ⟦ p2|●⟧ ⟦b|View⟧ b.go ⟦ p1|no such file⟧\n\n ⟦ p2|●⟧ plain words",
			"tool Read(main.go) ok …\ntool Edit(a.go) ok \ntool Shell(ls -1) running \ntool View(b.go) error no such file\n" +
				"assistant plain words"},
		{"notices and events", -1,
			" ● Tip: /help\n\n ● Activity · last 180 days · 1 message\n\n   M  □ ▤\n\n" +
				" ● MCP Servers reloaded: 2 servers connected\n\n ● Shell \"Run a command\" completed\n\n" +
				" ● Rewound the conversation. Your files were left unchanged.\n\n ● Operation cancelled by user\n\n" +
				" ● Started a fresh session. Bye\n\n ! Careful",
			"system Tip: /help\nsystem Activity · last 180 days · 1 message||M  □ ▤\n" +
				"system MCP Servers reloaded: 2 servers connected\nsystem Shell \"Run a command\" completed\n" +
				"system Rewound the conversation. Your files were left unchanged.\ncli:interrupted\ncli:clear\nsystem Careful"},
		{"notices of several rows", -1,
			" ● Response was interrupted due to a server error.\n   Retrying...\n\n ● ⟦b|Compaction completed⟧\n" +
				"   │ A checkpoint has been added.\n   └ Use /session\n\n ● │ Quoted\n   │ words.\n\n ● ┌───┐\n   │ A │\n" +
				"   ├───┤\n   │ b │\n   └───┘",
			"system Response was interrupted due to a server error. Retrying...\n" +
				"system ## Compaction completed||> A checkpoint has been added.||└ Use /session\nassistant > Quoted|> words.\n" +
				"assistant | A ||| --- ||| b |"},
		{"the style of replies", -1,
			" ● ⟦b|Title⟧\n\n   - ⟦b|bold item⟧\n   ✓ done\n\n   See ⟦ p7|\u00a0x.go\u00a0⟧.\n\n   │ A quote\n\n" +
				"   ⟦ p6|def a():⟧\n       ⟦ p6|return 1⟧\n\n   ⟦ p8|┌───┬───┐⟧\n   ⟦ p8|│⟧ a ⟦ p8|│⟧ b ⟦ p8|│⟧\n" +
				"   ⟦ p8|├───┼───┤⟧\n   ⟦ p8|│⟧ 1 ⟦ p8|│⟧ 2 ⟦ p8|│⟧\n   ⟦ p8|└───┴───┘⟧",
			"assistant ## Title||- **bold item**|- [x] done||See `x.go`.||> A quote||```|def a():|    return 1|```||| a | b " +
				"||| --- | --- ||| 1 | 2 |"},
		{"the style of replies in a theme", -1,
			" ⟦ #3fb950|●⟧ ⟦b|Read⟧ ⟦ #f0f6fc|x.go⟧⟦ #9198a1| 60 lines read⟧\n\n" +
				" ⟦ #4493f8|●⟧ ⟦ #b4b4b4|See ⟧⟦ #ffffff on#262c36|\u00a0x.go\u00a0⟧⟦ #b4b4b4|.⟧\n\n   ⟦ #61d6d6|def a():⟧\n" +
				"       ⟦ #9198a1|# one⟧\n\n   ⟦ #9198a1|┌───┬───┐⟧\n   ⟦ #9198a1|│⟧ a ⟦ #9198a1|│⟧ b ⟦ #9198a1|│⟧\n" +
				"   ⟦ #9198a1|├───┼───┤⟧\n   ⟦ #9198a1|│⟧ 1 ⟦ #9198a1|│⟧ 2 ⟦ #9198a1|│⟧\n   ⟦ #9198a1|└───┴───┘⟧",
			"tool Read(x.go) ok …\nassistant See `x.go`.||```|def a():|    # one|```||| a | b ||| --- | --- ||| 1 | 2 |"},
		{"rules and images among code", -1,
			" ● ⟦ p6|npm ci⟧\n\n   ⟦ p8|────────────────────⟧\n\n   ⟦ p6|npm test⟧\n   ⟦ p8|────────⟧\n   ⟦ p6|ok⟧",
			"assistant ```|npm ci|```||---||```|npm test|────────|ok|```"},
		{"a star that is no marker", -1, " ● * One\n\n   • two", "assistant * One||- two"},
		{"words are never cut in a table", -1,
			" ● ⟦ p8|┌─────┬──────────────┐⟧\n   ⟦ p8|│⟧ A   ⟦ p8|│⟧ B            ⟦ p8|│⟧\n   ⟦ p8|├─────┼──────────────┤⟧\n" +
				"   ⟦ p8|│⟧ one ⟦ p8|│⟧ support-name ⟦ p8|│⟧\n   ⟦ p8|│⟧     ⟦ p8|│⟧ filter       ⟦ p8|│⟧\n" +
				"   ⟦ p8|└─────┴──────────────┘⟧", "assistant | A | B ||| --- | --- ||| one | support-name filter |"},
		{"a bold line before a list", -1, " ● ⟦b|Files:⟧\n\n   - one", "assistant **Files:**||- one"},
		{"the rest of a prompt", 0, "   and more\n\n ● So.", "user and more\nassistant So."},
		{"the rest of code", 0, "   ⟦ p6|return 1⟧\n\n   So.", "assistant ```|return 1|```||So."},
		{"the rest of what /usage shows", 2, " ● So.\n\n   □ □ ▤\n   Less □ ▤ ▦ ▩ ■  More\n   Tokens ↑ 100\n\n ❯ On",
			"assistant So.\nsystem □ □ ▤|Less □ ▤ ▦ ▩ ■  More|Tokens ↑ 100\nuser On"},
		{"the rest of it in colours", 2, " ● So.\n\n   M ■ ■ ■\n   Less ■ ■ ■ ■ ■  More\n\n ❯ On",
			"assistant So.\nsystem M ■ ■ ■|Less ■ ■ ■ ■ ■  More\nuser On"},
		{"colours in a terminal multiplexer", -1,
			" ● ⟦ p249 onp233|See ⟧⟦ p231 onp236|\u00a0x.go\u00a0⟧⟦ p249 onp233|.⟧\n\n   ⟦ p246 onp233|--- a⟧\n" +
				"   ⟦ p209 onp233|@@ -1 +1 @@⟧", "assistant See `x.go`.||```|--- a|@@ -1 +1 @@|```"},
		{"the rest of a reply", 1, " ❯ Go\n   ends here.\n\n ❯ On", "user Go\nassistant ends here.\nuser On"},
		{"the rest of a reply at the end", 1, " ❯ Go\n   ends here.", "user Go\nassistant ends here."},
		{"the rest of a prompt at the end in a theme", 2, " ● So.\n\n ⟦ on#141b22|  and more ⟧",
			"assistant So.\nuser and more"},
		{"the rest of a reply above a prompt", 1, " ● So\n   ends here.\n\n ❯ On", "assistant So||ends here.\nuser On"},
		{"the welcome above a prompt", -1, " ╭─╮╭─╮\n ╰─╯╰─╯  Copilot v1.0.102\n\n ❯ Go", "user Go"},
		{"a time at the edge of a long prompt", -1, " ❯ " + strings.Repeat("x", 48) + "   10:24",
			"user xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		{"bold in an item, words in colours", -1,
			" ● - one\n\n     ⟦b|Bold⟧\n\n   ⟦ p7|\u00a0x.go\u00a0⟧ is it.\n\n   ⟦ p6|└── tree⟧\n\n   ⟦ p8|┌ grey⟧",
			"assistant - one||  **Bold**||`x.go` is it.||```|└── tree|```||┌ grey"},
		{"the welcome", -1, " ╭─╮╭─╮\n ╰─╯╰─╯  Copilot v1.0.102\n\n ● Tip: /help shows help\n   and more\n\n ❯ Go",
			"user Go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 60, c.dump)
			if c.lost >= 0 {
				lines[c.lost].Lost = true
			}
			var got []string
			for _, it := range cells().Parse(lines) {
				got = append(got, told(it))
			}
			if d := cmp.Diff(strings.Join(got, "\n"), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	rule := strings.Repeat("─", 60)
	for _, c := range []struct {
		name, dump string
		want       chat.Split
	}{
		{"idle", "\n [Chat] [Files]\n ● Hi.\n\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n / commands",
			chat.Split{OK: true, Top: 1, Bottom: 3, Right: 58, State: chat.StateIdle}},
		{"painted tabs", "  Session   Issues\n\n ● Hi.\n\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n / commands",
			chat.Split{OK: true, Top: 2, Bottom: 4, Right: 58, State: chat.StateIdle}},
		{"an objective below the tabs", " [Current]  Issues\n\n  Autopilot  Go on\n ● Hi.\n\n ~/shop\n" + rule + "\n❯ \n" +
			rule + "\n / commands", chat.Split{OK: true, Top: 3, Bottom: 5, Right: 58, State: chat.StateIdle}},
		{"busy", " ● Hi.\n\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n Working esc esc cancel",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateBusy}},
		{"busy in 1.0.88", " ● Hi.\n\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n ◉ Working · 39 B esc interrupt",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateBusy}},
		{"stopped once", " ● Hi.\n\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n Press esc again to stop",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateBusy}},
		{"a dialog", " ● Hi.\n\n╭──────╮\n│ Sure? │\n╰──────╯",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateAsking}},
		{"a menu", " ● Hi.\n\n  ❯ /clear\n    /help\n\n" + rule + "\n❯ /\n" + rule + "\n",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle}},
		{"scrolled back", " ● Hi." + strings.Repeat(" ", 53) + "┃\n\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle}},
		{"scrolled back in a theme", " ● Hi." + strings.Repeat(" ", 53) + "⟦ #f0f6fc|┃⟧\n   You." +
			strings.Repeat(" ", 52) + "⟦ #9198a1|┃⟧\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle, Scrolled: true}},
		{"scrolled back to a whole window", " ● Hi." + strings.Repeat(" ", 53) + "┃\n   You." + strings.Repeat(" ", 52) +
			"┃\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle, Scrolled: true}},
		{"scrolled back to a blank row", " ● Hi.\n" + strings.Repeat(" ", 59) + "┃\n ~/shop\n" + rule + "\n❯ \n" + rule +
			"\n", chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle, Scrolled: true}},
		{"at the end, without colours", " ● Hi." + strings.Repeat(" ", 53) + "┃\n   You." + strings.Repeat(" ", 52) +
			"█\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n", chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle}},
		{"scrolled back, without colours", " ● Hi." + strings.Repeat(" ", 53) + "█\n   You." + strings.Repeat(" ", 52) +
			"┃\n ~/shop\n" + rule + "\n❯ \n" + rule +
			"\n", chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle, Scrolled: true}},
		{"boxes in a reply", " ● Hi.\n╭───╮\n╰───╯\n\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n /",
			chat.Split{OK: true, Bottom: 4, Right: 58, State: chat.StateIdle}},
		{"the end of a box", " ● Hi.\n╰───╯", chat.Split{}},
		{"rules far above the end", " ● Hi.\n ~/shop\n" + rule + "\n❯ \n" + rule + "\n\n\n more\n more", chat.Split{}},
		{"rules that are typed", " ● Hi.\n\n ~/shop\n" + rule + "\n❯ " + strings.Repeat("x", 58) + "\n\n" + rule[:3*20] +
			"\n" + strings.Repeat("y", 60) + "\n" + rule + "\n /",
			chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateIdle}},
		{"a ground below some words", " ● Hi.\n\n ~/shop\n" + rule + "\n❯ \n" + rule +
			"\n⟦ on#303030| Working esc esc cancel⟧", chat.Split{OK: true, Bottom: 2, Right: 58, State: chat.StateBusy}},
		{"another program", "$ ls\n" + strings.Repeat("─", 20), chat.Split{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(split(chat.Screen{Lines: rowtest.Dump(t, 60, c.dump), Alt: true}), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestLink shows an address in a colour, which is no code.
func TestLink(t *testing.T) {
	lines := rowtest.Dump(t, 60, " ● See\n\n   ⟦ p6|https://x.test⟧")
	lines[2].Runs[1].Style.Link = "https://x.test"
	if got := cells().Parse(lines); len(got) != 1 || strings.Contains(got[0].Markdown, "```") {
		t.Errorf("%+v", got)
	}
}

func TestBanner(t *testing.T) {
	for dump, want := range map[string]int{" " + logo: 0, " " + logo + "\n ╰─╯╰─╯": 0, "words\n Copilot v1.0.102": 0,
		" " + logo + "\n ╰─╯╰─╯  Copilot v1.0.102": 2} {
		if b, n := welcome.Banner(rowtest.Dump(t, 60, dump)); n != want || (b.Version == "1.0.102") != (n > 0) {
			t.Errorf("%q: got %+v, %d rows, want %d", dump, b, n, want)
		}
	}
}

// TestLostAtEdge shows the rest of rows of which nothing is known, further left than text is.
func TestLostAtEdge(t *testing.T) {
	lines := rowtest.Dump(t, 60, "  > half a menu\n\n ● So")
	lines[0].Lost = true
	if got := cells().Parse(lines); len(got) != 1 || told(got[0]) != "assistant So" {
		t.Errorf("%+v", got)
	}
}

// TestLost shows rows above which others were never on the screen: they are the rest of a reply,
// but for those above a reply that has no prompt, and at the end those below none.
func TestLost(t *testing.T) {
	for _, tt := range []struct{ dump, want string }{
		{"⟨   and more\n⟨   again\n\n ❯ On", "assistant and more||again; user On"},
		{" ● So\n\n⟨   and more", "assistant So||and more"},
		{" ● So\n\n⟨   and more\n\n⟨   again", "assistant So||and more||again"},
		{" ❯ Go\n\n⟨   and more", "user Go; assistant and more"},
		{" ● So\n\n⟨   and more\n\n ● Yes", "assistant So; user and more; assistant Yes"},
		{"⟨   and more", "user and more"},
	} {
		lines := rowtest.Dump(t, 60, strings.ReplaceAll(tt.dump, "⟨", ""))
		for i, l := range strings.Split(tt.dump, "\n") {
			lines[i].Lost = strings.HasPrefix(l, "⟨")
		}
		var got []string
		for _, it := range cells().Parse(lines) {
			got = append(got, told(it))
		}
		if got := strings.Join(got, "; "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.dump, got, tt.want)
		}
	}
}

// TestImage reads an image, whose words have a colour before the link to it.
func TestImage(t *testing.T) {
	lines := rowtest.Dump(t, 60, " ● ⟦ p5|Image: A cat → ⟧⟦ p6|https://example.test/a⟧\n   So.")
	last := &lines[0].Row.Runs[len(lines[0].Row.Runs)-1]
	last.Style.Link = last.Text
	if got := told(cells().Parse(lines)[0]); got != "assistant Image: A cat → https://example.test/a|So." {
		t.Errorf("got %q", got)
	}
}
