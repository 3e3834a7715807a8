package render_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
)

// terminalText returns the whole example as a terminal shows it.
func terminalText(t *render.Terminal) string {
	tr := example()
	var b strings.Builder
	b.WriteString(t.Head(&tr.Session, [2]string{"Tags", "work"}))
	for _, e := range tr.Entries {
		b.WriteString(t.Entry(e))
	}
	return b.String()
}

var clocks = regexp.MustCompile(`(\w{3} \d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d`) // local times

func TestGoldenTerminal(t *testing.T) {
	g := goldie.New(t, goldie.WithFixtureDir("testdata"), goldie.WithNameSuffix(""))
	all := &render.Terminal{Width: 60, Tools: true, Thinking: true, Events: true}
	g.Assert(t, "terminal.all", []byte(clocks.ReplaceAllString(terminalText(all), "00:00:00")))
	g.Assert(t, "terminal.color", []byte(clocks.ReplaceAllString(terminalText(&render.Terminal{Width: 100, Color: true}),
		"00:00:00")))
}

func TestTerminalMarkdown(t *testing.T) {
	for source, want := range map[string]string{
		"a **b** `c` _d_ ~~e~~":             "a b c d e",
		"# H *i*\n\ntext":                   "# H i\n\ntext",
		"- a\n- b\n  1. c\n  2. d":          "• a\n• b\n  1. c\n  2. d",
		"```go\nfunc a() {\n\tb\n}\n```":    "    func a() {\n        b\n    }",
		"> q\n> r":                          "│ q\n│ r",
		"[l](https://e.org) <https://e.de>": "l (https://e.org) https://e.de",
		"| a | b |\n|---|---|\n| 你好 | 1 |":  "a    │ b\n─────┼──\n你好 │ 1",
		"a &lt; b \\* c <b>x</b>":           "a < b * c <b>x</b>",
		"one\ntwo":                          "one\ntwo",
		"- [x] done":                        "• [x] done",
	} {
		e := &session.Entry{Type: session.TypeMessage, Role: session.RoleAssistant, Markdown: source, Text: source}
		got := (&render.Terminal{}).Entry(e)
		_, got, _ = strings.Cut(strings.Trim(got, "\n"), "\n")
		if diff := cmp.Diff(want, strings.ReplaceAll(strings.TrimPrefix(got, "  "), "\n  ", "\n")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", source, diff)
		}
	}
}

// Whatever a message holds, no control character but our own SGR comes through, and no line is too
// long.
func TestTerminalIsSafe(t *testing.T) {
	ours := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"**", "`", "# ", "- ", "\n", "| a | b |\n|--|--|\n", "\x1b[2J",
			"&#27;", "&#x9b;", "word ", "一二三", "> ", "1. ", "[a](", ")", "\t"}))
		text := strings.Join(words.Draw(t, "words"), "")
		e := &session.Entry{Type: session.TypeMessage, Role: session.RoleAssistant, Markdown: text, Text: text}
		got := (&render.Terminal{Width: 40, Color: true}).Entry(e)
		for _, line := range strings.Split(got, "\n") {
			plain := ours.ReplaceAllString(line, "")
			if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
				t.Fatalf("%q holds a control character", line)
			}
			if strings.Count(line, "\x1b[m") == 0 && line != plain {
				t.Fatalf("%q leaves a style on", line)
			}
			_ = ansi.StringWidth(plain)
		}
	})
}
