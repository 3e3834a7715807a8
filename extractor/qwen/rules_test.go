package qwen

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
	case it.Output != "":
		s += " -> " + it.Output
	}
	return strings.ReplaceAll(s, "\n", "|")
}

// TestSituations shows situations that users meet and the lab does not record; most are the Gemini
// CLI's, too.
func TestSituations(t *testing.T) {
	const asked = "  ⟦ #8a2be2|> Go⟧\n\n"
	for _, c := range []struct{ name, dump, want string }{
		{"files that are read together", asked + "  ⟦ #00ff00|✓⟧ ⟦b|Read⟧ ⟦ #808080|main.go, README.md⟧\n\n  ✦ So.",
			"user Go\ntool Read(main.go) ok \ntool Read(README.md) ok \nassistant So."},
		{"code spans of strokes",
			"  ✦ See what I have found in your code\n\n    ⟦ #add8e6|★ Insight ────⟧\n    - one\n    ⟦ #add8e6|─────────⟧",
			"assistant See what I have found in your code||`★ Insight ────`|- one|  `─────────`"},
		{"tools without a box",
			asked + "  ⟦ #00ff00|✓⟧ ⟦b|Read⟧ ⟦ #808080|main.go⟧\n    12 lines\n\n  ⠋ ⟦b|Shell⟧ ⟦ #808080|make 3s⟧\n\n" +
				"  ✓ ⟦b|Grep pattern⟧\n\n  ⠋ ⟦b|Reading⟧ ⟦ #808080|main.go…⟧\n\n  ✓ plain",
			"user Go\ntool Read(main.go) ok 12 lines\ntool Shell(make) running \ntool Grep(pattern) ok \n" +
				"tool Read(main.go) running "},
		{"a tool whose input is wrapped", asked +
			"  ✓ ⟦b|Shell⟧ ⟦ #808080|one two three four five six seven eight nine ten⟧\n    ⟦ #808080|eleven⟧\n    output\n" +
			"    ... last 3 lines hidden ...",
			"user Go\ntool Shell(one two three four five six seven eight nine ten eleven) ok output…"},
		{"a tool whose input is a long word, beside a scroll bar",
			asked + "  ✓ ⟦b|Edit⟧ ⟦ #808080|{\"path\":\"one/two/three/four/five/six/seven/eigh⟧⟦| ⟧\n" +
				"    ⟦ #808080|t/nine\",\"old\":\"and some more text that goes on\"}⟧\n    output",
			"user Go\ntool Edit({\"path\":\"one/two/three/four/five/six/seven/eight/nine\",\"old\":\"and some more text that " +
				"goes on\"}) ok output"},
		{"a tool whose input is not wrapped", asked + "  ✓ ⟦b|Shell⟧ ⟦ #808080|ls⟧\n    ⟦ #808080|main.go⟧",
			"user Go\ntool Shell(ls) ok main.go"},
		{"code spans, addresses and borders", asked +
			"  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|See here for more: ⟧⟦ #00ffff|x.go⟧⟦ #cccccc| and ⟧⟦ #0000ff|https://x.test⟧⟦ " +
			"#cccccc|.⟧", "user Go\nassistant See here for more: `x.go` and https://x.test."},
		{"a code span alone", asked + "  ⟦ #8a2be2|◆⟧ ⟦ #add8e6|yes⟧\n\n  ⟦ #8a2be2|◆⟧ ⟦ #cdd6f4|No.⟧\n\n" +
			"  ⟦ #8a2be2|◆⟧ ⟦ #add8e6|Two⟧\n    ⟦ #add8e6|lines⟧",
			"user Go\nassistant `yes`\nassistant No.\nassistant Two|lines"},
		{"headings", asked + "  ⟦ #8a2be2|✦⟧ ⟦b #00ff00|One⟧\n\n    ⟦b #cccccc|Three⟧\n\n    ⟦b #cccccc|A sentence.⟧\n\n" +
			"    ⟦i #00ff00|Four⟧\n\n    ⟦ #cccccc|Many words in the colour of all text, long enough.⟧\n\n" +
			"    ⟦i #00ff00|It is so.⟧\n\n    ⟦i #cccccc|Fourth⟧\n\n    ⟦i #cccccc|A sentence.⟧\n\n    ⟦i #cccccc|Last⟧",
			"user Go\nassistant ## One||### Three||**A sentence.**||#### Four||Many words in the colour of all text, long " +
				"enough.||#### It is so.||#### Fourth||*A sentence.*||*Last*"},
		{"headings with code spans",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|See the words here: ⟧⟦ #add8e6|x.go⟧\n\n    ⟦b #add8e6|Agent.connect(a)⟧\n\n" +
				"    ⟦i #cccccc|Parameter: ⟧⟦i #add8e6|a⟧\n\n    ⟦ #cccccc|Its address. ⟧⟦ #0000ff| (a.md#b)⟧⟦ #cccccc|.⟧",
			"user Go\nassistant See the words here: `x.go`||### `Agent.connect(a)`||#### Parameter: `a`||Its address.  " +
				"(a.md#b)."},
		{"a quote that begins with a code span",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|See the words here, which are many and plain: ⟧⟦ #add8e6|x.go⟧\n\n" +
				"     ⟦ #808080|│ ⟧⟦i #add8e6|--no-color⟧⟦i#cccccc| is for logs and for what is piped, ⟧⟦i #add8e6|run⟧\n" +
				"       ⟦i #add8e6|--no-color⟧\n\n    ⟦ #cccccc|So.⟧",
			"user Go\nassistant See the words here, which are many and plain: `x.go`||> `--no-color` is for logs and for " +
				"what is piped, `run --no-color`||So."},
		{"text right below code",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Look at this text:⟧\n\n     ⟦ #808080|1⟧ ⟦ #00ffff|code()⟧\n" +
				"       ⟦ #cccccc|as far in⟧", "user Go\nassistant Look at this text:||```|code()|```||as far in"},
		{"quotes with bars", asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Look:⟧\n\n     ⟦i#cccccc|│ quoted words⟧\n" +
			"     ⟦ #cccccc|│⟧ \n     ⟦i#cccccc|│ - one⟧\n     ⟦i#cccccc|│ - two⟧\n\n    ⟦ #cccccc|│ no quote⟧",
			"user Go\nassistant Look:||> quoted words|>|> - one|> - two||│ no quote"},
		{"lists, numbers and quotes",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Look at this text:⟧\n\n     ⟦ #cccccc|- one⟧\n\n" +
				"     ⟦ #808080|1⟧ ⟦ #00ffff|code()⟧\n     ⟦ #808080|2⟧ ⟦ #00ffff|more()⟧\n\n    ⟦ #cccccc|> quoted⟧\n" +
				"    ⟦ #cccccc|>⟧\n\n    ⟦ #cccccc|7 is a number of this text⟧",
			"user Go\nassistant Look at this text:||- one||```|code()|more()|```||> quoted||7 is a number of this text"},
		{"a table whose border is on the next row",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Sizes:⟧\n\n    ⟦ #cccccc|┌───┬──⟧\n    ⟦ #cccccc|─┐⟧\n    ⟦ #cccccc|│ a │ b⟧\n" +
				"    ⟦ #cccccc|│⟧\n    ⟦ #cccccc|├───┼──⟧\n    ⟦ #cccccc|─┤⟧\n    ⟦ #cccccc|│ 1 │ 2⟧\n    ⟦ #cccccc|│⟧\n" +
				"    ⟦ #cccccc|└───┴──⟧\n    ⟦ #cccccc|─┘⟧", "user Go\nassistant Sizes:||| a | b ||| --- | --- ||| 1 | 2 |"},
		{"a table whose rows are shortened, and too wide by two",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Sizes:⟧\n\n    ⟦ #cccccc|┌─────────┬───┬─┐⟧\n    ⟦ #cccccc|│ a       │ b │  ⟧\n" +
				"    ⟦ #cccccc|│⟧\n\n    ⟦ #cccccc|├─────────┼───┼─┤⟧\n    ⟦ #cccccc|│ one tw… │ 2 │  ⟧\n    ⟦ #cccccc|│⟧\n\n" +
				"    ⟦ #cccccc|│ 3       │⟧\n    ⟦ #cccccc|│  │⟧\n    ⟦ #cccccc|└─────────┴───┴⟧\n    ⟦ #cccccc|─┘⟧",
			"user Go\nassistant Sizes:||| a | b |  ||| --- | --- | --- ||| one tw… | 2 |  ||| 3 |  |  |"},
		{"fields that are wrapped before a blank",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Sizes:⟧\n\n" +
				"    ⟦b #00ff00|A:⟧ ⟦ #cccccc|one two three four five six seven eight nine ten⟧\n     ⟦ #cccccc|eleven⟧\n" +
				"    ⟦b #00ff00|B:⟧ ⟦ #cccccc|one two three four five six seven eight⟧\n    ⟦ #cccccc|────────────────⟧\n" +
				"    ⟦b #00ff00|A:⟧ ⟦ #cccccc|1⟧\n    ⟦b #00ff00|B:⟧ ⟦ #cccccc|2⟧",
			"user Go\nassistant Sizes:||| A | B ||| --- | --- ||| one two three four five six seven eight nine ten eleven | " +
				"one two three four five six seven eight ||| 1 | 2 |"},
		{"commands", "  ⟦ #8a2be2|> /stats⟧\n\n  ℹ Session 1\n\n  ⟦ #8a2be2|> /compress⟧\n\n" +
			"  ⟦ #8a2be2|✦⟧ Chat history compressed from 9 to 2.\n\n  ⟦ #8a2be2|> /* no command⟧\n\n" +
			"  ⟦ #8a2be2|> // neither⟧\n\n  ⟦ #8a2be2|! ls⟧\n\n  ⟦ #8a2be2|> /clear⟧\n",
			"command /stats -> Session 1\ncommand /compress -> Chat history compressed from 9 to 2.\nuser /* no command\n" +
				"user // neither\ncommand !ls"},
		{"a command that the model answers", "  ⟦ #8a2be2|> /plan it⟧\n\n  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|So.⟧",
			"user /plan it\nassistant So."},
		{"a command of the shell with its box",
			"  ⟦ #8a2be2|! ls⟧\n\n  ╭──────────────────╮\n  │ ✓  ⟦b|Shell Command⟧ ls │\n  │                  │\n" +
				"  │ main.go          │\n  ╰──────────────────╯", "command !ls -> main.go"},
		{"what the user stopped", asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Half⟧\n\n  ℹ Request cancelled.\n\n" + asked +
			"  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Half⟧\n\n  ℹ User cancelled the request.",
			"user Go\nassistant Half\ncli:interrupted\nuser Go\nassistant Half\ncli:interrupted"},
		{"notices", asked + "  ⚠ Careful\n    now\n\n  ✕ [API Error]", "user Go\nsystem Careful|now\nsystem [API Error]"},
		{"a notice below a prompt",
			"  ⟦ #8a2be2|> ⟧⟦ #cccccc|Go⟧\n    ⟦ #cccccc|on⟧\n\n    ⟦ #808080|Responding with qwen-3⟧", "user Go|on"},
		{"thoughts", asked + "   ⟦i|Thinking...⟧\n   │ One.\n   │ Two.\n\n  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|So.⟧",
			"user Go\nthinking One.|Two.\nassistant So."},
		{"thoughts behind a grey sign", asked +
			"  ⟦ #808080|✦ First this.⟧\n    ⟦ #808080|Then that.⟧\n  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|So.⟧",
			"user Go\nthinking First this.|Then that.\nassistant So."},
		{"a group of tools in a box",
			asked + "  ╭──────────────────╮\n  │ ✓  ⟦b|Read⟧ main.go  │\n  │                  │\n  │    text          │\n" +
				"  │                  │\n  │ x  ⟦b|Shell⟧ make… │\n  │                  │\n  │ -  ⟦b|Edit⟧ a.go     │\n" +
				"  ╰──────────────────╯",
			"user Go\ntool Read(main.go) ok text\ntool Shell(make…) error …\ntool Edit(a.go) rejected "},
		{"a call that waits", asked + "  ╭────────────────────────────────────────╮\n" +
			"  │ Action Required                        │\n  │                                        │\n" +
			"  │ ⟦b|?⟧ ⟦b|Shell⟧ rm…                            │\n  │                                        │\n" +
			"  │ rm -rf x                               │\n  │                                        │\n" +
			"  │ Allow execution of: 'rm'?              │\n  ╰────────────────────────────────────────╯",
			"user Go\ntool Shell(rm -rf x) running "},
		{"a call that waits and says why", asked +
			"  ╭────────────────────────────────────────╮\n  │ ⟦b|?⟧ ⟦b|Shell⟧ to tidy up                     │\n" +
			"  │                                        │\n  │ ╭──────────╮                           │\n" +
			"  │ │ rm -rf x │                           │\n  │ ╰──────────╯                           │\n" +
			"  ╰────────────────────────────────────────╯", "user Go\ntool Shell(rm -rf x # to tidy up) running "},
		{"a reply that is printed again", asked +
			"  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The same words⟧\n  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The same words, and more.⟧",
			"user Go\nassistant The same words, and more."},
		{"tasks", asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|To do:⟧\n\n    ⟦ #cccccc|○\ufe0e test it⟧\n    ⟦ #cccccc|✓ write it⟧",
			"user Go\nassistant To do:||- [ ] test it|- [x] write it"},
		{"two replies", asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The same words⟧\n\n" +
			"  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The same words, and more.⟧",
			"user Go\nassistant The same words\nassistant The same words, and more."},
		{"a reply whose beginning a resize left behind",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The parser truncates the retry budget only on ARM.⟧\n" +
				"    ⟦ #cccccc|That index skips every⟧\n\n" +
				"  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The parser truncates the retry budget only on ARM. That⟧\n" +
				"    ⟦ #cccccc|index skips every header.⟧",
			"user Go\nassistant The parser truncates the retry budget only on ARM. That index skips every header."},
		{"two replies of which one begins like the other",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The parser truncates the retry budget only on ARM.⟧\n" +
				"    ⟦ #cccccc|That index skips none.⟧\n\n" +
				"  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|The parser truncates the retry budget only on ARM.⟧\n" +
				"    ⟦ #cccccc|That index skips every header.⟧",
			"user Go\nassistant The parser truncates the retry budget only on ARM. That index skips none.\n" +
				"assistant The parser truncates the retry budget only on ARM. That index skips every header."},
		{"code that was written in two pieces",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Look at this text:⟧\n\n     ⟦ #808080|1⟧ ⟦ #00ffff|code()⟧\n\n" +
				"     ⟦ #808080|2⟧\n\n    ⟦ #cccccc|Then go on⟧",
			"user Go\nassistant Look at this text:||```|code()|```||Then go on"},
		{"hints that a resize left behind", asked +
			"  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Text⟧\n\n                              a hint at the right\n" +
			"  Press ctrl-s to show more lines", "user Go\nassistant Text"},
		{"a hint at the right that the terminal wrapped",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|Text⟧\n\n+                  ? for shortcuts", "user Go\nassistant Text"},
		{"rows below a full one that are output",
			asked + "  ✓ ⟦b|Shell⟧ ⟦ #808080|one two three four five six seven eight nine ten⟧\n     ⟦ #808080|indented⟧\n\n" +
				"  ✓ ⟦b|Shell⟧ ⟦ #808080|one two three four five six seven eight nine ten⟧\n    ⟦ #cccccc|coloured⟧\n\n" +
				"  ✓ ⟦b|Shell⟧ ⟦ #808080|one two three four five six seven eight nine ten⟧\n" +
				"    ⟦ #808080|... last 3 lines hidden ...⟧\n\n  ✓ ⟦b|Shell⟧ one two three four five six seven eight nine ten\n" +
				"    plain\n\n    below\n+wrapped\n    end",
			"user Go\ntool Shell(one two three four five six seven eight nine ten) ok  indented\n" +
				"tool Shell(one two three four five six seven eight nine ten) ok coloured\n" +
				"tool Shell(one two three four five six seven eight nine ten) ok …\n" +
				"tool Shell(one two three four five six seven eight nine ten) ok plain||belowwrapped|end"},
		{"blanks, bold words and code spans among little text",
			asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|See this⟧               ⟦ #00ffff|x.go⟧\n\n  ℹ Then\n\n" +
				"  ⟦ #8a2be2|✦⟧ ⟦b #00ff00|A long heading of it⟧\n\n    ⟦ #cccccc|So.⟧\n\n  ℹ Then\n\n" +
				"  ⟦ #8a2be2|✦ cache.Get.and.more⟧⟦ #cccccc| is so.⟧",
			"user Go\nassistant See this               `x.go`\nsystem Then\nassistant ## A long heading of it||So.\n" +
				"system Then\nassistant `cache.Get.and.more` is so."},
		{"thoughts below a command",
			"  ⟦ #8a2be2|> /plan it⟧\n\n   ⟦i|Thinking...⟧\n   │ One.\n\n  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|So.⟧",
			"user /plan it\nthinking One.\nassistant So."},
		{"chrome that a resize left behind", "  ⟦ #8a2be2|> /stats⟧\n\nchrome", ""},
		{"a reply that the terminal wrapped", asked + "  ⟦ #8a2be2|✦⟧ ⟦ #cccccc|So it⟧\n+⟦ #cccccc| is.⟧",
			"user Go\nassistant So it is."},
		{"0.5: signs in a tip", "  > words\n\n⟦ #808080|> Go⟧\n\n⟦ #8a2be2|✦⟧ ⟦ #cccccc|So.⟧", "user Go\nassistant So."},
		{"0.5: no margin", "⟦ #808080|> Go⟧\n\n⟦ #8a2be2|✦⟧ ⟦ #cccccc|So.⟧\n\n ╭────────────────╮\n" +
			" │ ✓  ⟦b|Read⟧ a.go   │\n ╰────────────────╯", "user Go\nassistant So.\ntool Read(a.go) ok "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, it := range parse(rowtest.Dump(t, 60, c.dump)) {
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
	box := "⟦ #808080|╭" + strings.Repeat("─", 58) + "╮⟧\n│ > ⟦v|T⟧ype" + strings.Repeat(" ", 52) + "│\n╰" +
		strings.Repeat("─", 58) + "╯"
	for _, c := range []struct {
		name, dump string
		alt        bool
		want       chat.Split
		typed      string
	}{
		{"idle", "  ✦ Hi.\n\n" + rule + "\n> half\n  typed\n" + rule + "\n  ? for shortcuts", false,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}, "half\ntyped"},
		{"busy, with a spinner of dots", "  ✦ Hi.\n\n  .. ⟦ #8a2be2|Thinking⟧\n  (3s · esc to cancel)\n" + rule + "\n* \n" +
			rule, false, chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}, ""},
		{"a reply that ends with dots", "  ✦ Hi\n    ⟦ #cccccc|... more⟧\n" + rule + "\n* \n" + rule, false,
			chat.Split{OK: true, Bottom: 2, State: chat.StateIdle}, ""},
		{"busy", "  ✦ Hi.\n\n  ⠋ Thinking (esc to cancel, 3s)\n\n  ⟦d|queued words⟧\n" + rule + "\n* \n" + rule, false,
			chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}, ""},
		{"a dim box stays", "  ⟦d|╭───╮⟧\n  ⟦d|│ x │⟧\n  ⟦d|╰───╯⟧\n\n" + rule + "\n> \n" + rule, false,
			chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}, ""},
		{"a question", "  ✦ Hi.\n\n  Allow?\n  › 1. Yes\n    2. No", false,
			chat.Split{OK: true, Bottom: 5, State: chat.StateAsking}, ""},
		{"a question beside a scroll bar", "  ✦ Hi." + strings.Repeat(" ", 52) + "│\n\n  › 1. Yes", true,
			chat.Split{OK: true, Bottom: 3, Right: 59, State: chat.StateAsking}, ""},
		{"a question in a box above the composer", "  │ ● 1. Yes │\n" + rule + "\n> \n" + rule, false,
			chat.Split{OK: true, Bottom: 1, State: chat.StateAsking}, ""},
		{"the composer in a box", "✦ Hi.\n\n" + box, false, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}, "Type"},
		{"scrolled back", "  ✦ Hi." + strings.Repeat(" ", 52) + "█\n  more" + strings.Repeat(" ", 53) + "│\n" + rule +
			"\n> \n" + rule, true, chat.Split{OK: true, Bottom: 2, Right: 59, State: chat.StateIdle, Scrolled: true}, ""},
		{"at the end", "  ✦ Hi." + strings.Repeat(" ", 52) + "│\n  more" + strings.Repeat(" ", 53) + "█\n" + rule +
			"\n> \n" + rule, true, chat.Split{OK: true, Bottom: 2, Right: 59, State: chat.StateIdle}, ""},
		{"an empty conversation", " \n" + rule + "\n> \n" + rule, false, chat.Split{OK: true, State: chat.StateIdle}, ""},
		{"a spinner", "  ✦ Hi.\n⠋ Loading\n" + rule + "\n> \n" + rule, false,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}, ""},
		{"a rule of another width", "  ✦ Hi." + strings.Repeat(" ", 42) + "│\n" + rule[:50*3] + "\n> \n" + rule[:50*3],
			true, chat.Split{OK: true, Bottom: 1, Right: 49, State: chat.StateIdle, Scrolled: true}, ""},
		{"a box over the whole width", "│" + strings.Repeat(" ", 58) + "│\n" + rule + "\n  │\n  ✦ So.\n" + rule + "\n> \n" +
			rule, false, chat.Split{OK: true, Bottom: 4, State: chat.StateIdle}, ""},
		{"another program", "$ ls\n" + strings.Repeat("─", 20), false, chat.Split{}, ""},
		{"a rule in a reply", "✦ Hi\n" + rule + "\nmore", false, chat.Split{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 60, c.dump)
			if d := cmp.Diff(split(chat.Screen{Lines: lines, Alt: c.alt}), c.want); d != "" {
				t.Error(d)
			}
			if b, ok := inputBox(lines); ok && b.Text() != c.typed || !ok && c.typed != "" {
				t.Errorf("typed %q, want %q", b.Text(), c.typed)
			}
		})
	}
}

func TestBanner(t *testing.T) {
	for _, c := range []struct {
		name, dump string
		want       chat.Banner
		n          int
	}{
		{"beside the logo", "  ▄▄▄  ┌──────────────────────────────────┐\n  ███  │ >_ Qwen Code (v0.24.4)           │\n" +
			"  ███  │                                  │\n  ███  │ API Key | coder (/model to change) │\n" +
			"  ███  │ ~/shop                           │\n  ▀▀▀  └──────────────────────────────────┘\n",
			chat.Banner{Version: "0.24.4", Model: "coder", Cwd: "~/shop"}, 6},
		{"alone, with round corners",
			"╭─────────────────────╮\n│ >_ Qwen Code (v0.12.0) │\n│ coder (/model to change) │\n│ ~/shop │\n" +
				"╰─────────────────────╯\n", chat.Banner{Version: "0.12.0", Model: "coder", Cwd: "~/shop"}, 5},
		{"begun", "┌──────┐", chat.Banner{}, 0},
		{"half drawn", "┌──────┐\n│ >_ Qwen Code (v0.12.0) │\n│ ~/shop │\n", chat.Banner{}, 0},
		{"another box", "┌──────┐\n│ Tips │\n└──────┘\n", chat.Banner{}, 0},
		{"words in a reply", "a line\n>_ Qwen Code (v0.12.0)\n┘", chat.Banner{}, 0},
		{"the old logo", oldLogo + "\n██╔═══██╗\n\ntext", chat.Banner{}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 60, c.dump)
			got, n := welcome.Banner(lines)
			if d := cmp.Diff(got, c.want); d != "" || n != c.n || n > 0 && !qwenBegins(lines[0].Text) {
				t.Errorf("%d rows, want %d: %s", n, c.n, d)
			}
		})
	}
}

// TestRestOfPrompt shows rows of a prompt that is taller than the window: they are in the colour of
// the prompt above them, as a whole.
func TestRestOfPrompt(t *testing.T) {
	for rest, want := range map[string]string{
		"    ⟦ #cba6f7|of it⟧":                    "user Go|of it",
		"    ⟦ #cba6f7|func⟧ of it":               "user Go; assistant `func` of it",
		"    ⟦b #cba6f7|of it⟧":                   "user Go; assistant ## of it",
		"    of it":                               "user Go; assistant of it",
		"  ⟦ #cba6f7|◆⟧ Well\n    ⟦ #cba6f7|x⟧ y": "user Go; assistant Well|`x` y",
	} {
		lines := rowtest.Dump(t, 60, "  ⟦ #cba6f7|> Go⟧\n"+rest)
		lines[1].Lost = true
		var got []string
		for _, it := range parse(lines) {
			got = append(got, told(it))
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%q: got %q, want %q", rest, got, want)
		}
	}
}

// TestRestOfReply shows rows above which others were never on the screen: they end the prompt above
// them, and are the rest of a reply, without code spans where the colour of these is not known.
func TestRestOfReply(t *testing.T) {
	lines := rowtest.Dump(t, 60, "  ⟦ #cccccc|> Go⟧\n    and its rest\n\n    - an item of it")
	lines[1].Lost = true
	items := parse(lines)
	if len(items) != 2 || told(items[0]) != "user Go" || told(items[1]) != "assistant and its rest||- an item of it" ||
		!items[1].Headless {
		t.Errorf("%+v", items)
	}
}

// TestTableStillToCome shows a table above rows that were never on the screen: what said that it
// was not complete yet is not part of it.
func TestTableStillToCome(t *testing.T) {
	for _, sign := range []string{"… more rows streaming …", "... generating more ..."} {
		lines := rowtest.Dump(t, 60,
			"  > Go\n\n  ⟦ #cccccc|✦⟧ Sizes:\n\n    ┌──────┬──────┐\n    │ Name │ Note │\n    ├──────┼──────┤\n"+
				"    │ a    │ b    │\n    "+sign+"\n    ├──────┼──────┤\n    │ y    │ z    │\n    └──────┴──────┘")
		lines[9].Lost = true
		items := parse(lines)
		if got, want := items[len(items)-1].Markdown,
			"Sizes:\n\n| Name | Note |\n| --- | --- |\n| a | b |\n| y | z |"; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", sign, got, want)
		}
	}
}
