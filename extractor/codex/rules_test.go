package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestSituations shows situations that users meet and the lab does not record.
func TestSituations(t *testing.T) {
	const sent = "⟦bd|› ⟧Go\n\n"
	for _, c := range []struct {
		name string
		lost int // the row above which rows were never on the screen
		dump string
		want string
	}{
		{"reasoning", -1, sent + "⟦d|• ⟧⟦di|Two ways⟧\n  ⟦di|are open.⟧\n\n⟦d|• ⟧⟦di|Half⟧ and plain.",
			"user \"Go\"\nthinking \"Two ways\\nare open.\"\nassistant \"*Half* and plain.\"\n"},
		{"a heading that is wrapped in code", -1, "⟦d|• ⟧So:\n\n" +
			"  ⟦b #fab387|## If nothing has set the two variables of the name ⟧⟦ #a6e3a1|PORT⟧\n  ⟦ #a6e3a1|HOST⟧\n\n  Text.",
			"assistant \"So:\\n\\n## If nothing has set the two variables of the name `PORT HOST`\\n\\nText.\"\n"},
		{"bold words and code above code", -1, "⟦d|• ⟧So:\n\n  ⟦b #f38ba8|For Windows (⟧⟦ #a6e3a1|a.ps1⟧⟦b #f38ba8|)⟧\n\n" +
			"  ⟦ #cba6f7|def⟧⟦ #cdd6f4| f():⟧",
			"assistant \"So:\\n\\n**For Windows (`a.ps1`)**\\n\\n```\\ndef f():\\n```\"\n"},
		{"reasoning that was stopped", -1, sent +
			"⟦d|• ⟧⟦di|Two ways⟧\n\n⟦ p1|■ Conversation interrupted - tell the model what to do differently.⟧",
			"user \"Go\"\nthinking \"Two ways\" partial\nevent cli:interrupted\n"},
		{"a reply like a change", -1, "⟦d|• ⟧Added tests", "assistant \"Added tests\"\n"},
		{"cells with the bullet of a reply", -1,
			"⟦d|• ⟧⟦b|Updated Plan⟧\n  └ □ one\n    □ two\n\n⟦d|• ⟧⟦b|Viewed Image⟧\n  └ a.png\n\n⟦d|• ⟧⟦b|Bold⟧ words.",
			"tool ok Updated Plan [□ one\n□ two]\ntool ok Viewed Image [a.png]\nassistant \"**Bold** words.\"\n"},
		{"a status row that a resize left in a reply", -1,
			"> It is\n\n  Working⟦d| (2s • Esc to interrupt)⟧\n\n  here.\n\n  It said (2s • Esc to interrupt) then.",
			"assistant \"It is\\n\\nhere.\\n\\nIt said (2s • Esc to interrupt) then.\"\n"},
		{"a plan", -1, "⟦d|• ⟧Proposed Plan\n\n  Do it.\n\n⟦d|• ⟧Proposed Plan",
			"assistant \"Do it.\"\nassistant \"Proposed Plan\"\n"},
		{"notices that look like replies", -1,
			"⟦d|• ⟧Model changed to gpt-5\n\n⟦d|• ⟧Unrecognized command '/x'. Type \"/\".\n\n⟦d|• ⟧Compact task completed\n\n" +
				"> Compact task completed\n\n⟦d|• ⟧Ran a hook (stop) twice\n\n⟦d|• ⟧Something ⟦b|new⟧ ⟦ p8|press x⟧\n\n" +
				"⟦b|• Waited for a terminal⟧\n\n• nobody's",
			"system \"Model changed to gpt-5\"\nsystem \"Unrecognized command '/x'. Type \\\"/\\\".\"\n" +
				"system \"Compact task completed\"\nsystem \"Compact task completed\"\nsystem \"Ran a hook (stop) twice\"\n" +
				"system \"Something new press x\"\nsystem \"Waited for a terminal\"\n"},
		{"words of its own", -1, ">> Code review started: x <<\n\n!  ls\n\n? what", ""},
		{"changes", -1, "⟦d|• ⟧⟦b|Edited⟧ main.go (⟦ p2|+1⟧ ⟦ p1|-1⟧)\n    1 ⟦ p1|-old⟧\n    2 ⟦ p2|+new⟧\n" +
			"       goes on\n\n      3  kept\n\n⟦ p1|✘ Failed to apply patch⟧\n  └ no such line\n\n" +
			"⟦d|• ⟧⟦b|Added⟧ a/very/long/path.go\n    (⟦ p2|+1⟧ ⟦ p1|-0⟧)\n\n⟦d|• ⟧⟦b|Deleted⟧ words of a reply",
			"tool error Edited [main.go] \"1 -old\\n2 +newgoes on\\n\\n  3  kept\\nno such line\"\n" +
				"tool ok Added [a/very/long/path.go] \"(+1 -0)\"\nassistant \"**Deleted** words of a reply\"\n"},
		{"an approval of a change", -1,
			"⟦d|• ⟧⟦b|Edited⟧ main.go (⟦ p2|+1⟧ ⟦ p1|-1⟧)\n    2 ⟦ p2|+new⟧\n\n⟦d|• ⟧⟦b|Change Approved⟧ main.go\n\n" +
				"⟦d|• ⟧So.\n\n⟦d|• ⟧⟦b|Change Approved⟧ main.go",
			"tool ok Edited [main.go] \"2 +new\"\nassistant \"So.\"\ntool ok Change Approved [main.go]\n"},
		{"a failure without a change", -1, "⟦d|• ⟧So.\n\n⟦ p1|✘ Failed to apply patch⟧\n  └ no such line",
			"assistant \"So.\"\nsystem \"Failed to apply patch\\n└ no such line\"\n"},
		{"what the user did not allow", -1,
			"⟦ p1|✗ ⟧You did not approve codex to run ⟦d|rm a⟧\n\n⟦b p1|•⟧ ⟦b|Ran⟧ rm b\n\n⟦ p1|✗ ⟧Nothing",
			"tool rejected Run [rm a]\ntool error Ran [rm b]\nsystem \"Nothing\"\n"},
		{"commands", -1, "⟦ p2|•⟧ ⟦b|Ran⟧ for x in a\n  │ do it\n  │ … +2 lines\n  └ one\n    … +9 lines\n    two\n" +
			"    + Show details\n\n⟦ p2|•⟧ ⟦b|Ran⟧\n  └ ls -1\n\n⟦ p2|•⟧ ⟦b|Ran⟧ true\n  └ (no output)\n\n" +
			"•⟦d| ⟧⟦b|Running⟧ sleep",
			"tool ok Ran [for x in a\ndo it\n…] \"one\\n… +9 lines\\ntwo\" truncated\ntool ok Ran [ls -1]\n" +
				"tool ok Ran [true]\ntool running Running [sleep]\n"},
		{"a command whose output is folded", -1, "⟦b|•⟧ ⟦b|Ran⟧ seq 9\n  └ 8\n    9\n    + 7 lines (^t to expand)",
			"tool ok Ran [seq 9] \"8\\n9\\n+ 7 lines (^t to expand)\" truncated\n"},
		{"what was explored, without colours", -1,
			"⟦d|•⟧ ⟦b|Explored⟧\n  ⟦d|└⟧ Read a.go\n    List src\n    ⟦d|+ Show details⟧",
			"tool ok Read [a.go]\ntool ok List [src]\n"},
		{"numbers without colours", -1,
			"⟦d|• ⟧See:\n\n  1. The cache ignores a shared buffer, for nobody has ever\n     checked the result.\n" +
				"  2. Your query ignores the error path, as the log shows.\n" +
				"  3. Our retry loop rewrites the sum of what is in version\n  5. Nobody knows why it does so.",
			"assistant \"See:\\n\\n1. The cache ignores a shared buffer, for nobody has ever checked the result.\\n" +
				"2. Your query ignores the error path, as the log shows.\\n" +
				"3. Our retry loop rewrites the sum of what is in version 5. Nobody knows why it does so.\"\n"},
		{"a search of the web", -1,
			"⟦d|•⟧ ⟦b|Browsing the web⟧\n\n⟦d|•⟧ ⟦b|Searched the web⟧ for x\n\n⟦d|•⟧ ⟦b|Called⟧ shop.get({})",
			"tool ok Searched the web [for x]\ntool ok Called [shop.get({})]\n"},
		{"a search of the web to 0.125", -1, "⟦b #808080|•⟧ ⟦b|Searching the web⟧\n\n⟦d|•⟧ ⟦b|Searched⟧ x",
			"tool ok Searched [x]\n"},
		{"a search of the web in 0.47", -1, "🌐\u200aSearched: go: x\n\n⟦d|• ⟧So.",
			"tool ok Searched [go: x]\nassistant \"So.\"\n"},
		{"an exploration that failed in part", -1,
			"⟦d|•⟧ ⟦b|Explored · 1 nonzero exit⟧\n  └ ⟦ p6|Read⟧ a.go⟦ p1| (exit 1)⟧\n    ⟦ p6|Read⟧ b\n" +
				"    ⟦d|+ Show details⟧", "tool error Read [a.go]\ntool ok Read [b]\n"},
		{"what was explored", -1, "⟦d|•⟧ ⟦b|Exploring⟧\n  └ ⟦ p6|Read⟧ a.go, b.go\n    ⟦ p6|Search⟧ x",
			"tool running Read [a.go]\ntool running Read [b.go]\ntool running Search [x]\n"},
		{"an exploration in red", -1, "⟦d|•⟧ ⟦b|Explored⟧\n  └ ⟦ p6|Read⟧ ⟦ p1|a.go⟧", "tool ok Read [a.go]\n"},
		{"an exploration of nothing but a hint", -1, "⟦d|•⟧ ⟦b|Explored⟧\n    ⟦ p6|+ Show details⟧", "tool ok + []\n"},
		{"commands of its own", -1,
			"⟦ p5|/status⟧\n\n╭─────────╮\n│ Model: x │\n╰─────────╯\n\n⟦ p5|/diff⟧\nno box\n\n/plain",
			"command \"`/status`\" -> \"Model: x\"\ncommand \"`/diff`\" -> \"no box\\n\\n/plain\"\n"},
		{"the rest of a prompt", 0, "⟦ on#373737|  and more⟧\n\n⟦d|• ⟧So.", "user \"and more\"\nassistant \"So.\"\n"},
		{"the rest of a prompt without a background", 2, sent + "  more of it.\n\n\n⟦d|• ⟧So.",
			"user \"Go\\n\\nmore of it.\"\nassistant \"So.\"\n"},
		{"the rest of a prompt above a notice", 2, sent + "  more of it.\n\n\n⟦p3|⚠ Model unknown⟧",
			"user \"Go\\n\\nmore of it.\"\nsystem \"Model unknown\"\n"},
		{"the rest of a reply above another", 2, sent + "  more of it.\n\n⟦d|• ⟧So.",
			"user \"Go\"\nassistant \"more of it.\"\nassistant \"So.\"\n"},
		{"the rest of a reply", 2, sent + "  ends here.\n\n⟦bd|› ⟧On",
			"user \"Go\"\nassistant \"ends here.\"\nuser \"On\"\n"},
		{"the rest of a reply that nobody asked for", 0, "  ends here.\n⟦d|• ⟧So.", "assistant \"So.\"\n"},
		{"the rest of an output", 2, sent + "    ⟦d|output⟧\n    ⟦d|more⟧\n\n⟦d|• ⟧So.", "user \"Go\"\nassistant \"So.\"\n"},
		{"what is cut off at the left", 0, "\n nobody's\n\n⟦d|• ⟧So.", "assistant \"So.\"\n"},
		{"code spans of all versions", -1,
			"⟦d|• ⟧See ⟦ p6|a.go⟧, ⟦ p15 onp0|b.go⟧, ⟦d|c.go⟧, ⟦ #ff00ff|d.go⟧, ⟦b #ff00ff|bold⟧, ⟦u p6|link⟧ and " +
				"⟦di|slanted⟧.", "assistant \"See `a.go`, `b.go`, `c.go`, `d.go`, **bold**, link and *slanted*.\"\n"},
		{"a heading with a code span above code", -1,
			"⟦d|• ⟧See:\n\n  ⟦bi #f9e2af|### ⟧⟦ #a6e3a1|a_test.go⟧\n\n  ⟦i #f9e2af|#### ⟧⟦ #a6e3a1|b.go⟧\n\n" +
				"  ⟦b #fab387|## If ⟧⟦ #a6e3a1|PORT⟧⟦b #fab387| is unset:⟧\n\n  ⟦ #cba6f7|const⟧⟦ #cdd6f4| a⟧",
			"assistant \"See:\\n\\n### `a_test.go`\\n\\n#### `b.go`\\n\\n## If `PORT` is unset:\\n\\n```\\nconst a\\n```\"\n"},
		{"bold words that begin with a number", -1, "⟦d|• ⟧So:\n\n  ⟦b #f38ba8|1. Money.⟧ It is gone.",
			"assistant \"So:\\n\\n**1. Money.** It is gone.\"\n"},
		{"lists", -1, "⟦d|• ⟧Steps:\n\n  ⟦ p4|1.⟧ one\n  ⟦ p4|2.⟧ two\n\n  ☐ open\n  ☑ done\n\n  3. no item",
			"assistant \"Steps:\\n\\n1. one\\n2. two\\n\\n- [ ] open\\n- [x] done\\n\\n```\\n3. no item\\n```\"\n"},
		{"code without colours", -1,
			"⟦d|• ⟧Run:\n\n  set -e\n  make test\n\n  func a() {\n      return\n  }\n\n  x := 1;\n\n" +
				"  And a sentence follows it.",
			"assistant \"Run:\\n\\n```\\nset -e\\nmake test\\n\\nfunc a() {\\n    return\\n}\\n\\nx := 1;\\n```\\n\\n" +
				"And a sentence follows it.\"\n"},
		{"0.3x: quotes and code", -1,
			"> Look:\n\n  > a quote that is wrapped, which it is because it is very\n  long\n\n  # heading\n\n" +
				"  Some text follows here, as it does.\n\n  make test\n  x := 1;\n\n  That is all of it.",
			"assistant \"Look:\\n\\n> a quote that is wrapped, which it is because it is very long\\n\\n# heading\\n\\n" +
				"Some text follows here, as it does.\\n\\n```\\nmake test\\nx := 1;\\n```\\n\\nThat is all of it.\"\n"},
		{"0.3x: code that is wrapped, and a fence within a fence", -1,
			"> Look:\n\n  ```js\n  let a = 1;\n  ```\n\n  That is all of it, as the log shows.\n\n  def f(self):\n" +
				"      x = \"a long string that wraps over the edge of the\n" +
				"  window, and then again over the edge of the very same\n  window, and so it goes on until it ends\"\n\n" +
				"      return x", "assistant \"Look:\\n\\n````\\n```js\\nlet a = 1;\\n```\\n````\\n\\n" +
				"That is all of it, as the log shows.\\n\\n```\\ndef f(self):\\n" +
				"    x = \\\"a long string that wraps over the edge of the window, and then again over the edge of the very " +
				"same window, and so it goes on until it ends\\\"\\n\\n    return x\\n```\"\n"},
		{"0.15x: code that is wrapped below its own indent", -1,
			"⟦d|• ⟧So:\n\n  ⟦ #cba6f7|def⟧⟦ #cdd6f4| f():⟧\n" +
				"⟦ #cdd6f4|      x = ⟧⟦ #a6e3a1|\"a long string that wraps over the edge of the⟧\n" +
				"⟦ #cdd6f4|      ⟧⟦ #a6e3a1|window\"⟧\n" +
				"⟦ #cdd6f4|      ⟧⟦ #9399b2|# a comment that reaches to the edge, or nearly so⟧\n" +
				"⟦ #cdd6f4|      ⟧⟦ #9399b2|# and another⟧\n" +
				"⟦ #cdd6f4|      ⟧⟦ #89b4fa|a_function_with_a_long_name⟧⟦ #9399b2|(with, many, arguments)⟧\n" +
				"⟦ #cdd6f4|      ⟧⟦ #89b4fa|another_function⟧⟦ #9399b2|()⟧",
			"assistant \"So:\\n\\n```\\ndef f():\\n    x = \\\"a long string that wraps over the edge of the window\\\"\\n" +
				"    # a comment that reaches to the edge, or nearly so\\n    # and another\\n" +
				"    a_function_with_a_long_name(with, many, arguments)\\n    another_function()\\n```\"\n"},
		{"code with tabs that is wrapped within a sign", -1,
			"⟦d|• ⟧So:\n\n  ⟦ #cba6f7|func⟧⟦ #cdd6f4| f() {⟧\n⟦ #cdd6f4|        ⟧⟦ #cba6f7|if⟧" +
				"⟦ #cdd6f4| err := a_function_with_a_long_name_abcd(1); err ⟧⟦ #94e2d5|!⟧\n" +
				"⟦ #cdd6f4|        ⟧⟦ #94e2d5|=⟧⟦ #cdd6f4| nil {⟧",
			"assistant \"So:\\n\\n```\\nfunc f() {\\n    if err := a_function_with_a_long_name_abcd(1); err != nil {\\n```\"\n"},
		{"Markdown as code, without colours", -1,
			"⟦d|• ⟧So:\n\n  # Shop\n\n  A small **shop** service.\n\n  - run `make`\n\n  And a sentence follows it.",
			"assistant \"So:\\n\\n```\\n# Shop\\n\\nA small **shop** service.\\n\\n- run `make`\\n```\\n\\n" +
				"And a sentence follows it.\"\n"},
		{"code further in than text", -1,
			"⟦d|• ⟧So it ends now:\n\n        3 passing\n\n  Run it:\n\n      The tests\n\n  ⟦ p12|1. ⟧One\n\n" +
				"     Two of them\n\n         Code of it.",
			"assistant \"So it ends now:\\n\\n```\\n      3 passing\\n```\\n\\nRun it:\\n\\n```\\nThe tests\\n```\\n\\n" +
				"1. One\\n\\n   Two of them\\n\\n   ```\\n   Code of it.\\n   ```\"\n"},
		{"a code span that goes on with a number", -1,
			"⟦d|• ⟧⟦ #94e2d5|• ⟧Each number is in a string, in which it is found, ⟦ #a6e3a1|i=$((i +⟧\n" +
				"    ⟦ #a6e3a1|1) % 5))⟧.\n\n  ⟦ #94e2d5|• ⟧⟦ #a6e3a1|1) one⟧\n\n  ⟦b #f38ba8|Run:⟧ ⟦ #a6e3a1|make it⟧",
			"assistant \"- Each number is in a string, in which it is found, `i=$((i + 1) % 5))`.\\n\\n- `1) one`\\n\\n" +
				"**Run:** `make it`\"\n"},
		{"code spans that are cut between signs", -1,
			"⟦d|• ⟧Comments within an expression of this kind begin with ⟦ #a6e3a1|(?⟧\n" +
				"  ⟦ #a6e3a1|#comment)⟧, or with what it is.",
			"assistant \"Comments within an expression of this kind begin with `(?#comment)`, or with what it is.\"\n"},
		{"a comment above a whole line", -1,
			"⟦d|• ⟧So:\n\n  ⟦ #9399b2|// NOTE: it was there before the others came⟧\n" +
				"  ⟦ #cdd6f4|gotenv⟧⟦ #94e2d5|.⟧⟦ #89b4fa|Apply⟧⟦ #9399b2|(x) // which comes last of all⟧\n  ⟦ #9399b2|}⟧",
			"assistant \"So:\\n\\n```\\n// NOTE: it was there before the others came\\n" +
				"gotenv.Apply(x) // which comes last of all\\n}\\n```\"\n"},
		{"the rest of nothing", 0, "", ""},
		{"the rest of reasoning", 2, sent + "  ⟦di|are open.⟧", "user \"Go\"\nthinking \"are open.\"\n"},
		{"a bullet that blinks", -1, "◦⟦d| ⟧⟦b|Running⟧ sleep", "tool running Running [sleep]\n"},
		{"a composer that was left behind", -1, "⟦b|› ⟧half a prompt\n\n⟦d|• ⟧So.", "assistant \"So.\"\n"},
		{"a composer that was left behind in a reply", -1,
			"⟦d|• ⟧So.\n\n⟦b|› ⟧⟦d|Ask⟧\n\n  ⟦d|? for shortcuts⟧\n\n  And more.\n\n⟦b|› ⟧⟦d|Ask⟧\n\n  ⟦d|? for shortcuts⟧\n\n" +
				"⟦d|• ⟧On.", "assistant \"So.\\n\\nAnd more.\"\nassistant \"On.\"\n"},
		{"a box below a reply", -1, "⟦d|• ⟧So.\n\n╭───╮\n│ x │\n╰───╯", "assistant \"So.\"\n"},
		{"replies in one style", -1, "⟦d|• ⟧⟦i|slanted⟧\n\n⟦d|• ⟧⟦d|code⟧\n\n⟦d|• ⟧⟦di|One⟧\n\n  ⟦di|and two⟧",
			"assistant \"*slanted*\"\nassistant \"`code`\"\nthinking \"One\\n\\nand two\"\n"},
		{"a search that was not under way, a call that was", -1,
			"⟦d|•⟧ ⟦b|Searched the web⟧ for x\n\n⟦d|•⟧ ⟦b|Searched the web⟧ for y\n\n⟦d|•⟧ ⟦b|Browsing the web⟧\n\n" +
				"⟦d|•⟧ ⟦b|Called⟧ z",
			"tool ok Searched the web [for x]\ntool ok Searched the web [for y]\ntool ok Browsing the web []\n" +
				"tool ok Called [z]\n"},
		{"an output without a corner", -1, "⟦ p2|•⟧ ⟦b|Ran⟧ ls\n  │ -1\n    a", "tool ok Ran [ls\n-1] \"a\"\n"},
		{"a diff without signs, and one that begins in a line", -1,
			"⟦d|• ⟧⟦b|Added⟧ a (⟦ p2|+1⟧ ⟦ p1|-0⟧)\n    one\n    two\n\n⟦d|• ⟧⟦b|Added⟧ b (⟦ p2|+1⟧ ⟦ p1|-0⟧)\n" +
				"           end\n    2 ⟦ p2|+x⟧", "tool ok Added [a] \"one\\ntwo\"\ntool ok Added [b] \"    end\\n2 +x\"\n"},
		{"a call that was not allowed at first", -1,
			"⟦ p1|✗ ⟧You canceled the request to run ⟦d|rm a⟧\n\n⟦ p2|•⟧ ⟦b|Ran⟧ rm a",
			"tool rejected Run [rm a]\ntool ok Ran [rm a]\n"},
		{"another error below a change", -1, "⟦d|• ⟧⟦b|Edited⟧ a (⟦ p2|+1⟧ ⟦ p1|-1⟧)\n    2 ⟦ p2|+new⟧\n\n⟦ p1|■ no room⟧",
			"tool ok Edited [a] \"2 +new\"\nsystem \"no room\"\n"},
		{"a table in a box, and a box", -1,
			"⟦d|• ⟧Both:\n\n  ⟦d|┌───┬───┐⟧\n  ⟦d|│⟧ a ⟦d|│⟧ b ⟦d|│⟧\n  ⟦d|├───┼───┤⟧\n  ⟦d|│⟧ 1 ⟦d|│⟧ 2 ⟦d|│⟧\n" +
				"  ⟦d|└───┴───┘⟧\n\n  ┌───┐\n  │ x │\n  └───┘",
			"assistant \"Both:\\n\\n| a | b |\\n| --- | --- |\\n| 1 | 2 |\\n\\n```\\n┌───┐\\n│ x │\\n└───┘\\n```\"\n"},
		{"code in one colour, in several, with a bold word", -1,
			"⟦d|• ⟧So:\n\n  ⟦ #cdd6f4|some words of output⟧\n\n  End.\n\n  ⟦b #cba6f7|func⟧⟦ #cdd6f4| ⟧⟦ #89b4fa|a()⟧",
			"assistant \"So:\\n\\n```\\nsome words of output\\n```\\n\\nEnd.\\n\\n```\\nfunc a()\\n```\"\n"},
		{"code in a palette of 256", -1, "⟦d|• ⟧Use ⟦ p151|a.Get⟧:\n\n  ⟦ p183|func⟧⟦ p189| ⟧⟦ p111|a⟧⟦ p189|()⟧",
			"assistant \"Use `a.Get`:\\n\\n```\\nfunc a()\\n```\"\n"},
		{"code spans on lines of their own", -1, "⟦d|• ⟧Signals:\n\n  ⟦ #a6e3a1|SIGTERM⟧\n\n  ⟦ #a6e3a1|SIGINT⟧",
			"assistant \"Signals:\\n\\n`SIGTERM`\\n\\n`SIGINT`\"\n"},
		{"a quote in the first row", -1, "⟦d|• ⟧⟦ #f5c2e7|> A ⟧⟦ #a6e3a1|code⟧⟦ #f5c2e7| quote.⟧",
			"assistant \"> A code quote.\"\n"},
		{"code that begins with a sign", -1, "⟦d|• ⟧So:\n\n  ⟦ #cdd6f4|> x⟧\n  ⟦ #89b4fa|y⟧",
			"assistant \"So:\\n\\n```\\n> x\\ny\\n```\"\n"},
		{"a paragraph whose first row is an address", -1,
			"⟦d|• ⟧Look:\n\n  See https://x.test/a_long/path/that/does/not/leave/much/room\n" +
				"  for the words of the paragraph, which make it prose.",
			"assistant \"Look:\\n\\nSee https://x.test/a_long/path/that/does/not/leave/much/room for the words of the " +
				"paragraph, which make it prose.\"\n"},
		{"a link", -1, "⟦d|• ⟧See:\n\n  ⟦u|make install⟧", "assistant \"See:\\n\\nmake install\"\n"},
		{"indented words in code, and lines of both kinds", -1,
			"⟦d|• ⟧So:\n\n  func a() {\n\n      It says what it does here.\n\n  }\n\n  make test\n  It runs all tests.\n" +
				"  And it prints them.\n\n  usage\n    of it",
			"assistant \"So:\\n\\n```\\nfunc a() {\\n\\n    It says what it does here.\\n\\n}\\n```\\n\\nmake test\\n" +
				"It runs all tests.\\nAnd it prints them.\\n\\n```\\nusage\\n  of it\\n```\"\n"},
		{"text that is indented", -1,
			"⟦d|• ⟧So:\n\n  It prints what it does, and for whom.\n    The words below it are indented, as they are here.\n\n" +
				"  End.", "assistant \"So:\\n\\n```\\nIt prints what it does, and for whom.\\n" +
				"  The words below it are indented, as they are here.\\n```\\n\\nEnd.\"\n"},
		{"text below a quote that fills its row", -1,
			"⟦d|• ⟧Look:\n\n  ⟦ p2|> a quote that is as wide as it can be, and ends at the edge⟧\n  uncached_rows are next.",
			"assistant \"Look:\\n\\n> a quote that is as wide as it can be, and ends at the edge\\n\\n" +
				"uncached_rows are next.\"\n"},
		{"0.3x: comments, a heading at the end, a quote of three rows", -1,
			"> Look:\n\n  # build\n  make test\n  # end\n\n  - one\n\n" +
				"  > a quote that is wrapped, which it is because it is very\n" +
				"  long, so long that two rows have no room for it whatever\n  happens\n\n  ## heading",
			"assistant \"Look:\\n\\n```\\n# build\\nmake test\\n# end\\n```\\n\\n- one\\n\\n" +
				"> a quote that is wrapped, which it is because it is very long, so long that two rows have no room for it " +
				"whatever happens\\n\\n## heading\"\n"},
		{"0.3x: a sign below text, and text that is wrapped below text", -1,
			"> Look at this line of text:\n  # not a heading\n\n  One row of text that is as wide as it can be, and goes on\n" +
				"  name() := 1;\n", "assistant \"Look at this line of text:\\n\\n```\\n# not a heading\\n```\\n\\n" +
				"One row of text that is as wide as it can be, and goes on name() := 1;\"\n"},
		{"0.3x: code that ends with a word", -1, "> Look:\n\n  x := 1;\n  Then stop.\n\n  That is all of it.",
			"assistant \"Look:\\n\\n```\\nx := 1;\\nThen stop.\\n```\\n\\nThat is all of it.\"\n"},
		{"0.3x: code, then a list, and text that is wrapped below text", -1,
			"> Look:\n\n  make test\n\n  - x := 1;\n\n  One row of text that is as wide as it can be, and goes on\n" +
				"  make test\n  x := 1;",
			"assistant \"Look:\\n\\n```\\nmake test\\n```\\n\\n- x := 1;\\n\\n" +
				"One row of text that is as wide as it can be, and goes on make test\\n\\n```\\nx := 1;\\n```\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := rowtest.Dump(t, 60, c.dump)
			if c.lost >= 0 {
				lines[c.lost].Lost = true
			}
			if got := summary(cells.Parse(lines)); got != c.want {
				t.Errorf("got %q\n(-want +got):\n%s", got, cmp.Diff(c.want, got))
			}
		})
	}
}
