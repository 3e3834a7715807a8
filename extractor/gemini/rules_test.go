package gemini

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// dump makes rows of a dump. Those after ⟨lost⟩ were below rows that were never on the screen.
func dump(t *testing.T, cols int, text string) []row.Line {
	var rows []string
	lost := map[int]bool{}
	for _, r := range strings.Split(strings.Trim(text, "\n"), "\n") {
		if r == "⟨lost⟩" {
			lost[len(rows)] = true
		} else {
			rows = append(rows, r)
		}
	}
	lines := rowtest.Dump(t, cols, strings.Join(rows, "\n"))
	for i := range lost {
		lines[i].Lost = true
	}
	return lines
}

// oneLine returns items in a line; ^ marks those without their first rows, … those that are cut.
func oneLine(items []chat.Item) string {
	words := told(items)
	for i, it := range items {
		if it.Headless {
			words[i] = "^" + words[i]
		}
		if it.Truncated || it.Tool != nil && it.Tool.Truncated {
			words[i] += "…"
		}
	}
	return strings.ReplaceAll(strings.Join(words, " ¶ "), "\n", "|")
}

// TestSituations shows situations that users meet and the lab does not record.
func TestSituations(t *testing.T) {
	said := func(s string) string { return "⟦ #cba6f7|✦ ⟧⟦ #cdd6f4|" + s + "⟧\n" }
	asked := func(s string) string { return "⟦ #cba6f7|> ⟧⟦ #6c7086|" + s + "⟧\n\n" }
	bar, ground := strings.Repeat("▄", 50), "⟦ on#5f5f5f|"+strings.Repeat("▀", 50)+"⟧"
	box := func(rows ...string) string {
		return "╭────\n│ " + strings.Join(rows, " │\n│ ") + " │\n╰────\n"
	}
	for _, c := range []struct{ name, dump, want string }{
		{"a wrapped word that looks like a list",
			said("One two three four five six seven eight nine ten") + "  ⟦ #cdd6f4|- eleven⟧",
			"assistant One two three four five six seven eight nine ten - eleven"},
		{"an accent that is the colour of the text",
			"⟦ p15|✦ Look at this text:⟧\n\n   ⟦ p7|1 set⟧ ⟦ p15|-eu⟧\n   ⟦ p7|2 sleep⟧\n",
			"assistant Look at this text:||```|set -eu|sleep|```"},
		{"a terminal without backgrounds that draws all dim",
			"⟦ p5|" + bar + "⟧\n⟦d| > one two⟧\n⟦d|   three⟧\n" + strings.Repeat("▀", 50) + "\n⟦d|✦ So it is.⟧",
			"user one two|three ¶ assistant So it is."},
		{"numbers without a colour", "✦ Look at this text:\n\n   1 code()\n   2 more()",
			"assistant Look at this text:||```|code()|more()|```"},
		{"numbers below lost rows", said("So it is:") +
			"\n   ⟦ #6c7086|1⟧ ⟦ #cba6f7|one()⟧\n⟨lost⟩\n   ⟦ #6c7086|20⟧ ⟦ #cba6f7|more()⟧\n" +
			"   ⟦ #6c7086|21⟧ ⟦ #cba6f7|end()⟧", "assistant So it is:||```|one()|more()|end()|```"},
		{"the rest of the first prompt", "⟨lost⟩\n  ⟦ #767676|of the lock⟧\n  ⟦ #767676|is held.⟧\n\n" + said("So."),
			"^user of the lock|is held. ¶ assistant So."},
		{"the rest of a box in grey", "⟨lost⟩\n⟦ #767676|│ ~/shop │⟧\n⟦ #767676|╰────────╯⟧\n\n" + asked("Go") +
			said("So."), "user Go ¶ assistant So."},
		{"numbers of which the first is lost", said("So:") + "⟨lost⟩\n   ⟦ #6c7086|20⟧ ⟦ #cba6f7|more()⟧",
			"assistant So:||```|more()|```"},
		{"numbers that begin text",
			"⟦ #cba6f7|✦ ⟧⟦b #89b4fa|1 step⟧\n\n  ⟦ #cdd6f4|It has⟧\n\n    ⟦ #cdd6f4|1 worker that waits.⟧",
			"assistant ## 1 step||It has||1 worker that waits."},
		{"a bold code span", said("So:") + "\n  ⟦b #cba6f7|cache.Get⟧\n\n  ⟦ #cdd6f4|Then on.⟧",
			"assistant So:||### `cache.Get`||Then on."},
		{"bold and slanted paragraphs", said("- one") + "\n   ⟦b #cdd6f4|Bold⟧\n\n  ⟦i #cdd6f4|Slanted⟧",
			"assistant - one||**Bold**||*Slanted*"},
		{"a bold line below text", said("Text") + "  ⟦b #cdd6f4|Bold line⟧", "assistant Text|**Bold line**"},
		{"text below a quote", said("> One two three four five six seven eight nine ten") +
			"\n  ⟦ #cdd6f4|Text⟧\n\n  ⟦ #cdd6f4|> quoted⟧\n  ⟦ #cdd6f4|Text⟧\n\n" +
			"  ⟦ #cdd6f4|> One two three four five six seven eight nine ten⟧\n  ⟦ #cdd6f4|eleven⟧",
			"assistant > One two three four five six seven eight nine ten||Text||> quoted||Text||> One two three four five " +
				"six seven eight nine ten eleven"},
		{"a chart of a command", asked("/stats") + "▀▀▀▀▀▀▀▀ 80 %", "command /stats: ▀▀▀▀▀▀▀▀ 80 %"},
		{"a bar that the terminal wrapped", bar + "\n+▄▄\n⟦ on#5f5f5f| > /theme⟧\n" + bar + "\n+▄▄\n\nℹ Done",
			"command /theme: Done"},
		{"a command and a spinner", asked("/theme") + "⠏ Thinking... (esc to cancel, 0s)", "command /theme: "},
		{"a command at the end", asked("/theme"), ""},
		{"rows of nobody", "   1 code()\n\n" + said("So.") + "⟨lost⟩\nwords at the edge", "assistant So."},
		{"a spinner that a resize left, below what is lost",
			"⟨lost⟩\n ⠴ Thinking... (esc to cancel, 0s)\n? for shortcuts\n\n" + said("So."), "assistant So."},
		{"what is left of replies", "⟨lost⟩\n  ⟦ #cdd6f4|ends here.⟧\n\n" + asked("Go") + "⟨lost⟩\n" + said("So."),
			"^assistant ends here. ¶ user Go ¶ assistant So."},
		{"a reply below lost rows", said("One") + "⟨lost⟩\n  ⟦ #cdd6f4|two.⟧\n⟨lost⟩\n  ⟦ #cdd6f4|three.⟧\n\n" +
			asked("Go"), "assistant One||two.||three. ¶ user Go"},
		{"what is left of a prompt", said("So.") + "⟨lost⟩\n⟦ on#5f5f5f|   of it, and more⟧\n⟦ on#5f5f5f|   words⟧\n" +
			bar + "\n" + said("Yes."), "assistant So. ¶ ^user of it, and more|words ¶ assistant Yes."},
		{"the welcome below a command", asked("/theme") + " ▝▜▄     Gemini CLI v0.61.0\n   ▝▜▄\n\nTips", "command /theme: "},
		{"what a command printed", asked("/stats") + "  ⟦d|dim words⟧\n\n   1 number",
			"command /stats:   dim words|   1 number"},
		{"a column at the right", said("Text") + "                          words",
			"assistant Text|                        words"},
		{"code without a sign", bar + "\n⟦ on#5f5f5f| > Go⟧\n" + bar + "\n\n   ⟦ #6c7086|1 ⟧⟦ #cdd6f4|code()⟧",
			"user Go ¶ assistant ```|code()|```"},
		{"code without a sign, and a code span",
			bar + "\n⟦ on#5f5f5f| ⟧⟦ #d7afff on#5f5f5f|>⟧⟦ on#5f5f5f| Go⟧\n" + bar +
				"\n\n   ⟦ #6c7086|1 ⟧⟦ #cdd6f4|code()⟧\n\n  ⟦ #cdd6f4|See the whole of ⟧⟦ #d7afff|it⟧",
			"user Go ¶ assistant ```|code()|```||See the whole of `it`"},
		{"a prompt without its lower bar", bar + "\n⟦ on#5f5f5f| > Go⟧\n" + said("So."), "user Go ¶ assistant So."},
		{"prompts between bars on a ground", ground + "\n⟦ on#5f5f5f| > Go⟧\n" + ground + "\n" + ground +
			"\n⟦ on#5f5f5f| > On⟧\n" + ground, "user Go ¶ user On"},
		{"printed again, rewrapped", said("The same") + "+words\n\n" + said("The same words, and more."),
			"assistant The same words, and more."},
		{"printed again below erased rows", said("The same") + "\n\n\n" + said("The same words, and more."),
			"assistant The same words, and more."},
		{"two replies without a row between them", said("One") + said("Two"), "assistant One ¶ assistant Two"},
		{"prompts of two styles",
			"⟦ #cba6f7|> ⟧⟦ #6c7086|Find it⟧\n  ⟦ #cdd6f4|now⟧\n\n⟦ #cba6f7|> ⟧⟦ #6c7086|One⟧\n\n\n  ⟦ #6c7086|two⟧",
			"user Find it|now ¶ user One|||two"},
		{"a reply like a command", said("/etc/hosts") + "\n\n" + said("So."), "assistant /etc/hosts ¶ assistant So."},
		{"a command with its answer, and a reply", asked("/stats") + "ℹ Session\n\n" + said("So."),
			"command /stats: Session ¶ assistant So."},
		{"thoughts", asked("/plan it") + " Thinking...\n │ One.\n │ Two.\n\n" + said("So."),
			"user /plan it ¶ thinking One.|Two. ¶ assistant So."},
		{"a table's piece above text", said("Look:") + "\n  ⟦ #cdd6f4|│ a⟧\n  ⟦ #cdd6f4|words⟧",
			"assistant Look:||│ a|words"},
		{"a heading that is wrapped in code", said("Look:") +
			"\n  ⟦b #cdd6f4|Five. Assigned to those who are quiet:⟧ ⟦b #cba6f7|Unassign⟧\n  ⟦b #cba6f7|Assignees⟧\n\n" +
			"  ⟦ #cdd6f4|So.⟧", "assistant Look:||### Five. Assigned to those who are quiet: `Unassign Assignees`||So."},
		{"code of comments for the most part", said("Look.") +
			"\n\n   ⟦ #6c7086|1⟧ ⟦ #6c7086|// The cache is flushed first.⟧\n" +
			"   ⟦ #6c7086|2⟧ ⟦ #6c7086|// It is filled by the next call.⟧\n   ⟦ #6c7086|3⟧ ⟦ #cdd6f4|flush()⟧",
			"assistant Look.||```|// The cache is flushed first.|// It is filled by the next call.|flush()|```"},
		{"a heading of code at the end", said("Look.") + "\n\n  ⟦i #cba6f7|bin-links⟧", "assistant Look.||#### `bin-links`"},
		{"a link in a table whose address did not fit", said("Look:") +
			"\n  ┌──────────────────┬────────────┐\n  │ Signature        │ Usage      │\n" +
			"  ├──────────────────┼────────────┤\n  │ one(a)           │ internal   │\n" +
			"  │ (https://a.test) │ function   │\n  └──────────────────┴────────────┘",
			"assistant Look:||| Signature | Usage ||| --- | --- ||| one(a) (https://a.test) | internal function |"},
		{"a table with an empty row", said("Look:") +
			"\n  ┌───┬───┐\n  │ a │ b │\n  ├───┼───┤\n  │ 1 │ 2 │\n  │   │   │\n  ├───┼───┤\n  │   │   │\n  └───┴───┘",
			"assistant Look:||| a | b ||| --- | --- ||| 1 | 2 |||  |  |"},
		{"a mended table above text", said("Look:") +
			"\n  ┌───┬──\n  ─┐\n  │ a │ b\n  │\n  ├───┼──\n  ─┤\n  │ 1 │ 2\n  │\n\n  ⟦ #cdd6f4|So.⟧",
			"assistant Look:||| a | b ||| --- | --- ||| 1 | 2 |||So."},
		{"a box that the terminal wrapped", asked("/about") + "╭────\n│ long\n+er text │\n╰────",
			"command /about: long text"},
		{"an output that says what Gemini says at its end",
			"╭────\n│ ✓  ⟦b|Shell⟧ cat │\n│ │\n│ Agent powering down. Goodbye! │\n╰────\n" + said("So."),
			"tool Shell(cat) ok: Agent powering down. Goodbye! ¶ assistant So."},
		{"an open box", "╭────\n│ ✓  ⟦b|Shell⟧ ls │\n" + said("So."), "tool Shell(ls) ok:  ¶ assistant So."},
		{"a composer in a box that a resize left behind", asked("/about") + "╭────\n│ > half⟦v| ⟧ │\n╰────\n\nℹ Done",
			"command /about: Done"},
		{"signs in a tool's output", box("✓  ⟦b|Shell⟧ ls [a]", "", "text", "✓  ⟦b|bold⟧", "", "✓ words", "", "x-⟦b|ray⟧",
			"", " ✓ ⟦b|tick⟧") + box("✓  ⟦b|Shell⟧ ls [current wor…"),
			"tool Shell(ls [a]) ok: text|✓  bold||✓ words||x-ray|| ✓ tick ¶ tool Shell(ls) ok: "},
		{"signs of a command's output", asked("/mcp") + "✓ a  ⟦b|tool⟧\n\nx-1⟦b|ray⟧", "command /mcp: ✓ a  tool|x-1ray"},
		{"an edit that waits", box("Action Required", "", "?  ⟦b|Edit⟧ main.go", "", "1 - old", "1 + new"),
			"tool Edit(main.go) running: "},
		{"a command that waits", box("?  ⟦b|Shell⟧ rm", "", "rm -rf x", "", "Do it?"), "tool Shell(rm -rf x) running: "},
		{"groups of tools", box("✓  ⟦b|Shell⟧ ls", "", "... first 2 lines hidden ...", "text", "... text", "",
			"-  ⟦b|Edit⟧ a.go") + box("About", "", "✓  ⟦b|Shell⟧ ls"),
			"tool Shell(ls) ok: text|... text… ¶ tool Edit(a.go) rejected: "},
		{"tools without a box",
			"  ✓  ⟦b|Edit⟧  main.go → Rejected\n\n  ⊷  ⟦b|Edit⟧  main.go: old => new\n\n  ✓  ⟦b|Grep⟧  a: b\n\n" +
				"  ✓  ⟦b|Read⟧  main.go\n   → Read all\n      rows of te\n+xt\n      more\n\n  ⊷  ⟦b|Grep⟧  a: c\n\n" +
				"  ✓  ⟦b|Grep⟧  a: b => c",
			"tool Edit(main.go) rejected: Rejected ¶ tool Edit(main.go) running:  ¶ tool Grep(a: b) ok:  ¶ tool " +
				"Read(main.go) ok: Read all|    rows of text|    more ¶ tool Grep(a: c) running:  ¶ tool Grep(a: b => c) ok: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, oneLine(parse(dump(t, 50, c.dump)))); d != "" {
				t.Errorf("items (-want +got):\n%s", d)
			}
		})
	}
}

// TestOpen shows what may still grow: what is last, and a tool that runs.
func TestOpen(t *testing.T) {
	for _, c := range []struct{ dump, want string }{
		{"✦ One\n\n✦ Two", "01"},
		{"  ✓  ⟦b|Read⟧  a\n\n  ⊷  ⟦b|Read⟧  b\n\n  ✓  ⟦b|Read⟧  c", "011"},
	} {
		got := ""
		for _, it := range parse(dump(t, 50, c.dump)) {
			got += map[bool]string{true: "1", false: "0"}[it.Open]
		}
		if got != c.want {
			t.Errorf("%q: open %s, want %s", c.dump, got, c.want)
		}
	}
}

// TestSplit shows screens that the lab does not record, and what is typed there.
func TestSplit(t *testing.T) {
	bar := strings.Repeat("▄", 50)
	input := bar + "\n⟦ on#5f5f5f| > half typed⟧⟦v on#5f5f5f| ⟧\n" + strings.Repeat("▀", 50) + "\n footer\n"
	idle := func(bottom int) chat.Split { return chat.Split{OK: true, Bottom: bottom, State: chat.StateIdle} }
	for _, c := range []struct {
		name, dump string
		alt        bool
		want       chat.Split
		typed      string
	}{
		{"another program", "$ ls\n> x⟦v| ⟧\n > y⟦v| ⟧", true, chat.Split{}, ""},
		{"bars of a wider window", "✦ So.\n" + bar + "\n+" + input, false, idle(1), "half typed"},
		{"the end of such a bar on top", "+" + input, false, idle(0), "half typed"},
		{"a rule in a reply", "✦ So.\n\n  ⟦d|---⟧\n  ⟦d|queued⟧\n" + input, false, idle(3), "half typed"},
		{"a mode", "✦ So.\n YOLO Ctrl+Y\n" + input, false, idle(1), "half typed"},
		{"a box that is dim", "⟦d|╰───╯⟧\n" + input, false, idle(1), "half typed"},
		{"a question above the composer", "✦ So.\n╭────\n│ ? Shell │\n│ ● 1. Yes │\n╰────\n" + input, false,
			chat.Split{OK: true, Bottom: 5, State: chat.StateAsking}, "half typed"},
		{"a menu", "✦ So.\n╭────\n│ ╭──── │\n│ │ ● 1. Yes │ │\n│ ● 2. No │\n╰────\n", false,
			chat.Split{OK: true, Bottom: 2, State: chat.StateAsking}, ""},
		{"choices in a reply", "╭────\n│ ? Shell │\n│ ● 1. Yes │\n✦ So.", false, chat.Split{}, ""},
		{"choices without a question", "│ ? Shell │\n╰────\n╭────\n│ ● 1. Yes │\n╰────\n", false, chat.Split{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 50, c.dump)
			if d := cmp.Diff(c.want, split(chat.Screen{Lines: lines, Alt: c.alt})); d != "" {
				t.Errorf("split (-want +got):\n%s", d)
			}
			if b, ok := inkcli.InputBox(lines); ok != (c.typed != "") || ok && b.Text() != c.typed {
				t.Errorf("typed %q, want %q", b.Text(), c.typed)
			}
		})
	}
}

// TestScreenReaderView shows the view for screen readers.
func TestScreenReaderView(t *testing.T) {
	const composer = "> ⟦v| ⟧ Type your message or @path/to/file"
	for _, c := range []struct{ name, dump, want string }{
		{"words that are no labels", "User:  Go\nModel:  See\nUser\nSuccess:none",
			"user Go ¶ assistant See||User||Success:none"},
		{"the end", "Model:  So.\n⟦b|Agent powering down. Goodbye!⟧\nModel Req", "assistant So."},
		{"the end below a command", "User:  /stats\n⟦b|Agent powering down. Goodbye!⟧\nModel Req", "command /stats: "},
		{"a footer below a command", "User:  /help\n" + workspace + "\n~/shop\n" + composer + "\nhelp",
			"command /help: help"},
		{"a long prompt and an item's sign",
			"User:  One\nOne two three four five six seven eight nine ten ab\nten\nModel:  One\n* two",
			"user One|One two three four five six seven eight nine ten ab|ten ¶ assistant One||* two"},
		{"words of the end in a reply", "Model:  So.\nAgent powering down. Not.", "assistant So.||Agent powering down. Not."},
		{"cancelled", "Model:  Half\nRequest cancelled.\n\nModel:  Half\nℹ Request cancelled.",
			"assistant Half ¶ !cli:interrupted ¶ assistant Half ¶ !cli:interrupted"},
		{"a command, a footer in a frame, and a reply",
			"User:  /help\n" + spokenNotice + "\nmore of it\n" + composer + "\nhelp\nModel:  So.",
			"command /help: help ¶ assistant So."},
		{"footers", "Model:  So\n" + spokenNotice + "\n⠏ Thinking (esc to cancel, 0s)\nModel:  So it is.\n" + workspace +
			"\n~/shop\nModel:  On.\n" + composer, "assistant So it is. ¶ assistant On."},
		{"a reply that grows below a footer", "User:  Go\n" + workspace +
			"\n~/shop\nModel:  So:\none two three four five six seven eight nine ten\neleven.",
			"user Go ¶ assistant So:|one two three four five six seven eight nine ten eleven."},
		{"a command that the terminal wrapped, and one of the shell", "User:  /a b\n+c\nUser:  ! ls\nUser:  one\ntwo",
			"command /a bc:  ¶ command !ls:  ¶ user one|two"},
		{"headings and code", "Model:  ⟦ #89b4fa|Title⟧\n⟦ #cba6f7|code⟧\n⟦ #a6e3a1|green⟧\n⟦ #89b4fa|https://x.test⟧\n" +
			"⟦ #89b4fa|blue⟧ and ⟦ #f9e2af|not⟧", "assistant ## Title||`code`||green||https://x.test||blue and not"},
		{"lists, numbers, tables and quotes", "Model:  See:\n-  one\n-  two\n1 code()\n2 more()\n0 none\n> quoted\n- word",
			"assistant See:||- one|- two||```|code()|more()|```||0 none||> quoted||- word"},
		{"a tool that runs", "Model:  So.\n⊶ ⟦b|Shell⟧ ⟦ #808080|ls⟧\n⟦ #808080|-1⟧\nmain.go\nUser:  Go",
			"assistant So. ¶ tool Shell(ls|-1) running: main.go ¶ user Go"},
		{"calls", "Success: ⟦b|Shell⟧  ls\nmain.go\nError: ⟦b|Shell⟧ ⟦ #808080|make⟧\n⟦ #808080|no⟧ rule\n" +
			"Success: Edit  main.go → Accepted\nConfirming: ⟦b|Edit⟧ a",
			"tool Shell(ls) ok: main.go ¶ tool Shell(make) error: no rule ¶ tool Edit(main.go) ok: Accepted ¶ tool Edit(a) " +
				"running: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, oneLine(spokenParse(dump(t, 50, c.dump)))); d != "" {
				t.Errorf("items (-want +got):\n%s", d)
			}
		})
	}
	for _, c := range []struct {
		name, dump string
		want       chat.Split
		banner     chat.Banner
		n          int
	}{
		{"a welcome", "~/shop no sandbox (see /docs)\n" + composer, chat.Split{OK: true, State: chat.StateIdle},
			chat.Banner{Cwd: "~/shop"}, 1},
		{"busy", "Model:  So\n⠏ Thinking (esc to cancel, 0s)\n" + composer,
			chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}, chat.Banner{}, 0},
		{"something typed", workspace + "\n~/shop\n> x⟦v| ⟧", chat.Split{OK: true, Bottom: 2, State: chat.StateIdle},
			chat.Banner{}, 0},
		{"a reply above", workspace + "\nModel:  So\n" + composer, chat.Split{OK: true, Bottom: 2, State: chat.StateIdle},
			chat.Banner{}, 0},
		{"a prompt above", workspace + "\nUser:  Go\n" + composer, chat.Split{OK: true, Bottom: 2, State: chat.StateIdle},
			chat.Banner{}, 0},
		{"a call above", workspace + "\nSuccess: Edit  a\n" + composer,
			chat.Split{OK: true, Bottom: 2, State: chat.StateIdle}, chat.Banner{}, 0},
		{"a question", "Confirming:  Shell ls\n1. Allow once\n● 1. Allow once",
			chat.Split{OK: true, Bottom: 3, State: chat.StateAsking}, chat.Banner{}, 0},
		{"another program", "$ ls\n~/shop no sandbox", chat.Split{}, chat.Banner{}, 0},
		{"text", "$ ls\n" + composer, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}, chat.Banner{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 50, c.dump)
			if d := cmp.Diff(c.want, spokenSplit(chat.Screen{Lines: lines})); d != "" {
				t.Errorf("split (-want +got):\n%s", d)
			}
			if b, n := spokenBanner(lines); n != c.n || b != c.banner {
				t.Errorf("got %+v, %d lines, want %+v, %d", b, n, c.banner, c.n)
			}
		})
	}
}
