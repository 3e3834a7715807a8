package opencode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// told returns an item in a line.
func told(it chat.Item) string {
	s := it.Role + " " + it.Markdown
	if it.Tool != nil {
		s = fmt.Sprintf("tool %s(%s) %s %s", it.Tool.Name, it.Tool.Input, it.Tool.Status, it.Tool.Output)
		if it.Tool.Truncated {
			s += "…"
		}
	}
	return strings.ReplaceAll(s, "\n", "|")
}

// TestSituations shows situations that users meet and the lab does not record.
func TestSituations(t *testing.T) {
	for _, c := range []struct{ name, dump, want string }{
		{"a prompt and a reply",
			"⟦ #5c9cf5|  ┃⟧\n⟦ #5c9cf5|  ┃⟧  Go on\n⟦ #5c9cf5|  ┃⟧\n\n     ⟦b #9d7cd8|Title⟧\n\n" +
				"     See ⟦ #7fd88f|cache.Get⟧, ⟦b #7fd88f|bold⟧ and ⟦i #7fd88f|slanted⟧.\n\n     │ A quote\n\n" +
				"     ▣  Build · gpt", "user Go on\nassistant ## Title||See `cache.Get`, **`bold`** and *slanted*.||> A quote"},
		{"what is below a prompt",
			"⟦ #5c9cf5|  ┃⟧\n⟦ #5c9cf5|  ┃⟧⟦ on#141414|  Go on⟧\n" +
				"⟦ #5c9cf5|  ┃⟧⟦ on#141414|  ⟧⟦ on#5c9cf5| txt ⟧⟦ on#1e1e1e| a.go ⟧\n" +
				"⟦ #5c9cf5|  ┃⟧⟦ on#141414|  ⟧⟦b on#5c9cf5| QUEUED ⟧\n⟦ #5c9cf5|  ┃⟧", "user Go on"},
		{"tasks", "     ⟦ #fab283|- ⟧⟦u #56b6c2| ⟧ open\n     ⟦ #fab283|- ⟧⟦u #56b6c2|x⟧ done\n" +
			"     ⟦ #fab283|- ⟧⟦u #56b6c2|xy⟧ one\n     ⟦ #fab283|- ⟧x two", "assistant - [ ] open|- [x] done|- xy one|- x two"},
		{"code in a quote", "     ⟦ #808080|│⟧ ⟦i #eeeeee|Many have the⟧ ⟦i #7fd88f|QWEN_*⟧ ⟦i #eeeeee|prefix.⟧",
			"assistant > Many have the `QWEN_*` prefix."},
		{"an anchor below code",
			"     v8::Local<v8::Boolean> Nan::False()\n\n     <a name=\"two\"></a>\n\n     ⟦b #9d7cd8|Two⟧",
			"assistant ```|v8::Local<v8::Boolean> Nan::False()|```||<a name=\"two\"></a>||## Two"},
		{"what went wrong", "⟦ #e06c75|  ┃⟧\n⟦ #e06c75|  ┃⟧⟦ #808080|  Bad request⟧\n⟦ #e06c75|  ┃⟧", "system Bad request"},
		{"code in colours", "     See `x`.\n\n     ⟦i #9d7cd8|const⟧ order = load(⟦ #7fd88f|\"42\"⟧);\n\n" +
			"     ⟦ #e06c75|log⟧(order);\n\n     ⟦b #f5a742|Note:⟧ the ⟦ #e06c75|<br>⟧ is all that it needs to know.\n\n" +
			"     The ⟦ #e06c75|<br>⟧ is all that it needs to know.",
			"assistant See `x`.||```|const order = load(\"42\");||log(order);|```||**Note:** the <br> is all that it needs " +
				"to know.||The <br> is all that it needs to know."},
		{"a paragraph that its author has broken, with signs of code",
			"     Calling x() is (a);\n     ⟦ #7fd88f|Rows.Err()⟧ {so}\n\n     Calling x() is (a);\n" +
				"     ⟦u #56b6c2|here⟧ ⟦u #fab283|(a.go)⟧ {so}\n\n     x = f(⟦ #7fd88f|\"42\"⟧);\n     y",
			"assistant Calling x() is (a);|`Rows.Err()` {so}||Calling x() is (a);|here (a.go) {so}||```|x = f(\"42\");|y|```"},
		{"a single line of code",
			"     Run this:\n\n     npm login\n\n     Then this:\n\n     dupl -v cmd/x\n\n     And so on.",
			"assistant Run this:||```|npm login|```||Then this:||```|dupl -v cmd/x|```||And so on."},
		{"a single command of plain words",
			"     Run this:\n\n     createuser -s postgres\n\n     Then:\n\n     npm run lint\n\n     And so on.",
			"assistant Run this:||```|createuser -s postgres|```||Then:||```|npm run lint|```||And so on."},
		{"a single line that was announced",
			"     Run this:\n\n     gemini extensions list\n\n     It prints:\n\n" +
				"     main.go:5:2: loop over an integer (Go 1.22+)\n\n     Then:\n\n     Go on\n\n     and so on",
			"assistant Run this:||```|gemini extensions list|```||It prints:||```|main.go:5:2: loop over an integer (Go " +
				"1.22+)|```||Then:||Go on||and so on"},
		{"code below a line of its own",
			"     So:\n\n     package main\n\n     import \"fmt\"\n\n     func main() {\n       fmt.Println(1)\n     }\n\n" +
				"     package words are few\n\n     That is all of it.",
			"assistant So:||```|package main||import \"fmt\"||func main() {|  fmt.Println(1)|}|```||package words are " +
				"few||That is all of it."},
		{"a paragraph that begins and ends within sentences",
			"     Examples of what helps to keep the\n     peace include:",
			"assistant Examples of what helps to keep the|peace include:"},
		{"code in colours, with a string further down",
			"     ⟦ #9d7cd8|const⟧ a = 1\n\n     ⟦ #9d7cd8|return⟧ ⟦ #7fd88f|\"42\"⟧",
			"assistant ```|const a = 1||return \"42\"|```"},
		{"Markdown as code with a list", "     # Title\n\n     ⟦ #fab283|- ⟧one\n\n     # Again",
			"assistant ```|# Title||- one||# Again|```"},
		{"a list below Markdown as code", "     # Title\n\n     ⟦ #fab283|- ⟧one", "assistant ```|# Title|```||- one"},
		{"a line that is inline code", "     ⟦ #7fd88f|cache.Get⟧", "assistant `cache.Get`"},
		{"an item whose words are not there yet", "     ⟦ #fab283|1.⟧ one\n     ⟦ #fab283|2.⟧\n     ⟦ #fab283|3.⟧ three",
			"assistant 1. one|2.|3. three"},
		{"bold in a list", "     - ⟦b #9d7cd8|one⟧\n     - ⟦b #9d7cd8|two⟧\n\n     ⟦b|plain bold⟧",
			"assistant - **one**|- **two**||**plain bold**"},
		{"a model that thinks", "     ⟦ #e06c75|⠋ Thinking⟧\n\n     ▣  Build · gpt", ""},
		{"how long the model thought",
			"     ⟦ #f5a742|+ Thought: 195ms⟧\n\n     Text.\n\n     ⟦ #f5a742|- Thought: 1m 2s⟧\n\n     - Thought: so",
			"assistant Text.\nassistant - Thought: so"},
		{"a subagent", "     ⟦ #808080|│ General Task — look⟧\n     ⟦ #808080|└ 3 toolcalls · 1.2s⟧\n\n" +
			"     ctrl+x down ⟦ #808080|view subagents⟧\n\n     Press ctrl+x to view subagents\n\n     ⟦ #808080|│⟧ A quote",
			"tool General(Task — look └ 3 toolcalls · 1.2s) ok \nassistant Press ctrl+x to view subagents||> A quote"},
		{"a subagent that works", "     ⟦ #808080|⠋ General Task — look⟧\n       ⟦ #808080|↳ Read main.go⟧",
			"tool General(Task — look ↳ Read main.go) running "},
		{"a panel of which only the last row is left", "⟦ #5c9cf5|  ┃⟧\n\n     So.", "assistant So."},
		{"a line cut behind a Chinese comma", "     这一行在逗号后面结束，\n     下一行没有空格，因为中文里没有空格。",
			"assistant 这一行在逗号后面结束，下一行没有空格，因为中文里没有空格。"},
		{"a bold line", "     ⟦b #f5a742|Files:⟧\n\n     - one", "assistant **Files:**||- one"},
		{"a cell cut behind a hyphen",
			"     Words:\n\n     ⟦ #808080|┌────────────┬─────┐⟧\n" +
				"     ⟦ #808080|│⟧A           ⟦ #808080|│⟧B    ⟦ #808080|│⟧\n     ⟦ #808080|├────────────┼─────┤⟧\n" +
				"     ⟦ #808080|│⟧the write-  ⟦ #808080|│⟧1    ⟦ #808080|│⟧\n" +
				"     ⟦ #808080|│⟧ahead log   ⟦ #808080|│⟧     ⟦ #808080|│⟧\n     ⟦ #808080|├────────────┼─────┤⟧\n" +
				"     ⟦ #808080|│⟧low- and    ⟦ #808080|│⟧2    ⟦ #808080|│⟧\n     ⟦ #808080|├────────────┼─────┤⟧\n" +
				"     ⟦ #808080|│⟧one low-    ⟦ #808080|│⟧3    ⟦ #808080|│⟧\n" +
				"     ⟦ #808080|│⟧and high    ⟦ #808080|│⟧     ⟦ #808080|│⟧\n     ⟦ #808080|└────────────┴─────┘⟧",
			"assistant Words:||| A | B ||| --- | --- ||| the write-ahead log | 1 ||| low- and | 2 ||| one low- and high | 3 |"},
		{"a command with its title",
			"  ┃\n  ┃  # Count files\n  ┃\n  ┃  $ ls\n  ┃\n  ┃  main.go\n  ┃  …\n  ┃\n  ┃  Click to expand\n  ┃",
			"tool Bash(ls) ok main.go…"},
		{"a command that runs", "  ┃\n  ┃  ⠋ Count files\n  ┃", "tool Bash(Count files) running "},
		{"an edit", "  ┃\n  ┃  ← Edit main.go\n  ┃\n  ┃  1 - old\n  ┃  1 + new\n  ┃\n  ┃  Click to collapse",
			"tool Edit(main.go) ok 1 - old|1 + new"},
		{"the rest of a panel", "  ┃\n  ┃  $ make\n  ┃\n\n  ┃  more output\n  ┃", "tool Bash(make) ok more output"},
		{"a panel without a beginning",
			"  ┃  output\n  ┃  Click to expand\n  ┃\n\n     Text.\n\n  ┃  $ ls\n\n     Text.\n\n  ┃  # Title\n\n" +
				"     Text.\n\n  ┃  ⠋ Runs",
			"tool Bash() ok output…\nassistant Text.\ntool Bash(ls) ok \nassistant Text.\ntool Title() ok \nassistant Text.\n" +
				"tool Bash(Runs) running "},
		{"panels of two kinds", "⟦ #5c9cf5|  ┃⟧  Go\n  ┃\n  ┃  $ ls", "user Go\ntool Bash(ls) ok "},
		{"calls without a panel",
			"     ⟦ #808080|→ Read main.go⟧\n     ⟦ #808080|✱ Glob *.go⟧\n       ⟦ #808080|in src⟧\n     ⟦ #808080|⚙ fetch⟧\n" +
				"     ⟦ #e06c75|Error: no⟧\n     ⟦ #e06c75|way⟧\n     ⟦ #808080|$ ls -1⟧\n     ⟦ #808080|~ Writing command...⟧\n" +
				"     ⠋ Explore src",
			"tool Read(main.go) ok \ntool Glob(*.go in src) ok \ntool fetch() error Error: no|way\ntool Bash(ls -1) ok \n" +
				"tool Explore(src) running "},
		{"signs in a reply", "     → Read this\n     ⠋\n     $ ls", "assistant ```|→ Read this|⠋|$ ls|```"},
		{"code and what is below it",
			"     for x in a\n     do it\n\n     some words\n     more\n\n     x = f(y);\n\n       abc_def\n\n" +
				"     ⟦ #808080|│⟧ A quote\n\n     for x in a\n     do it\n\n     word\n\n     for x in a\n     do it\n\n" +
				"       And so it goes on, as it did before.\n\n     for x in a\n     do it\n\n     ⟦b|Note⟧ x = f(y);",
			"assistant ```|for x in a|do it||some words|more||x = f(y);||  abc_def|```||> A quote||```|for x in a|do " +
				"it||word||for x in a|do it|```||And so it goes on, as it did before.||```|for x in a|do it|```||**Note** x = " +
				"f(y);"},
		{"lines that lead to no code", "     import os\n\n     So it is.\n\n     Then look here\n\n       indented",
			"assistant import os||So it is.||Then look here||indented"},
		{"Markdown as code", "     ```\n     a\n\n     b\n     ```\n\n     So.\n\n     # Title\n\n" +
			"     plain words here\n\n     # Again",
			"assistant ````|```|a||b|```|````||So.||```|# Title|```||plain words here||```|# Again|```"},
		{"a command that runs, below its title", "  ┃\n  ┃  ⠋ Count files\n  ┃\n  ┃  $ ls\n  ┃\n  ┃  main.go\n  ┃",
			"tool Bash(ls) running main.go"},
		{"a command that runs, with its sign", "  ┃\n  ┃  ⠋ $ ls\n  ┃", "tool Bash(ls) running "},
		{"a command that prints a sign", "  ┃\n  ┃  $ cat x\n  ┃\n  ┃  $ y\n  ┃", "tool Bash(cat x) ok $ y"},
		{"signs at the edge", "→⟦ #808080|     Read⟧\n\n⠋ words", ""},
		{"a call with plain rows below", "     ⟦ #808080|→ Read main.go⟧\n       plain\n" +
			"     ⟦ #808080|~ Writing command...⟧", "tool Read(main.go) ok \nassistant plain"},
		{"bold words in an item", "     ⟦ #fab283|- ⟧one\n\n       ⟦b #9d7cd8|Bold⟧", "assistant - one||  **Bold**"},
		{"items in code", "     env:\n       - A=1\n     • dot\n\n     ⟦ #fab283|1. ⟧one",
			"assistant ```|env:|  - A=1|• dot|```||1. one"},
		{"a paragraph that its author has broken",
			"     See:\n\n     The parser reads each file,\n     as the documentation says it should.",
			"assistant See:||The parser reads each file,|as the documentation says it should."},
		{"an item that ends with an address", "     ⟦ #fab283|- ⟧one\n     ⟦ #fab283|- ⟧two ⟦u #fab283|(a.go)⟧",
			"assistant - one|- two (a.go)"},
		{"a quote of several rows",
			"     ⟦ #808080|│⟧ The config loader flushes three tables before the\n     ⟦ #808080|│⟧ lock is held.\n" +
				"     ⟦ #808080|│⟧\n     ⟦ #808080|│⟧ ⟦ #fab283|- ⟧one\n\n     │ in code │\n     │ a       │",
			"assistant > The config loader flushes three tables before the lock is held.|>|> - one||```|│ in code │|│ a      " +
				" │|```"},
		{"lines wrapped at a blank that is painted, or without one",
			painted("One two three four five six seven eight nine ten ", "eleven.") + "\n\n" +
				painted("One two three ", "four.") + "\n\n" + painted(strings.Repeat("x", 49)+" 3.", "14") + "\n\n" +
				painted(strings.Repeat("y", 49)+"so.", " It"),
			"assistant One two three four five six seven eight nine ten eleven.||One two three|four.||" +
				strings.Repeat("x", 49) + " 3.14||" + strings.Repeat("y", 49) + "so. It"},
		{"hyphens in cells", "     Words:\n\n     ⟦ #808080|┌──────────────┬───┐⟧\n" +
			"     ⟦ #808080|│⟧A             ⟦ #808080|│⟧B  ⟦ #808080|│⟧\n     ⟦ #808080|├──────────────┼───┤⟧\n" +
			"     ⟦ #808080|│⟧the write-    ⟦ #808080|│⟧1  ⟦ #808080|│⟧\n" +
			"     ⟦ #808080|│⟧ahead log     ⟦ #808080|│⟧   ⟦ #808080|│⟧\n     ⟦ #808080|├──────────────┼───┤⟧\n" +
			"     ⟦ #808080|│⟧the write --  ⟦ #808080|│⟧2  ⟦ #808080|│⟧\n" +
			"     ⟦ #808080|│⟧ahead log     ⟦ #808080|│⟧   ⟦ #808080|│⟧\n     ⟦ #808080|├──────────────┼───┤⟧\n" +
			"     ⟦ #808080|│⟧the write-    ⟦ #808080|│⟧3  ⟦ #808080|│⟧\n" +
			"     ⟦ #808080|│⟧(ahead) log   ⟦ #808080|│⟧   ⟦ #808080|│⟧\n     ⟦ #808080|└──────────────┴───┘⟧",
			"assistant Words:||| A | B ||| --- | --- ||| the write-ahead log | 1 ||| the write -- ahead log | 2 ||| the " +
				"write- (ahead) log | 3 |"},
		{"rows that the terminal wrapped", "     One\n+     two", "assistant ```|One|two|```"},
		{"a reply that was not painted", "⟦ #5c9cf5|  ┃⟧  Go\n \n \n     its end", "user Go\n^\nassistant its end"},
		{"rows at another column", "⟦ #5c9cf5|  ┃⟧  Go\n \n \n       its end", "user Go\nassistant its end"},
		{"a reply with two blank rows", "     So\n \n \n     it is", "assistant So||it is"},
		{"blank rows above a reply", " \n \n \n     it is", "assistant it is"},
		{"code that broke where a word had room",
			"     Run this:\n\n     for x in a\n     do it\n\n     ⟦ #fab283|- ⟧item\n     ⟦ #fab283|- ⟧item",
			"assistant Run this:||```|for x in a|do it|```||- item|- item"},
		{"a sign below code", "     for x in a\n     do it\n\n     🚀", "assistant ```|for x in a|do it|```||🚀"},
		{"a turn that goes on above a reply", "     So\n\n     ▣  Build · gpt\n\n     it is",
			"assistant So\nassistant it is"},
		{"code with a sign of Markdown", "     for x in a\n     do it\n\n     > It is what the user has said before.",
			"assistant ```|for x in a|do it||> It is what the user has said before.|```"},
		{"Markdown as code below code", "     for x in a\n     do it\n\n     ```\n     a\n     ```",
			"assistant ```|for x in a|do it|```||````|```|a|```|````"},
		{"code that begins with a comment", "     ⟦ #808080|// run it⟧\n     for x in a\n     do it",
			"assistant ```|// run it|for x in a|do it|```"},
		{"a Chinese word in the next row", "     这 The parser reads the whole file and then shows the\n      缓存和索引在午夜重建。",
			"assistant 这 The parser reads the whole file and then shows the 缓存和索引在午夜重建。"},
		{"a name below a Chinese comma",
			"     这 The parser reads the whole file and then shows，\n     cache_of_the_index.go is one.",
			"assistant 这 The parser reads the whole file and then shows， cache_of_the_index.go is one."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, it := range parse(cells(&standard), rowtest.Dump(t, 60, c.dump)) {
				if it.Headless {
					got = append(got, "^")
				}
				got = append(got, told(it))
			}
			if d := cmp.Diff(strings.Join(got, "\n"), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

// painted returns rows of text whose cells all have the colour of the ground.
func painted(rows ...string) string {
	for i, r := range rows {
		rows[i] = "⟦ on#0a0a0a|     ⟧⟦ #eeeeee on#0a0a0a|" + r + "⟧⟦ on#0a0a0a|" + strings.Repeat(" ", 55-len(r)) + "⟧"
	}
	return strings.Join(rows, "\n")
}

// TestSeamParted has words that were cut behind a mark.
func TestSeamParted(t *testing.T) {
	for _, tt := range []struct {
		above, below string
		want         markdown.Seam
		ok           bool
	}{
		{"https://example.test/window?", "with=query&id=2", markdown.SeamNone, true},
		{"See retry/ERR_TIMEOUT/", "OrderService/retry", markdown.SeamNone, true},
		{"It is in cmd/shop/main.", "go:42", markdown.SeamNone, true},
		{"It is in cmd/shop/main.go:", "42", 0, false}, // it had room
		{"The range of 1,", "000,000 is", markdown.SeamNone, true},
		{"It is 缓存和索引", "cache", markdown.SeamNone, true},
		{"See the issue (#26)", "background", 0, false},
		{"It has an issue, which", "background", 0, false},
		{"It has a bearer token,", "background", 0, false},
		{"It is one of these:", "background", 0, false},
		{`One of "read-only",`, `"read-write"`, 0, false},
		{"It is done by client.", "get({id})", markdown.SeamNone, true},
		{"The file is long (", "~660 lines)", markdown.SeamNone, true},
		{"A range of [-", "32768, 32767]", markdown.SeamNone, true},
		{"It ignores any stored .", "allocated/.support.json", markdown.SeamNone, true},
		{"It is the first (of two)", "And so on.", 0, false},
		{"So it is -", "or so it seems", 0, false},
		{"It failed again at the end.", "Then it ran.", 0, false},
		{"Is it so, then, or is it not?", "No.", 0, false},
	} {
		b := markdown.Line{Text: tt.below}
		s, ok := seam(&markdown.Line{Text: tt.above, Width: len(tt.above), Room: len(tt.above) + 2}, &b, 0)
		if ok != tt.ok || ok && s != tt.want {
			t.Errorf("%q, %q: %d, %v", tt.above, tt.below, s, ok)
		}
	}
}

func TestSplit(t *testing.T) {
	const input = "  ⟦ #5c9cf5|┃⟧⟦ on#1e1e1e|                    ⟧\n  ⟦ #5c9cf5|┃⟧⟦ on#1e1e1e|  half typed        ⟧\n" +
		"  ⟦ #5c9cf5|┃⟧⟦ on#1e1e1e|  Build · gpt       ⟧\n  ⟦ #5c9cf5|╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀⟧\n"
	for _, c := range []struct {
		name, dump string
		want       chat.Split
		typed      string
	}{
		{"idle", "     Hi.\n\n" + input + "  ctrl+p commands", chat.Split{OK: true, Bottom: 2, State: chat.StateIdle},
			"half typed"},
		{"busy", "     Hi.\n\n" + input + "  ⠋ esc interrupt", chat.Split{OK: true, Bottom: 2, State: chat.StateBusy},
			"half typed"},
		{"a bar at the right", "     Hi.          ⟦ on#141414|  Context⟧\n\n" + input +
			"  ctrl+p commands ⟦ on#141414|  •⟧\n                  ⟦ on#141414|   ⟧",
			chat.Split{OK: true, Bottom: 2, Right: 18, State: chat.StateIdle}, "half typed"},
		{"a bar at the right in tmux", "     Hi.          ⟦ on#141414|  Context⟧\n\n" + input +
			"  ctrl+p commands ⟦ on#141414|  •⟧\n⟦ on#22aa22|[0] 0:opencode*    \"vm\" 11:44⟧",
			chat.Split{OK: true, Bottom: 2, Right: 18, State: chat.StateIdle}, "half typed"},
		{"what is pasted", "  ⟦ #5c9cf5|┃⟧⟦ on#2e2e2e|  a prompt         ⟧\n" + input,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}, "half typed"},
		{"a menu of commands", "  ┃ /help                ┃\n  ┃ /new                 ┃\n" + input,
			chat.Split{OK: true, Bottom: 2, State: chat.StateIdle, Overlay: true}, "half typed"},
		{"a dialog", "     Models               esc\n\n" + input,
			chat.Split{OK: true, Bottom: 2, State: chat.StateAsking, Overlay: true}, "half typed"},
		{"a dialog over the welcome", "     Models               esc\n  " + logo + "\n" + input,
			chat.Split{OK: true, Top: 1, Bottom: 6, State: chat.StateAsking, Overlay: true}, "half typed"},
		{"the welcome", "$ opencode\n\n  " + logo + "\n\n" + input + "\n\n\n\n\n  ~/shop  1.18.33",
			chat.Split{OK: true, Top: 2, Bottom: 14, State: chat.StateIdle}, "half typed"},
		{"a permission", "     Hi.\n\n  ┃  △ Permission required\n  ┃  Allow once   enter   confirm\n  ┃\n",
			chat.Split{OK: true, Bottom: 2, State: chat.StateAsking}, ""},
		{"choices", "     Hi.\n\n  ┃  Which?\n  ┃  enter toggle\n",
			chat.Split{OK: true, Bottom: 2, State: chat.StateAsking}, ""},
		{"a panel at the end", "     Hi.\n\n  ┃  $ ls\n", chat.Split{}, ""},
		{"far above the end", input + "\n\n\n\n\n  end", chat.Split{}, "half typed"},
		{"drawn for a smaller window, in tmux", "     Hi.\n\n" + input + "  ⠋ esc interrupt\n\n\n\n\n[0] 0:opencode*",
			chat.Split{OK: true, Bottom: 2, Right: 19, State: chat.StateBusy}, "half typed"},
		{"half of it drawn for the new one", "     Hi, this goes on.\n\n" + input +
			"  ⠋ esc interrupt\n\n\n\n\n[0] 0:opencode*", chat.Split{}, "half typed"},
		{"words below it", "     Hi.\n\n" + input + "  ⠋ esc interrupt\n\n  words\n\n\n[0] 0:opencode*", chat.Split{},
			"half typed"},
		{"another program", "$ ls", chat.Split{}, ""},
		{"a box that is not painted", "     Hi.\n\n     ▣  Build · gpt · 2s\n\n\n\n\n\n\n   ~/shop\n ",
			chat.Split{OK: true, Bottom: 4, State: chat.StateIdle}, ""},
		{"a box that is not painted, busy", "     Hi.\n\n     ▣  Build · gpt\n\n\n\n\n\n\n   ■■⬝⬝  esc interrupt\n ",
			chat.Split{OK: true, Bottom: 4, State: chat.StateBusy}, ""},
		{"a box that is not painted, over text", "     Hi.\n\n     ▣  Build · gpt\n\n\n     text\n\n\n\n   ~/shop\n ",
			chat.Split{}, ""},
		{"words below blank rows", "     Hi.\n\n     ▣  Build · gpt · 2s\n\n\n\n\n\n\n   words here\n ", chat.Split{}, ""},
		{"keys of another program", "     enter confirm", chat.Split{}, ""},
		{"text on the box's ground", "    ⟦ on#1e1e1e|no bar⟧\n" + input,
			chat.Split{OK: true, Bottom: 1, State: chat.StateIdle}, "half typed"},
		{"a menu on the box's ground", "     Hi.\n  ⟦ #5c9cf5|┃⟧⟦ on#1e1e1e|  /help            ⟧┃\n" + input,
			chat.Split{OK: true, Bottom: 2, State: chat.StateIdle, Overlay: true}, "half typed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 60, c.dump)
			if d := cmp.Diff(split(chat.Screen{Lines: lines, Alt: true}), c.want); d != "" {
				t.Error(d)
			}
			if b, ok := inputBox(lines); ok && b.Text() != c.typed || !ok && c.typed != "" {
				t.Errorf("typed %q, want %q", b.Text(), c.typed)
			}
		})
	}
}

// TestOpen shows the row below a reply, which has a time once the reply is whole.
func TestOpen(t *testing.T) {
	for below, open := range map[string]bool{"": true, "     ▣  Build": true, "     ▣  Build · Mock Coder": true,
		"     ▣  Build · Mock Coder · 6.9s": false, "     ▣  Build · Mock Coder · 1m 2s": false,
		"     ▣  Build · Mock Coder · interrupted": false, "     ~ Writing command...": false} {
		items := parse(cells(&standard), rowtest.Plain(60, "     | A | B |", "", below))
		if len(items) != 1 || items[0].Open != open {
			t.Errorf("%q: got %v, want open %v", below, items, open)
		}
	}
	if parse(cells(&standard), rowtest.Dump(t, 60, "⟦ #5c9cf5|  ┃⟧  Go"))[0].Open {
		t.Error("a prompt is open")
	}
}

func TestBanner(t *testing.T) {
	for dump, want := range map[string]int{"  " + logo + "\n\n  ~/shop  1.18.33": 3, "  " + logo + "\n\n  ~/shop": 0,
		"words\n  ~/shop  1.18.33": 0} {
		if b, n := welcome.Banner(rowtest.Dump(t, 60, dump)); n != want || (b.Version == "1.18.33") != (n > 0) {
			t.Errorf("%q: got %+v, %d rows, want %d", dump, b, n, want)
		}
	}
}

// TestUnpainted has rows above which others were not painted yet when they left the window, and two
// blank rows within code.
func TestUnpainted(t *testing.T) {
	for _, tt := range []struct {
		above string
		want  bool
	}{
		{"  ┃  Go on", true},
		{"     ▣  Build", true},
		{"     def a():", false},
	} {
		if got := unpainted(rowtest.Plain(60, tt.above, "", "", "     on"), 3); got != tt.want {
			t.Errorf("below %q: %v, want %v", tt.above, got, tt.want)
		}
	}
}
