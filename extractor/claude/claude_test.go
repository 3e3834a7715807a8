package claude

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

func TestClaudeBanner(t *testing.T) {
	for _, c := range []struct {
		name, dump string
		want       chat.Banner
		n          int
	}{
		{"1.0", "⟦ #d77757|╭──────────────────────────╮⟧\n⟦ #d77757|│⟧ ⟦ #d77757|✻⟧ Welcome to ⟦b|Claude Code⟧! │\n" +
			"│   ⟦d|cwd: /home/dev/shop⟧    │\n⟦ #d77757|╰──────────────────────────╯⟧", chat.Banner{Cwd: "/home/dev/shop"}, 4},
		{"1.0, half drawn", "⟦ #d77757|╭──────────────────────────╮⟧\n" +
			"⟦ #d77757|│⟧ ⟦ #d77757|✻⟧ Welcome to ⟦b|Claude Code⟧! │", chat.Banner{}, 0},
		{"1.0 without a box", " ⟦ #d77757|✻⟧ Welcome to ⟦b|Claude Code⟧!\n\n   ⟦d|/help for help⟧\n\n" +
			"   ⟦d|cwd: /home/dev/shop⟧\n\n╭───╮", chat.Banner{Cwd: "/home/dev/shop"}, 6},
		{"1.0 without a box, in a reply", " ✻ Welcome to Claude Code!\n\n   cwd: /home/dev/shop\n", chat.Banner{}, 0},
		{"2.1", "⟦ #d77757| ▐⟧▛███▜▌   ⟦b|Claude⟧ ⟦b|Code⟧ v2.1.197\n" +
			"▝▜█████▛▘  Opus 4.8 (1M context) · API Usage Billing\n  ▘▘ ▝▝    ~/shop", chat.Banner{Version: "2.1.197",
			Model: "Opus 4.8 (1M context)", Cwd: "~/shop"}, 3},
		{"2.0 with an ornament",
			" *⟦ #add8e6| ▐⟧▛███▜▌ *   ⟦b|Claude Code⟧ v2.0.76\n* ▝▜█████▛▘ *  Sonnet 4.5 · API Usage Billing\n" +
				" *  ▘▘ ▝▝  *   ~/shop", chat.Banner{Version: "2.0.76", Model: "Sonnet 4.5", Cwd: "~/shop"}, 3},
		{"2.0 in a wide window",
			"╭─ Claude Code v2.0.76 ─────────────────╮\n│ Welcome back!            │ Tips · one  │\n" +
				"│ Sonnet 4.5 · API Billing │ /init       │\n│ Max · a plan             │ x           │\n" +
				"│ ~/shop                   │ y           │\n│ /help                    │             │\n" +
				"╰────────────────────────────────────────╯", chat.Banner{Version: "2.0.76", Model: "Sonnet 4.5", Cwd: "~/shop"},
			7},
		{"2.0, half drawn", "╭─ Claude Code v2.0.76 ─╮\n│ Welcome back!          │\n\nx", chat.Banner{}, 0},
		{"half a logo", " ▐▛███▜▌   ⟦b|Claude Code⟧ v2.1.197", chat.Banner{}, 0},
		{"a logo with a blank row", " ▐▛███▜▌   ⟦b|Claude Code⟧ v2.1.197\n           Opus\n\n           ~/shop",
			chat.Banner{}, 0},
		{"the head of a dialog",
			"──⟦b|Claude Code⟧ v2.1.197─ general ─ commands ──\n  Claude understands your codebase\n   /keybindings to",
			chat.Banner{}, 0},
		{"in a reply", "  Claude Code v2.1.197\n  Opus · x\n  ~/shop", chat.Banner{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, n := oldBanner.Banner(rowtest.Dump(t, 80, c.dump))
			if n == 0 {
				got, n = welcome.Banner(rowtest.Dump(t, 80, c.dump))
			}
			if got != c.want || n != c.n {
				t.Errorf("claudeBanner = %+v, %d, want %+v, %d", got, n, c.want, c.n)
			}
		})
	}
}

func TestClaudeParse(t *testing.T) {
	rule := strings.Repeat("─", 60)
	for _, c := range []struct{ name, dump, want string }{
		{"1.0", "⟦d|> Why?⟧\n\n⟦ #ffffff|●⟧ So.\n\n⟦ #4eba65|●⟧ ⟦b|Bash⟧(ls -1)\n  ⎿  README.md\n     main.go\n" +
			"     ⟦d|… +9 lines (ctrl+o to expand)⟧\n\n⟦d|> /exit ⟧\n  ⎿  Goodbye!",
			"user Why?\nassistant So.\ntool Bash(ls -1) ok README.md|main.go…\ncommand /exit -> Goodbye!"},
		{"a prompt of 2.0 goes on at column 0",
			"⟦ #ffffff on#373737|> one two three four five six seven eight nine ten eleven ⟧\n" +
				"⟦ #ffffff on#373737|twelve ⟧\n\n⟦ #ffffff|●⟧ Yes.",
			"user one two three four five six seven eight nine ten eleven twelve\nassistant Yes."},
		{"a group that runs and one that is done",
			"⟦ #505050 on#373737|❯ ⟧⟦ #ffffff on#373737|Go⟧⟦ on#373737|      ⟧\n\n" +
				"  ⟦ #999999|Read ⟧⟦b #999999|2⟧⟦ #999999| files, ran ⟧⟦b #999999|1⟧⟦ #999999| shell command (ctrl+o to " +
				"expand)⟧\n\n⟦ #999999|●⟧ Running a command\n⟦ #999999|  ⎿  $ make test⟧",
			"user Go\ntool Read ok…\ntool Read ok…\ntool Bash ok…\ntool Bash(make test) running"},
		{"interrupted", "⟦ #505050 on#373737|❯ ⟧⟦ #ffffff on#373737|Go⟧\n\n⟦ #ffffff|●⟧ The first half\n" +
			"⟦ #999999|  ⎿  Interrupted · What should Claude do instead?⟧",
			"user Go\nassistant The first half (partial)\ncli:interrupted"},
		{"markers in a reply are content", "⟦ #ffffff|●⟧ Look:\n\n  > not a prompt\n  ● no bullet\n  ⎿ no corner\n\n  Done.",
			"assistant Look:||> not a prompt|● no bullet|⎿ no corner||Done."},
		{"chrome", "⟦ #505050 on#373737|❯ ⟧⟦ #ffffff on#373737|Go⟧\n\n⟦ #ffffff|●⟧ Done.\n\n" +
			"⟦ #999999|✻⟧ ⟦ #999999|Baked for 1s · done 5:14 AM⟧\n\n⟦ #888888|" + rule + "⟧\n❯ half typed\n⟦ #888888|" +
			rule + "⟧\n  ⟦ #af87ff|⏵⏵ accept edits on⟧",
			"user Go\nassistant Done."},
		{"a prompt that waits",
			"⟦ #999999 on#373737|❯ Later please⟧⟦ on#373737|   ⟧\n⟦ #999999|  ⎿  Queued · ctrl+x ctrl+s to send now⟧", ""},
		{"a notice", "⟦ #ffc107|●⟧ ⟦ #ffc107|Unknown command: /o⟧", "system Unknown command: /o"},
		{"a shell line", "⟦ #fd5db1 on#413c41|! ⟧⟦ #ffffff on#413c41|echo hi⟧\n⟦ #999999|  ⎿  ⟧hi", "shell echo hi -> hi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, it := range parse(rowtest.Dump(t, 60, c.dump)) {
				got = append(got, itemWords(it))
			}
			if d := cmp.Diff(strings.Join(got, "\n"), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

// parse reads lines as the look does whose prompts they have.
func parse(lines []row.Line) []chat.Item {
	if slices.ContainsFunc(lines, oldTalk.sent.On) {
		return oldTalk.cells.Parse(lines)
	}
	return newTalk.cells.Parse(lines)
}

// itemWords writes an item in a line.
func itemWords(it chat.Item) string {
	flat := func(s string) string { return strings.ReplaceAll(s, "\n", "|") }
	switch {
	case it.Event != "":
		return it.Event
	case it.Tool != nil:
		s := fmt.Sprintf("tool %s %s", it.Text, it.Tool.Status)
		if it.Tool.Output != "" {
			s += " " + flat(it.Tool.Output)
		}
		if it.Tool.Truncated {
			s += "…"
		}
		return s
	case it.Partial:
		return it.Role + " " + flat(it.Text) + " (partial)"
	}
	if it.Output != "" {
		return it.Role + " " + flat(it.Text) + " -> " + flat(it.Output)
	}
	return it.Role + " " + flat(it.Text)
}

func TestClaudeSplit(t *testing.T) {
	rule := "⟦ #888888|" + strings.Repeat("─", 60) + "⟧"
	for _, c := range []struct {
		name, dump string
		alt        bool
		want       chat.Split
	}{
		{"idle", "⟦ #ffffff|●⟧ Hi.\n\n" + rule + "\n❯ \n" + rule + "\n  ? for shortcuts", false,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"busy", "⟦ #ffffff|●⟧ Hi.\n\n⟦ #d77757|✽⟧ ⟦ #d77757|Cooking…⟧ (3s · ↓ 12 tokens)\n  ⎿  Tip: x\n\n" + rule +
			"\n❯ \n" + rule, false, chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}},
		{"a dialog", "⟦ #ffffff|●⟧ Hi.\n\n⟦ #b1b9f9|" + strings.Repeat("─", 60) +
			"⟧\n Bash command\n\n Do you want to proceed?\n ⟦ #b1b9f9|❯⟧ 1. Yes\n   2. No", false,
			chat.Split{OK: true, Bottom: 1, State: chat.StateAsking}},
		{"a menu above the input",
			"⟦ #ffffff|●⟧ Hi.\n  ⟦ #b1b9f9|❯ /exit    Exit the CLI⟧\n  ⟦ #999999|  /context Show⟧\n" + rule + "\n❯ /e\n" + rule,
			true, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle, Scrolled: true}},
		{"a menu in a terminal of few colours",
			"⟦ p15|●⟧ Hi.\n  ⟦ p15|> /exit    Exit the CLI⟧\n  ⟦d p7|  /context Show⟧\n" + rule + "\n> \n" + rule,
			true, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle, Scrolled: true}},
		{"scrolled back", "⟦ #ffffff on#373737|❯ Why⟧⟦ on#373737|   ⟧\n  text\n" +
			"  more ⟦ #ffffff on#373737| Jump to bottom (ctrl+End) ↓ ⟧\n" + rule + "\n❯ \n" + rule, true, chat.Split{OK: true,
			Top: 1, Bottom: 2, State: chat.StateIdle, Scrolled: true}},
		{"a spinner that was left behind", "⟦ #d77757|✽⟧ ⟦ #d77757|Cooking…⟧ (3s)\n\n⟦ #ffffff|●⟧ Hi.\n" + rule + "\n❯ \n" +
			rule, false, chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"scrolled back, the first row is of a reply",
			"  text\n  more ⟦ #ffffff on#373737| Jump to bottom (ctrl+End) ↓ ⟧\n" + rule + "\n❯ \n" + rule, true,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle, Scrolled: true}},
		{"a dialog below a table", "⟦ #ffffff|●⟧ Hi.\n  ├" + strings.Repeat("─", 56) + "┤\n╭───╮\n\n" + rule +
			"\n Do you want to proceed?\n ⟦ #b1b9f9|❯⟧ 1. Yes", false, chat.Split{OK: true, Bottom: 3, State: chat.StateAsking}},
		{"a dialog in a box below the welcome in another (1.0)",
			"╭" + strings.Repeat("─", 51) + "╮\n│ ✻ Welcome to Claude Code!\n╰" + strings.Repeat("─", 51) +
				"╯\n⟦ #ffffff|●⟧ Hi.\n╭" + strings.Repeat("─", 58) + "╮\n│ Do you want to proceed?\n│ ❯ 1. Yes\n╰" +
				strings.Repeat("─", 58) + "╯", false, chat.Split{OK: true, Bottom: 4, State: chat.StateAsking}},
		{"rules that were drawn for a wider window",
			"⟦ #ffffff|●⟧ Hi.\n\n" + rule + "\n⟦ #888888|──⟧\n❯ \n" + rule + "\n⟦ #888888|──⟧\n  ? for shortcuts", true,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"a prompt below a rule", rule + "\n⟦ #ffffff on#373737|❯ Why⟧", false, chat.Split{}},
		{"text above the input", "⟦ #ffffff|●⟧ Hi.\n* one more… (x)\n  /path ↓\n" + rule + "\n❯ \n" + rule, true,
			chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"a notice over the conversation", "⟦ #ffffff|●⟧ Hi.\n⟦ p8|  tmux detected · scroll with PgUp/PgDn⟧\n" + rule +
			"\n❯ \n" + rule, true, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"code above the input", "⟦ #ffffff|●⟧ Hi.\n  text\n  ⟦ #b1b9f9|code⟧\n" + rule + "\n❯ \n" + rule, true,
			chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"the transcript", "⟦ #ffffff|●⟧ Hi.\n" + rule + "\n  Showing detailed transcript · ctrl+o to toggle", false,
			chat.Split{OK: true, Overlay: true, Bottom: 1}},
		{"another program", "$ ls\nmain.go", false, chat.Split{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := split(chat.Screen{Lines: rowtest.Dump(t, 60, c.dump), Alt: c.alt})
			if d := cmp.Diff(got, c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestOpen: a reply may grow until its turn has ended on the screen, and a call while it runs.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		dump string
		want bool
	}{
		{"⟦ #ffffff|●⟧ So", true},
		{"⟦ #ffffff|●⟧ So\n\n⟦ #999999|✻ Baked for 1s⟧", false},
		{"⟦ #ffffff|●⟧ So\n\n⟦ #999999|✻ Conversation compacted⟧", true},
		{"⟦ #ffffff|●⟧ So\n\n✻ one for all", true},
		{"⟦ #999999|●⟧ ⟦b|Bash⟧(ls)", true},
	} {
		items := parse(rowtest.Dump(t, 60, c.dump))
		if got := items[len(items)-1].Open; got != c.want {
			t.Errorf("%q: Open is %v", c.dump, got)
		}
	}
}

// TestInputBox reads what is typed, but no dialog.
func TestInputBox(t *testing.T) {
	rule := strings.Repeat("─", 60)
	for _, c := range []struct {
		dump, want string
		ok         bool
	}{
		{rule + "\n❯ one\n  two\n" + rule + "\n  ? for shortcuts", "one\ntwo", true},
		{"╭" + strings.Repeat("─", 58) + "╮\n│ > one" + strings.Repeat(" ", 52) + "│\n╰" + strings.Repeat("─", 58) +
			"╯\n  ? for shortcuts", "one", true},
		{rule + "\n Do you want to proceed?\n ❯ 1. Yes", "", false},
	} {
		box, ok := inputBox(rowtest.Dump(t, 60, c.dump))
		if got := box.Text(); got != c.want || ok != c.ok {
			t.Errorf("inputBox(%q) = %q, %v", c.dump, got, ok)
		}
	}
}

// TestClears tells a command that was sent from one that is typed.
func TestClears(t *testing.T) {
	for dump, want := range map[string]bool{"⟦ #ffffff on#373737|❯ /clear⟧": true, "❯ /clear": false,
		"⟦ #ffffff on#373737|❯ /clearly⟧": false} {
		if got := newTalk.clears(rowtest.Dump(t, 60, dump)[0]); got != want {
			t.Errorf("clears(%s) = %v", dump, got)
		}
	}
}

// TestBegins: what a welcome may begin with.
func TestBegins(t *testing.T) {
	for text, want := range map[string]bool{"╭─ x ─╮": true, oldWelcome: true, " ▐▛ Claude Code v2": true,
		"● Claude Code": false} {
		if got := oldBanner.Begins(text); got != want {
			t.Errorf("Begins(%q) = %v", text, got)
		}
	}
}

// TestSource finds the end of a Markdown document that is shown as its source.
func TestSource(t *testing.T) {
	for _, c := range []struct {
		rows string
		want int
	}{
		{"# head\n\n> quote\n\ntext", 3},
		{"```sh\n**bold**", 2},
		{"```\nx := 1\n```", 3},
		{"**bold**\n# head", 2},
		{"a `code` b\n[x](y)", 2},
		{"`code\n# head", 0},
		{"text\n\n# head\n> quote", 0},
		{"# head\n> quote\n\ntext\n\n# again\n\ntext\n\ntext\n\n# late", 6},
		{"# head\n" + strings.Repeat("> quote\n", 2*maxGroup), 0},
	} {
		ls := (&markdown.Style{}).Lines(rowtest.Plain(60, strings.Split(strings.TrimSuffix(c.rows, "\n"), "\n")...))
		if got := source(ls); got != c.want {
			t.Errorf("source(%.60q) = %d, want %d", c.rows, got, c.want)
		}
	}
}

// TestMaxGroup: no group of code is looked for beyond maxGroup.
func TestMaxGroup(t *testing.T) {
	for n, want := range map[int]int{maxGroup: maxGroup, maxGroup + 1: 0} {
		rows := strings.TrimSuffix(strings.Repeat("⟦ p5|def⟧ a\n", n), "\n")
		ls := (&markdown.Style{}).Lines(rowtest.Dump(t, 60, rows))
		if got := codeGroup(ls); got != want {
			t.Errorf("codeGroup of %d lines = %d, want %d", n, got, want)
		}
	}
}
