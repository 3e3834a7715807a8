package gemini

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/session"
)

// told returns items in short: role or event, text, and a tool's parts.
func told(items []chat.Item) []string {
	out := []string{}
	for _, it := range items {
		switch {
		case it.Event != "":
			out = append(out, "!"+it.Event)
		case it.Tool != nil:
			out = append(out, fmt.Sprintf("tool %s(%s) %s: %s", it.Tool.Name, it.Tool.Input, it.Tool.Status, it.Tool.Output))
		case it.Role == session.RoleCommand:
			out = append(out, "command "+it.Text+": "+it.Output)
		default:
			out = append(out, it.Role+" "+it.Markdown)
		}
	}
	return out
}

func TestGeminiParse(t *testing.T) {
	bar := func(s string) string { return strings.Repeat(s, 50) }
	tests := []struct {
		name, dump string
		want       []string
	}{
		{"prompt and reply, plain look", `
⟦ #cba6f7|> ⟧⟦ #6c7086|Find out how the config loader rewrites the page⟧
  ⟦ #6c7086|at midnight⟧

⟦ #cba6f7|✦ ⟧⟦ #cdd6f4|That index rewrites ⟧⟦ #cba6f7|cache.Get⟧⟦ #cdd6f4| after a slow⟧
  ⟦ #cdd6f4|reconnect; see ⟧⟦b #cdd6f4|retry⟧⟦ #cdd6f4|.⟧

   ⟦ #cdd6f4|- one⟧
     ⟦ #cdd6f4|- nested⟧

   ⟦ #6c7086|1 ⟧⟦ #89b4fa|def⟧⟦ #cdd6f4| f():⟧
   ⟦ #6c7086|2 ⟧⟦ #cdd6f4|    return 1⟧

  ⟦b #89b4fa|Heading⟧

  ⟦ #cdd6f4|> quoted⟧
`, []string{
			"user Find out how the config loader rewrites the page at midnight",
			"assistant That index rewrites `cache.Get` after a slow reconnect; see **retry**.\n\n- one\n  - nested\n\n```\n" +
				"def f():\n    return 1\n```\n\n## Heading\n\n> quoted",
		}},
		{"prompt between bars, either way round", bar("▄") + `
⟦ on#5f5f5f| > Say ✦ and > twice                              ⟧
` + bar("▀") + `
⟦ #d7afff|✦ ⟧⟦ #ffffff|✦ and >⟧
` + bar("▀") + `
⟦ on#5f5f5f| > > quoted start                                 ⟧
` + bar("▄") + `
`, []string{"user Say ✦ and > twice", "assistant ✦ and >", "user > quoted start"}},
		{"a prompt between bars that the terminal wrapped", bar("▄") + `
+▄▄▄▄▄▄▄▄▄▄
⟦ on#5f5f5f| > Find out how the config loader rewrites the last⟧
+⟦ on#5f5f5f| page      ⟧
` + bar("▀") + `
+▀▀▀▀▀▀▀▀▀▀
⟦ #d7afff|✦ ⟧⟦ #ffffff|So.⟧
`, []string{"user Find out how the config loader rewrites the last page", "assistant So."}},
		{"a composer that a resize left behind", bar("▄") + `
⟦ on#5f5f5f| > half typed⟧⟦v on#5f5f5f| ⟧⟦ on#5f5f5f|                  ⟧
` + bar("▀") + `
`, []string{}},
		{"tools in a box", `
╭────────────────────────────────────────────────╮
│ ⟦ #a6e3a1|✓⟧  ⟦b|Shell⟧ ls -1 [current working directory /ho… │
│                                                │
│ README.md                                      │
│ ✓  main.go                                     │
│                                                │
│ ⟦ #f38ba8|x⟧  ⟦b|ReadFile⟧ none.go                           │
│                                                │
│ File not found.                                │
╰────────────────────────────────────────────────╯
`, []string{"tool Shell(ls -1) ok: README.md\n✓  main.go", "tool ReadFile(none.go) error: File not found."}},
		{"tools without a box", `
⟦ #d7afff|✦ ⟧⟦ #ffffff|Reading.⟧

  ⟦ #d7ffd7|✓⟧  ⟦b #ffffff|ReadFile ⟧ ⟦ #afafaf|main.go⟧
  ⟦ #d7ffd7|✓⟧  ⟦b #ffffff|Edit ⟧ ⟦ #afafaf|main.go⟧ ⟦ #d7afff|→ Accepted⟧ (+1, -1)

      ⟦ #afafaf|9⟧ - old
      ⟦ #afafaf|9⟧ + new

⟦ #d7afff|✦ ⟧⟦ #ffffff|Done.⟧
`, []string{"assistant Reading.", "tool ReadFile(main.go) ok: ",
			"tool Edit(main.go) ok: Accepted (+1, -1)\n    9 - old\n    9 + new", "assistant Done."}},
		{"an approval", `
╭────────────────────────────────────────────────╮
│ ⟦b|? Shell  ⟧Run a command                          │
│ ╭────────────────────────────────────────────╮ │
│ │ touch made.txt                             │ │
│ ╰────────────────────────────────────────────╯ │
│ Allow execution of [touch]?                    │
│                                                │
│ ● 1. Allow once                                │
╰────────────────────────────────────────────────╯
`, []string{"tool Shell(touch made.txt # Run a command) running: "}},
		{"a command, one that the model answers, and one of the shell", `
⟦ #cba6f7|> /about⟧

╭────────────────────────────────────────────────╮
│ About Gemini CLI                               │
╰────────────────────────────────────────────────╯

⟦ #cba6f7|> /explain⟧

⟦ #cba6f7|✦ ⟧⟦ #cdd6f4|It is so.⟧

⟦ #89b4fa|$ ⟧echo hi

╭────────────────────────────────────────────────╮
│ ⟦ #a6e3a1|✓⟧  ⟦b|Shell Command⟧ echo hi                      │
│                                                │
│ hi                                             │
╰────────────────────────────────────────────────╯
`, []string{"command /about: About Gemini CLI", "user /explain", "assistant It is so.", "command !echo hi: hi"}},
		{"notices are nobody's words", `
⟦ #cba6f7|> ⟧⟦ #6c7086|hi⟧

  ⟦i #6c7086|Responding with gemini-2.5-pro⟧

⟦ #cba6f7|✦ ⟧⟦ #a6e3a1|Chat history compressed from 100 to 20 tokens.⟧

⟦ #cba6f7|> /stats⟧

╭────────────────────────────────────────────────╮
│                                                │
│  Agent powering down. Goodbye!                 │
╰────────────────────────────────────────────────╯
`, []string{"user hi", "system Chat history compressed from 100 to 20 tokens.", "command /stats: "}},
		{"cancelled", `
⟦ #cba6f7|✦ ⟧⟦ #cdd6f4|This goes on and⟧

⟦ #f9e2af|ℹ Request cancelled.⟧
`, []string{"assistant This goes on and", "!cli:interrupted"}},
		{"printed again after a resize", `
⟦ #d7afff|✦ ⟧⟦ #ffffff|The event loop rewrites two stale rows⟧
  ⟦ #ffffff|before ⟧

 ⠧ Thinking... (esc to cancel, 0s)
⟦ #d7afff|✦ ⟧⟦ #ffffff|The event loop rewrites two stale rows before the lock.⟧
`, []string{"assistant The event loop rewrites two stale rows before the lock."}},
		{"an old table, too wide", `
⟦ #cba6f7|✦ ⟧⟦ #cdd6f4|Look:⟧

  ┌──────┬────────────────────────────────────────┐
  ┐
  │ ⟦b|Name⟧ │ ⟦b|Note⟧
  │
  ├──────┼────────────────────────────────────────┤
  ┤
  │ a    │ it is so
  │
  └──────┴────────────────────────────────────────┘
  ┘
`, []string{"assistant Look:\n\n| Name | Note |\n| --- | --- |\n| a | it is so |"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dump := tt.dump
			if tt.name == "an old table, too wide" { // the border is on the next row
				dump = strings.NewReplacer("┐\n  ┐", "\n  ┐", "┤\n  ┤", "\n  ┤", "┘\n  ┘", "\n  ┘").Replace(dump)
			}
			got := told(parse(rowtest.Dump(t, 50, dump)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGeminiBanner(t *testing.T) {
	tests := []struct {
		name, dump, version string
		n                   int
	}{
		{"small logo", `
 ▝▜▄     Gemini CLI v0.61.0
   ▝▜▄
  ▗▟▀    Authenticated with gemini-api-key /auth
 ▝▀

Tips for getting started:
1. Create GEMINI.md files
2. /help for more information

> hi
`, "0.61.0", 4},
		{"small logo above in a narrow window", `
 ▝▜▄
   ▝▜▄
  ▗▟▀
 ▝▀

 Gemini CLI v0.51.0

 Authenticated with gemini-api-key /auth


Tips for getting started:
1. Create GEMINI.md files to customize your
interactions
2. /help for more information

> hi
`, "0.51.0", 6},
		{"blocks", `
 ███         █████████
░░░███      ███░░░░░███
  ░░░███   ███     ░░░
    ░░░███░███
     ███░ ░███    █████
   ███░   ░░███  ░░███
 ███░      ░░█████████
░░░         ░░░░░░░░░

Tips for getting started:
1. Ask questions, edit files, or run commands.
`, "", 8},
		{"the middle of the blocks", `
░░░███      ███░░░░░███
  ░░░███   ███     ░░░
    ░░░███░███
     ███░ ░███    █████
   ███░   ░░███  ░░███
 ███░      ░░█████████
░░░         ░░░░░░░░░
`, "", 0},
		{"blocks in an IDE", strings.Repeat(" ███\n", 10), "", 10},
		{"small blocks", strings.Repeat(" ▀▀▀▄▄▄\n", 8), "", 0},
		{"words above a version", "words\n Gemini CLI v0.61.0\n", "", 0},
		{"the words in a reply", `
✦ It says Gemini CLI v0.61.0
`, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, n := welcome.Banner(rowtest.Dump(t, 80, tt.dump))
			if n != tt.n || b.Version != tt.version {
				t.Errorf("got %q, %d lines, want %q, %d", b.Version, n, tt.version, tt.n)
			}
		})
	}
}

// TestGeminiBegins knows the characters of the logo, and no other that is above or below them.
func TestGeminiBegins(t *testing.T) {
	for text, want := range map[string]bool{" ▝▜▄     Gemini CLI v0.61.0": true, " ███": true, "Ready": false,
		"────": false, "■ ✦ ⠋": false} {
		if got := welcome.Begins(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestGeminiSplit(t *testing.T) {
	bar := func(s string) string { return strings.Repeat(s, 50) }
	tests := []struct {
		name, dump string
		want       chat.Split
	}{
		{"bars, busy", `
✦ A reply

 ⠏ Thinking... (esc to cancel, 0s)  ? for shortcuts
──────────────────────────────────────────────────
 YOLO Ctrl+Y
` + bar("▄") + `
⟦ on#5f5f5f| * ⟧⟦v on#5f5f5f| ⟧⟦ on#5f5f5f|  Type your message or @path/to/file         ⟧
` + bar("▀") + `
 workspace (/directory)   sandbox           /model
`, chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}},
		{"box, idle", `
> hi

✦ A reply

                     YOLO mode (ctrl + y to toggle)
╭────────────────────────────────────────────────╮
│ *   Type your message or @path/to/file         │
╰────────────────────────────────────────────────╯
 ~/shop        no sandbox (see /docs)        auto
`, chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"a mode that was at the right of a wider window", `
> hi

✦ A reply

          YOLO mode (ctrl + y to toggle)
╭────────────────────────────────────────────────╮
│ *   Type your message or @path/to/file         │
╰────────────────────────────────────────────────╯
 ~/shop        no sandbox (see /docs)        auto
`, chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"a hint that was at the right of a wider window", `
> hi

✦ A reply

 ⠏ Thinking... (esc to cancel, 0s)
+                ? for shortcuts
──────────────────────────────────────────────────
+──────
 YOLO Ctrl+Y
` + bar("▄") + `
⟦ on#5f5f5f| * ⟧⟦v on#5f5f5f| ⟧⟦ on#5f5f5f|  Type your message or @path/to/file         ⟧
` + bar("▀") + `
`, chat.Split{OK: true, Bottom: 3, State: chat.StateBusy}},
		{"a box of the conversation is no composer", `
✦ A reply
╭────────────────────────────────────────────────╮
│ > quoted                                       │
╰────────────────────────────────────────────────╯
`, chat.Split{}},
		{"an approval", `
✦ A reply
╭────────────────────────────────────────────────╮
│ ?  Shell touch made.txt                      ← │
│                                                │
│ ● 1. Yes, allow once                           │
╰────────────────────────────────────────────────╯
⠏ Waiting for user confirmation...
 ~/shop               no sandbox              auto
`, chat.Split{OK: true, Bottom: 6, State: chat.StateAsking}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, split(chat.Screen{Lines: rowtest.Dump(t, 50, tt.dump)})); diff != "" {
				t.Errorf("split (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGeminiParseAnything shows that no rows make the profile panic, and that items lie within the
// lines, in order.
func TestGeminiParseAnything(t *testing.T) {
	pieces := []string{"", " ", "  ", "   ", "✦ ", "> ", "$ ", "│ ", " │", "╭──────", "╰──────", "✓  ", "x  ", "?  ",
		"? Shell", "⟦b|Shell⟧", "⟦ #cba6f7|✦ ⟧", "⟦ on#5f5f5f| > hi⟧",
		"▄▄▄▄▄▄▄▄▄▄", "▀▀▀▀▀▀▀▀▀▀", "ℹ ", "✕", "word", "words that go on", "1 ", "12", "- ", "┌──┬──┐", "├──┼──┤",
		"└──┴──┘", "┐", "/about", "● 1. Yes", "... first 3 lines hidden ...",
		"→ Accepted", "███ ░░░", " ▝▜▄     Gemini CLI v1.2.3", "Tips for getting started:", "… ←", "缓存",
		"⠏ Thinking (esc to cancel, 3s)", "⟦v on#5f5f5f| ⟧", "[current working directory /x…"}
	rapid.Check(t, func(rt *rapid.T) {
		var dump strings.Builder
		for range rapid.IntRange(1, 24).Draw(rt, "rows") {
			if rapid.IntRange(0, 9).Draw(rt, "wrapped") == 0 {
				dump.WriteByte('+')
			}
			for range rapid.IntRange(0, 5).Draw(rt, "pieces") {
				dump.WriteString(rapid.SampledFrom(pieces).Draw(rt, "piece"))
			}
			dump.WriteByte('\n')
		}
		lines := rowtest.Dump(t, 40, dump.String())
		at := 0
		for _, it := range parse(lines) {
			if it.First < at || it.End <= it.First || it.End > len(lines) {
				rt.Fatalf("item %q takes lines %d to %d of %d, after %d\n%s", it.Rule, it.First, it.End, len(lines), at,
					dump.String())
			}
			at = it.First
		}
		s := chat.Screen{Lines: lines, Alt: rapid.Bool().Draw(rt, "alt")}
		if sp := split(s); sp.Bottom > len(lines) || sp.Top < 0 {
			rt.Fatalf("split %+v of %d lines", sp, len(lines))
		}
	})
}
