package claude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestForScreenReaders reads what labels alone tell apart.
func TestForScreenReaders(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a reply that is wrapped", "you: Why\nclaude: The importer reads the whole file before it looks at the\n" +
			" header. Two ways:\n\n- one\n- two\nWorked for 3s · done 6:59 AM\nyou: So",
			"user Why\nassistant The importer reads the whole file before it looks at the header. Two ways:||- one|- two\n" +
				"user So"},
		{"a table", "claude: So:\n\nStep: before. Memory: 2.1 GB. Note: a long cell with words\nthat go on.\n" +
			"Step: after. Note: none.\nStep: last. Memory: 1 GB. Note: no!\nIt was: slow. Now it is not.",
			"assistant So:||| Step | Memory | Note ||| --- | --- | --- ||| before | 2.1 GB | a long cell with words that " +
				"go on ||| after |  | none ||| last | 1 GB | no! |||It was: slow. Now it is not."},
		{"code above a table", "claude: So:\nfunc f() {\n    return\n}\nA: 1. B: 2.\nA: 3. B: 4.",
			"assistant So:||```|func f() {|    return|}|```||| A | B ||| --- | --- ||| 1 | 2 ||| 3 | 4 |"},
		{"sentences with colons", "claude: Note: this is x. Warning: that is y.\nHint: none.",
			"assistant Note: this is x. Warning: that is y.|Hint: none."},
		{"calls", "tool: Write (notes/todo.md)\nWrote 1 line to notes/todo.md\n 1 # Todo\ntool error: Bash (false)\n" +
			"Error: Exit code 1\nclaude: So",
			"tool `Write(notes/todo.md)` ok Wrote 1 line to notes/todo.md| 1 # Todo\n" +
				"tool `Bash(false)` error Error: Exit code 1\nassistant So"},
		{"groups", "tool: Listing 1 directory… (ctrl+o to expand)\n$ ls -1\n" +
			"Read 2 files, ran 1 shell command (ctrl+o to expand)\nclaude: Read 2 files",
			"tool `Bash(ls -1)` running\ntool `Read` ok…\ntool `Read` ok…\ntool `Bash` ok…\nassistant Read 2 files"},
		{"commands", "you: /cost\nTotal cost: $0.01\nyou: /clear\nyou: tmp is full",
			"command `/cost` -> Total cost: $0.01\nuser tmp is full"},
		{"a turn that was stopped", "claude: Half\nInterrupted · What should Claude do instead?",
			"assistant Half (partial)\ncli:interrupted"},
		{"thinking", "thinking: Let me see\nclaude: So", "thinking Let me see\nassistant So"},
	} {
		t.Run(c.name, func(t *testing.T) {
			look := spoken()
			var got []string
			for _, it := range look.Parse(rowtest.Plain(62, strings.Split(c.text, "\n")...)) {
				it.Text = it.Markdown
				got = append(got, itemWords(it))
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("(-want +got):\n%s", cmp.Diff(c.want, got))
			}
		})
	}
}

// TestScreenForScreenReaders finds the end of the conversation above what is drawn again and again.
func TestScreenForScreenReaders(t *testing.T) {
	const mode = "\naccept edits on (shift+tab to cycle)"
	for _, c := range []struct {
		name, text string
		x          int
		bottom     int
		state      chat.State
	}{
		{"an empty input", "you: Go\nclaude: So" + mode + "\n$", 1, 2, chat.StateIdle},
		{"a prompt that is typed", "claude: So" + mode + "\n$\u00a0 x", 4, 1, chat.StateIdle},
		{"a spinner with a tip", "you: Go\nFermenting…\nTip: Use Plan Mode to prepare for\na request." + mode +
			"  ·  esc to interrupt\n$", 1, 1, chat.StateBusy},
		{"text that comes in", "claude: So\nit is" + mode + "  ·  esc to interrupt\n$", 1, 2, chat.StateBusy},
		{"a menu", "claude: So\n/exit        Exit\n/context     Show what\n               fills it\n\n\n$\u00a0 /e", 5, 1,
			chat.StateIdle},
		{"a menu while a turn runs", "you: Go\nBrewing…\n/exit        Exit\n\n$\u00a0 /e", 5, 1, chat.StateBusy},
		{"a question", "claude: So\nPermission Required: Bash command\nls\n1. Yes\n2. No\n" +
			"Select with numbers [1-2]. Then Enter to submit or Escape to cancel:", 69, 1, chat.StateAsking},
		{"the prompt of a shell", "claude: So\n$", 2, 0, chat.StateUnknown},
	} {
		look := spoken()
		lines := rowtest.Plain(80, strings.Split(c.text, "\n")...)
		sp := look.Split(chat.Screen{Lines: lines, CursorX: c.x, CursorY: len(lines) - 1, CursorVisible: true})
		if sp.OK != (c.state != chat.StateUnknown) || sp.Bottom != c.bottom || sp.State != c.state {
			t.Errorf("%s: %+v", c.name, sp)
		}
	}
}
