package codex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// summary writes items one a line, in the words that the tests compare.
func summary(items []chat.Item) string {
	var b strings.Builder
	for _, it := range items {
		switch {
		case it.Event != "":
			fmt.Fprintf(&b, "event %s\n", it.Event)
		case it.Tool != nil:
			fmt.Fprintf(&b, "tool %s %s [%s]", it.Tool.Status, it.Tool.Name, it.Tool.Input)
			if it.Tool.Output != "" {
				fmt.Fprintf(&b, " %q", it.Tool.Output)
			}
			if it.Tool.Truncated {
				b.WriteString(" truncated")
			}
			b.WriteByte('\n')
		default:
			fmt.Fprintf(&b, "%s %q", it.Role, it.Markdown)
			if it.Output != "" {
				fmt.Fprintf(&b, " -> %q", it.Output)
			}
			if it.Partial {
				b.WriteString(" partial")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestCodexParse(t *testing.T) {
	tests := []struct {
		name string
		cols int
		dump string
		want string
	}{
		{"0.29: marks of its own, code without blank lines", 60, `
⟦d p6|▌⟧⟦d|Show me⟧
⟦d p6|▌⟧⟦d|  two lines⟧

> The cache drops ⟦b|a nil pointer⟧; see ⟦ p15 onp0|user_id⟧ and some more
  words that were wrapped.

  - one item
  services:
    api:
      ports: ["8080:8080"]
  The migration is done now.

  > A quote that is long enough to be wrapped at the edge of
  the window.

⟦b|•⟧ ⟦b|Explored⟧
⟦d|  └ ⟧⟦ p6|List⟧ ls -1
    ⟦ p6|Read⟧ main.go, go.mod

⟦b p2|•⟧ ⟦b|Ran⟧
⟦d|  └ ⟧printf hello &&
    true

⟦b p1|🖐 ⟧ Tell the model what to do differently
`, `user "Show me\n  two lines"
assistant "The cache drops **a nil pointer**; see ` + "`user_id`" + ` and some more words that were wrapped.\n\n- ` +
			`one item\n\n` + "```\\nservices:\\n  api:\\n    ports: [\\\"8080:8080\\\"]\\n```" + `\n\nThe migration is done ` +
			`now.\n\n> A quote that is long enough to be wrapped at the edge of the window."
tool ok List [ls -1]
tool ok Read [main.go]
tool ok Read [go.mod]
tool ok Ran [printf hello &&
true]
event cli:interrupted
`},
		{"0.4x to 0.9x: cells by their bullets", 90, `

⟦bd|› ⟧Second question

  with a blank line
    and indentation


⟦d|• ⟧⟦di|I should think about the cache first.⟧

⟦d|• ⟧● not a tool

  › not a prompt

  Done with the write-ahead log, the retry budget, the session map and the well-known write-
  ahead log.

⟦b p2|•⟧ ⟦b|Ran⟧ cat <<'EOF' > notes.txt
⟦d|  │ ⟧line one of the notes
⟦d|  │ ⟧⟦d|… +2 lines⟧
⟦d|  └ ⟧⟦d|1⟧
    ⟦d|2⟧
    ⟦d|… +36 lines⟧
    ⟦d|40⟧

⟦b p1|•⟧ ⟦b|Ran⟧ exit 3
⟦d|  └ (no output)⟧

⟦d|• ⟧⟦b|Edited⟧ main.go (⟦ p2|+2⟧ ⟦ p1|-1⟧)
    ⟦d|8⟧
    ⟦d|9 ⟧⟦ p1|-old⟧
    ⟦d|9 ⟧⟦ p2|+new and a line that is cut at the edge of the window, since it is far too long f⟧
    ⟦d|  ⟧⟦ p2| or it⟧

⟦d|─ Worked for 1s ──────────────────────────────────────────────────────────────────────────⟧

⟦d|• ⟧⟦b|Edited⟧ is a word, not a call.
`, `user "Second question\n\nwith a blank line\n  and indentation"
thinking "I should think about the cache first."
assistant "● not a tool\n\n› not a prompt\n\nDone with the write-ahead log, the retry budget, the session map and ` +
			`the well-known write-ahead log."
tool ok Ran [cat <<'EOF' > notes.txt
line one of the notes
…] "1\n2\n… +36 lines\n40" truncated
tool error Ran [exit 3]
tool ok Edited [main.go] "8\n9 -old\n9 +new and a line that is cut at the edge of the window, since it is far too ` +
			`long for it"
assistant "**Edited** is a word, not a call."
`},
		{"code by its words alone", 60, `
⟦d|• ⟧Here is the tree:

  shop/
  ├── cmd/
  │   └── main.go
  └── README.md

  And a Go file:

  package main

  func main() {
        if true {
                return
        }

        x := 1
  }

  Run this:

  npm install left-pad

  1. not a list, it has no colour
  ⟦ p12|2. ⟧a list
`, "assistant \"Here is the tree:\\n\\n```\\nshop/\\n├── cmd/\\n│   └── main.go\\n└── README.md\\n```\\n\\n" +
			"And a Go file:\\n\\n```\\npackage main\\n\\nfunc main() {\\n    if true {\\n        return\\n    }\\n\\n" +
			"    x := 1\\n}\\n```\\n\\nRun this:\\n\\n```\\nnpm install left-pad\\n```\\n\\n" +
			"1. not a list, it has no colour\\n2. a list\"\n"},
		{"0.16x: theme colours, footnotes, folded calls", 60, `
⟦ #eeeeee on#444444| ⟧⟦ on#444444|                                                           ⟧
⟦bd #eeeeee on#444444|› ⟧⟦ #eeeeee on#444444|> quoted start⟧⟦ on#444444|                      ⟧
⟦ #eeeeee on#444444| ⟧⟦ on#444444|                                                           ⟧

⟦d|• ⟧⟦b #fab387|## Risks⟧

  Each worker batches ⟦b #f38ba8|two stale rows⟧; see ⟦ #a6e3a1|SIGTERM⟧.

  ⟦ #94e2d5|• ⟧• dot
  ⟦ #94e2d5|    • ⟧● disc

⟦ #f5c2e7|  > A quote.⟧

  ⟦ #89b4fa|set⟧⟦ #cdd6f4| -euo pipefail⟧
  ⟦ #cba6f7|done⟧

  ● exactly. A stale token skips the budget.
⟦d|  └ ⟧⟦b #f38ba8|Tip:⟧ Use ⟦b #f38ba8|/rename⟧ to rename your threads.

⟦d|  Worked for <1s • 23:35⟧

⟦d|•⟧ ⟦b|Explored⟧
⟦d|  └ ⟧⟦ #63a8f8|Search⟧ version⟦d| in ⟧main.go
⟦d|    + Show details⟧

⟦ p5|/status⟧

  ⟦ #63a8f8|>_ ⟧⟦b|OpenAI Codex⟧⟦d| (v0.169.0)⟧

⟦d|  Model:  ⟧gpt-5
⟦d|  Limits:  data not available yet⟧

⟦ p2|✔ ⟧You ⟦b|approved⟧ codex to run ⟦d|touch a⟧⟦b| this time⟧

⟦ p1|✗ ⟧You ⟦b|canceled⟧ the request to run ⟦d|touch b⟧

⟦b p1|•⟧ ⟦b|Exited (status 1)⟧ ⟦ #89b4fa|touch⟧⟦ #cdd6f4| b⟧

⟦b p1|•⟧ ⟦b|Exited (status 2)⟧ ⟦ #89b4fa|touch⟧⟦ #cdd6f4| c⟧

⟦ p1|■ Conversation interrupted - tell the model what to do differently.⟧
`, `user "> quoted start"
assistant "## Risks\n\nEach worker batches **two stale rows**; see ` + "`SIGTERM`" + `.\n\n- • dot\n  - ● disc\n\n> ` +
			`A quote.\n\n` + "```\\nset -euo pipefail\\ndone\\n```" + `\n\n● exactly. A stale token skips the budget."
tool ok Search [version in main.go]
command "` + "`/status`" + `" -> "  >_ OpenAI Codex (v0.169.0)\n\n  Model:  gpt-5\n  Limits:  data not available yet"
system "You approved codex to run touch a this time"
tool rejected Run [touch b]
tool error Ran [touch c]
event cli:interrupted
`},
		{"a new chat", 60, `
⟦bd|› ⟧Go

⟦d|• ⟧Gone.

Token usage: total=450 input=300 output=150
To continue this session, run codex resume 01a20e54-26c2-7c7
2-999d-0c45899f6122

╭───────────────────────────────────────────────╮
│ ⟦d|>_ ⟧⟦b|OpenAI Codex⟧⟦d| (v0.98.0)⟧                    │
│                                               │
│ ⟦d|model:⟧     gpt-5.2-codex   ⟦p6|/model⟧⟦d| to change⟧   │
│ ⟦d|directory:⟧ ~/shop                             │
╰───────────────────────────────────────────────╯

⟦bd|› ⟧Go

⟦d|• ⟧Gone.
`, `user "Go"
assistant "Gone."
event cli:clear
user "Go"
assistant "Gone."
`},
		{"what the user stopped", 60, `
⟦bd|› ⟧Go

⟦d|• ⟧One line.
  Two

⟦ p1|■ Conversation interrupted - tell the model what to do differently.⟧
Token usage: total=450 input=300 output=150
To continue this session, run ⟦ p6|codex resume 01a1⟧
`, `user "Go"
assistant "One line.\nTwo" partial
event cli:interrupted
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := summary(cells.Parse(rowtest.Dump(t, tt.cols, tt.dump)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCodexParseResumes(t *testing.T) {
	lines := rowtest.Dump(t, 60, `
⟦bd|› ⟧Go

⟦d|•⟧ ⟦b|Explored⟧
⟦d|  └ ⟧⟦ p6|List⟧ ls -1
    ⟦ p6|Read⟧ main.go, go.mod

⟦d|• ⟧Done.
`)
	all := cells.Parse(lines)
	for k, it := range all {
		if it.First == it.End {
			continue // it is read with the item before
		}
		if diff := cmp.Diff(summary(all[k:]), summary(cells.Parse(lines[it.First:]))); diff != "" {
			t.Errorf("from item %d: %s", k, diff)
		}
	}
}

func TestCodexSplit(t *testing.T) {
	tests := []struct {
		name string
		alt  bool
		dump string
		want chat.Split
	}{
		{"composer", false, `
⟦d|• ⟧Done.


⟦b|›⟧ ⟦d|Explain this codebase⟧

  ⟦d|? for shortcuts⟧
`, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"works, prompts wait", false, `
⟦bd|› ⟧Go

⟦b #808080|•⟧ ⟦b|Working⟧ ⟦d|(3s • esc to interrupt)⟧

⟦d|  ↳ and then this⟧

⟦b|›⟧ Half a pro
`, chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}},
		{"0.29", false, `
> Done.

⟦ p6|▌⟧/qu
⟦d|▌⟧⟦b p6|/quit  ⟧⟦bd p6|exit Codex⟧
`, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"prompts wait, their title wrapped", false, `
⟦d|• ⟧Text comes in.

⟦d|• ⟧Messages to be submitted after next tool call⟦d| (press esc to⟧
⟦d|  interrupt and send immediately)⟧
⟦d|  ↳ and then this⟧

⟦b|›⟧ ⟦d|Ask⟧
`, chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"dialog", false, `
⟦d|• ⟧I will.

  ⟦b|Would you like to run the following command?⟧

  $ touch made.txt

⟦b p6|› 1. Yes, proceed (y)⟧
  2. No (esc)

  Press enter to confirm or esc to cancel
`, chat.Split{OK: true, Bottom: 1, State: chat.StateAsking}},
		{"scrolled back, prompt pinned", true, `
⟦bd #eeeeee on#444444|› ⟧⟦ #eeeeee on#444444|Go⟧⟦ on#444444|       ⟧
  text of a reply
  more of it
          ⟦ #63a8f8|↓ Back to bottom · esc⟧

⟦b|›⟧ ⟦d|Ask Codex to do anything⟧
`, chat.Split{OK: true, Top: 1, Bottom: 3, Scrolled: true}},
		{"popup", true, `
⟦d|• ⟧Done.

⟦d|  Worked for <1s • 23:35⟧
  /model  choose
⟦bv|› /quit  ⟧⟦v|exit Codex⟧

⟦b|›⟧ /quit
`, chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"prompt pinned, no colours", true, `
⟦bd|› ⟧Go

  text of a reply

⟦d|  Worked for <1s • 23:35⟧

⟦b|›⟧ ⟦d|Ask Codex to do anything⟧
`, chat.Split{OK: true, Top: 1, Bottom: 5, State: chat.StateIdle}},
		{"prompt on the first row, no colours", true, `
⟦bd|› ⟧Go
  on


⟦d|• ⟧Yes

⟦b|›⟧ ⟦d|Ask Codex to do anything⟧
`, chat.Split{OK: true, Bottom: 5, State: chat.StateBusy}},
		{"transcript", true, "⟦d|/ T R A N S C R I P T / / / / / /⟧\n\n⟦bd|› ⟧Go", chat.Split{OK: true, Overlay: true}},
		{"a path on another screen", false, "/ is the root\n$", chat.Split{}},
		{"a status row that was left behind", false,
			"⟦d|• ⟧⟦b|Working⟧ ⟦d|(3s • esc to interrupt)⟧\n\n⟦d|• ⟧So.\n\n⟦b|›⟧ ⟦d|Ask⟧",
			chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"a prompt in the first row of the main screen", false,
			"⟦bd #eeeeee on#444444|› ⟧⟦ #eeeeee on#444444|Go⟧\n\n⟦d|• ⟧So.\n\n⟦b|›⟧ ⟦d|Ask⟧",
			chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"a question below the welcome", true,
			"  >_ ⟦b|OpenAI Codex⟧⟦d| (v0.169.0)⟧\n     ⟦d|~/shop⟧\n\n  ⟦b|Trust it?⟧\n\n⟦b|› 1. Yes⟧", chat.Split{OK: true,
				Bottom: 2, State: chat.StateAsking}},
		{"a question on a screen of its own", true, "  ⟦b|Trust it?⟧\n\n⟦b|› 1. Yes⟧",
			chat.Split{OK: true, State: chat.StateAsking, Overlay: true}},
		{"a dialog below a composer that was left behind", false,
			"⟦b|›⟧ old\n\n⟦bd|› ⟧Go\n\n  ⟦b|Run it?⟧\n\n⟦b p6|› 1. Yes⟧\n  2. No",
			chat.Split{OK: true, Bottom: 3, State: chat.StateAsking}},
		{"a number below a reply", false, "⟦d|• ⟧So\n\n1. one", chat.Split{}},
		{"a dialog below a reply with bold words", false,
			"⟦d|• ⟧I will.\n  ⟦b|Bold words⟧ of it\n\n⟦d|• ⟧Next\n  line\n\n  ⟦b|Run it?⟧\n\n⟦b p6|› 1. Yes⟧",
			chat.Split{OK: true, Bottom: 5, State: chat.StateAsking}},
		{"0.29: two rows", false, "> Done.\n⟦ p6|▌⟧one\n⟦ p6|▌⟧two", chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"a shell command is typed", false, "⟦d|• ⟧So.\n\n⟦b|! ⟧ls", chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"a row that begins like one", false, "⟦d|• ⟧So.\n\n! ls", chat.Split{}},
		{"a list without a composer", false, "⟦d|• ⟧So.\n\n⟦bv|› one⟧\n  two", chat.Split{}},
		{"options with letters", false, "  ⟦b|Which?⟧\n\na. one", chat.Split{}},
		{"a number", false, "  ⟦b|Which?⟧\n\n10 one", chat.Split{}},
		{"a prompt that begins like an option", false, "⟦d|• ⟧So.\n\n⟦b|›⟧ 1. one",
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}},
		{"a turn has ended, a command speaks", true,
			"  text\n⟦bd|› ⟧Go\n\n⟦d|• ⟧So.\n\n⟦d|  Worked for 1s • 23:35⟧\n\n⟦d|• ⟧Model changed to x\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n" +
				"  gpt-5", chat.Split{OK: true, Bottom: 8, State: chat.StateIdle}},
		{"a turn has ended, an agent speaks", true,
			"  text\n⟦bd|› ⟧Go\n\n⟦d|• ⟧So.\n\n⟦d|  Worked for 1s • 23:35⟧\n\n⟦d|• ⟧So?\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5",
			chat.Split{OK: true, Bottom: 8, State: chat.StateIdle}},
		{"a prompt waits below the status row", false,
			"⟦d|• ⟧Text:\n  ↳ of a reply\n\n⟦d|• ⟧⟦b|Working⟧ ⟦d|(3s • esc to interrupt)⟧\n\n⟦d|  ↳ and then this⟧\n\n" +
				"⟦b|›⟧ ⟦d|Ask⟧", chat.Split{OK: true, Bottom: 2, State: chat.StateBusy}},
		{"signs of a reply", false, "⟦d|• ⟧Text:\n  ↳ of a reply\n\n⟦b p2|•⟧ ⟦b|Ran⟧ ls\n\n⟦b|›⟧ ⟦d|Ask⟧",
			chat.Split{OK: true, Bottom: 4, State: chat.StateIdle}},
		{"a pinned prompt above a reply that fills the window", true,
			"⟦bd|› ⟧Go\n  text of a reply\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5", chat.Split{OK: true, Bottom: 2, State: chat.StateBusy}},
		{"a prompt without an answer", true, "⟦bd|› ⟧Go\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5",
			chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}},
		{"a prompt pinned right above a reply of one row", true, "⟦bd|› ⟧Go\n⟦d|• ⟧So.\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5",
			chat.Split{OK: true, Top: 1, Bottom: 2, State: chat.StateBusy}},
		{"a prompt pinned without its sign", true, "Go\n  text of a reply\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5",
			chat.Split{OK: true, Top: 1, Bottom: 2, State: chat.StateBusy}},
		{"a reply at the top", true, "  text of a reply\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5",
			chat.Split{OK: true, Bottom: 1, State: chat.StateBusy}},
		{"a rule at the top", true, "⟦d|─ Worked for 1s ─⟧\n\n  text of a reply\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5",
			chat.Split{OK: true, Bottom: 3, State: chat.StateIdle}},
		{"another program", false, "$ ls\nREADME.md\n$", chat.Split{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := split(chat.Screen{Lines: rowtest.Dump(t, 60, tt.dump), Alt: tt.alt})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSideChat shows that what is behind a stroke over all rows is another conversation, and that
// what is behind strokes over some rows is not.
func TestSideChat(t *testing.T) {
	side := func(rows ...string) string {
		for i, text := range rows {
			left, right, _ := strings.Cut(text, "/")
			rows[i] = left + strings.Repeat(" ", 36-row.Width(left)) + "│" + right
		}
		return strings.Join(rows, "\n")
	}
	for _, c := range []struct {
		name, text    string
		right, bottom int
	}{
		{"a side chat", side("• So it is, and/ Side chat ×", "  that is it./", "/› which port", "/", "/• Port 8080",
			"› /› Ask a", "/", "  gpt · ~/shop/"), 36, 2},
		{"strokes over some rows", "• So:\n\n  a" + strings.Repeat(" ", 33) + "│ b\n\n› Ask\n\n  gpt · ~/shop", 0, 3},
	} {
		lines := rowtest.Plain(60, strings.Split(c.text, "\n")...)
		for i, l := range lines {
			if strings.HasPrefix(l.Text, "› ") {
				lines[i] = rowtest.Dump(t, 60, "⟦b|"+l.Text+"⟧")[0]
			}
		}
		sp := split(chat.Screen{Lines: lines, Alt: true})
		if !sp.OK || sp.Right != c.right || sp.Bottom != c.bottom {
			t.Errorf("%s: %+v", c.name, sp)
		}
	}
}

func TestCodexBanner(t *testing.T) {
	box := `
⟦d|╭─────────────────────────────────────────────╮⟧
⟦d|│ >_ ⟧⟦b|OpenAI Codex⟧⟦d| (v0.98.0)                   │⟧
⟦d|│                                             │⟧
⟦d|│ model:     ⟧%s⟦d|   ⟧⟦ p6|/model⟧⟦d| to change │⟧
⟦d|│ directory: ⟧~/shop⟦d|                           │⟧
⟦d|╰─────────────────────────────────────────────╯⟧`
	tests := []struct {
		name string
		dump string
		want chat.Banner
		n    int
	}{
		{"box", fmt.Sprintf(box, "gpt-5.2-codex"), chat.Banner{Version: "0.98.0", Model: "gpt-5.2-codex", Cwd: "~/shop"}, 6},
		{"box that will be drawn again", fmt.Sprintf(box, "loading"), chat.Banner{}, 0},
		{"box without its bottom", strings.TrimSuffix(fmt.Sprintf(box, "gpt-5"),
			"\n⟦d|╰─────────────────────────────────────────────╯⟧"), chat.Banner{}, 0},
		{"box above rows of a box", fmt.Sprintf(box, "gpt-5") + "\nx\ny │\n╰─╯",
			chat.Banner{Version: "0.98.0", Model: "gpt-5", Cwd: "~/shop"}, 6},
		{"box of something else", "╭──────────╮\n│ model: x │\n╰──────────╯", chat.Banner{}, 0},
		{"alternate screen with its footer",
			"  ⟦ #63a8f8|>_ ⟧⟦b|OpenAI Codex⟧⟦d| (v0.169.0)⟧\n     ⟦d|~/shop⟧\n\n⟦b|›⟧ ⟦d|Ask⟧\n\n  gpt-5 high · ~/shop\n" +
				"  ? for shortcuts", chat.Banner{Version: "0.169.0", Cwd: "~/shop", Model: "gpt-5 high"}, 2},
		{"box in a narrow window", `
⟦d|╭──────────────────────────────⟧
⟦d|───────────────╮⟧
⟦d|│ >_ ⟧⟦b|OpenAI Codex⟧⟦d| (v0.98.0)⟧
⟦d|│⟧
⟦d|│⟧
⟦d|│⟧
⟦d|│ model:     ⟧gpt-5.2-codex⟦d|   ⟧⟦ p6|/model⟧
⟦d|to change │⟧
⟦d|│ directory: ⟧~/shop⟦d|⟧
⟦d|│⟧
⟦d|╰──────────────────────────────⟧
⟦d|───────────────╯⟧`, chat.Banner{Version: "0.98.0", Model: "gpt-5.2-codex", Cwd: "~/shop"}, 12},
		{"alternate screen", "  ⟦ #63a8f8|>_ ⟧⟦b|OpenAI Codex⟧⟦d| (v0.169.0)⟧\n     ⟦d|~/shop⟧\n" +
			"⟦d|  permissions: ⟧⟦b p5|YOLO mode⟧\n", chat.Banner{Version: "0.169.0", Cwd: "~/shop"}, 3},
		{"what /status says", "  ⟦ #63a8f8|>_ ⟧⟦b|OpenAI Codex⟧⟦d| (v0.169.0)⟧\n\n⟦d|  Server: ⟧local", chat.Banner{}, 0},
		{"0.29", "⟦d|>_ ⟧⟦b|You are using OpenAI Codex in⟧⟦d| ~/shop⟧\n", chat.Banner{Cwd: "~/shop"}, 1},
		{"quoted", "  >_ OpenAI Codex (v0.169.0)\n     ~/shop", chat.Banner{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, n := banner(rowtest.Dump(t, 60, tt.dump))
			if diff := cmp.Diff(tt.want, got); diff != "" || n != tt.n {
				t.Errorf("%d lines, want %d: %s", n, tt.n, diff)
			}
		})
	}
}

// TestStatusRow tells rows that say that Codex works from those that have the same words.
func TestStatusRow(t *testing.T) {
	for dump, want := range map[string]bool{
		"⟦b|•⟧ ⟦b|Working⟧ ⟦d|(3s • esc to interrupt)⟧": true,
		"⟦b|•⟧ ⟦b|Working⟧ (3s • esc to interrupt)":     false,
		"⟦b|•⟧ ⟦b|Working on it⟧ ⟦d|(12s • esc to i…⟧":  true,
		"⟦b|•⟧ ⟦b|Working on it⟧ ⟦d|(12s • esc for i…⟧": false,
	} {
		if got := statusRow(rowtest.Dump(t, 33, dump)[0]); got != want {
			t.Errorf("statusRow(%s) = %v, want %v", dump, got, want)
		}
	}
}

// TestInputBox reads what is typed into a composer without rows below it.
func TestInputBox(t *testing.T) {
	box, ok := inputBox(rowtest.Dump(t, 60, "⟦d|• ⟧So.\n\n⟦b|›⟧ Why"))
	if got := box.Text(); !ok || got != "Why" {
		t.Errorf("inputBox() = %q, %v, want \"Why\"", got, ok)
	}
}

// TestOpen: the last reply may grow where nothing is below it.
func TestOpen(t *testing.T) {
	if cells.Parse(rowtest.Dump(t, 60, "⟦d|• ⟧So\n\n⟦d|─ Worked for 1m 3s ────────────────⟧"))[0].Open {
		t.Error("Open above a rule")
	}
	if !cells.Parse(rowtest.Dump(t, 60, "⟦d|• ⟧So"))[0].Open {
		t.Error("not Open at the end")
	}
}

// Tabs of code in a list item reach to the terminal's tab stops.
func TestUntab(t *testing.T) {
	for _, tt := range []struct{ rows, want []string }{
		{[]string{"  func a() {", "        return", "  }"}, []string{"func a() {", "    return", "}"}},
		{[]string{"     func a() {", "        if b {", "                return"},
			[]string{"   func a() {", "       if b {", "           return"}},
		{[]string{"  def a():", "    return"}, []string{"def a():", "  return"}},
	} {
		ls := (&markdown.Style{Left: 2}).Lines(rowtest.Plain(80, tt.rows...))
		untab(ls)
		var got []string
		for _, l := range ls {
			got = append(got, l.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
