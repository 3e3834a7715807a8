package claude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestSituations shows situations that users meet and the lab does not record. Rows after ⟨lost⟩
// were below rows that were never on the screen.
func TestSituations(t *testing.T) {
	const said, sent = "⟦ #ffffff|●⟧ ", "⟦ #505050 on#373737|❯ ⟧⟦ #ffffff on#373737|"
	for _, c := range []struct{ name, dump, want string }{
		{"thinking that is shown",
			"⟦ #999999|∴ Thinking…⟧\n\n  ⟦i #999999|Two ways are open.⟧\n\n  ⟦i #999999|Take one.⟧\n\n" + said + "So.",
			"thinking Two ways are open.||Take one.\nassistant So."},
		{"a table below code", said + "⟦ p6|\"debug\"⟧: ⟦ p5|false⟧\n\n  ┌──────────┬───────┐\n  │   Name   │ Count │\n" +
			"  ├──────────┼───────┤\n  │ a.Get    │ 426   │\n  └──────────┴───────┘",
			"assistant ```|\"debug\": false|```||| Name | Count ||| --- | --- ||| a.Get | 426 |"},
		{"markup around code", said + "See:\n  <ul>\n  <li>\n\n  ⟦ p6|\"debug\"⟧: ⟦ p5|false⟧\n\n  <a name=\"two\"></a>\n\n" +
			"  Text.\n\n  -->\n\n  [1]: https://example.test/a\n  [2]: https://example.test/b",
			"assistant See:|<ul>|<li>||```|\"debug\": false|```||<a name=\"two\"></a>||Text.||-->||" +
				"[1]: https://example.test/a|[2]: https://example.test/b"},
		{"a heading that is wrapped in code", said + "So.\n\n" +
			"  ⟦b|Assignees that do nothing for many days are sent:⟧ ⟦b #b1b9f9|Unassign⟧\n  ⟦b #b1b9f9|Assignees⟧\n\n  Text.",
			"assistant So.||## Assignees that do nothing for many days are sent: `Unassign Assignees`||Text."},
		{"thinking that was stopped",
			"⟦ #999999|∴ Thinking…⟧\n\n  ⟦i #999999|Two ways⟧\n⟦ #999999|  ⎿  Interrupted · What now?⟧",
			"thinking Two ways (partial)\ncli:interrupted"},
		{"words with the sign of thinking", "⟦ #999999|✻ Conversation compacted⟧", ""},
		{"an attached file", sent + "See @main.go⟧\n⟦ #999999|  ⎿  Read main.go (3 lines)⟧\n\n" + said + "So.",
			"user See @main.go\ntool `Read(main.go)` ok Read main.go (3 lines)\nassistant So."},
		{"a failure whose call is not shown", sent + "Go⟧\n\n  ⎿  ⟦ #ff6b80|Error: no such file⟧\n",
			"user Go\ntool Error: no such file error Error: no such file"},
		{"an item below code", said + "So:\n\n  ⟦ p4|func⟧ a() {}\n  - then call b.run(); x = 1;",
			"assistant So:||```|func a() {}|```||- then call b.run(); x = 1;"},
		{"a path, a slash and a command", sent + "/Users/x is a path⟧\n\n" + sent + "/⟧\n\n" + sent +
			"/cost⟧\n  ⎿  Total cost: $0.01\n     two rows\n",
			"user /Users/x is a path\nuser /\ncommand `/cost` -> Total cost: $0.01|two rows"},
		{"a call that waits (1.0)", "⟦ #999999|●⟧ ⟦ #999999|Bash(ls -1)⟧", "tool `Bash(ls -1)` running"},
		{"a line of a prompt that fills its row (2.0)",
			"⟦ #ffffff on#373737|> " + strings.Repeat("word ", 10) + "ends⟧\n⟦ #ffffff on#373737|More.⟧",
			"user " + strings.Repeat("word ", 10) + "ends|More."},
		{"a cut word goes on at column 0, a sign begins something else (1.0)",
			"⟦ #999999|> See https://example.test/a/long/path/to/the/last/row/wi⟧\n⟦ #999999|ndow?id=9336⟧\n\n" +
				"⟦ #999999|✻ Thinking…⟧\n\n  ⟦i #999999|So.⟧",
			"user See https://example.test/a/long/path/to/the/last/row/window?id=9336\nthinking So."},
		{"a prompt of which only the first row is grey (1.0)",
			"⟦ #999999|> Is it true that a stale token duplicates the ⟧\n" +
				"  write-ahead log, or is it so that each of us now does\n  so?\n\n⟦ #999999|✻ Thinking…⟧\n\n  ⟦i #999999|So.⟧",
			"user Is it true that a stale token duplicates the write-ahead log, or is it so that each of us now does so?\n" +
				"thinking So."},
		{"what a command that was never on the screen has printed, below a reply",
			said + "So.\n⟨lost⟩\n  ⎿  Catch you later!", "assistant So."},
		{"a call whose marker blinks", "  ⟦b|Bash⟧(ls -1)\n  ⎿  Running…\n\n  ⟦b|Nobody⟧(ls)",
			"tool `Bash(ls -1)` ok Running…"},
		{"a call of an MCP server", "⟦ #4eba65|●⟧ ⟦b|shop - find (MCP)⟧(query: \"x\")",
			"tool `shop - find (MCP)(query: \"x\")` ok"},
		{"a group behind lost rows, below a reply", said + "So.\n⟨lost⟩\n  ⟦ #999999|Read 2 files⟧",
			"assistant So.\ntool `Read` ok…\ntool `Read` ok…"},
		{"bold code in 16 colours", "⟦ p15|●⟧ See:\n\n  ⟦b p12|go test⟧ it", "assistant See:||**`go test`** it"},
		{"a call without brackets", "⟦ #4eba65|●⟧ ⟦b|Update Todos⟧\n  ⎿  ☒ one\n     ☐ two",
			"tool `Update Todos` ok ☒ one|☐ two"},
		{"calls that ended badly",
			"⟦ #ff6b80|●⟧ ⟦b|Bash⟧(make)\n  ⎿  ⟦ #ff6b80|Error: 2⟧\n\n⟦ #ff6b80|●⟧ ⟦b|Bash⟧(rm x)\n" +
				"  ⎿  User rejected the command\n\n⟦ #4eba65|●⟧ ⟦b|Bash⟧(sleep…)\n  ⎿  ⟦ #ff6b80|Interrupted by user⟧",
			"tool `Bash(make)` error Error: 2\ntool `Bash(rm x)` rejected User rejected the command\n" +
				"tool `Bash(sleep…)` rejected Interrupted by user…\ncli:interrupted"},
		{"what the user stopped (1.0)", said + "Half\n  ⎿  ⟦ #ff6b80|[Request interrupted by user]⟧",
			"assistant Half (partial)\ncli:interrupted"},
		{"a group that was stopped",
			"⟦ #999999|●⟧ Running ⟦b|1⟧ shell command…\n⟦ #999999|  ⎿  $ make⟧\n⟦ #999999|  ⎿  Interrupted · What now?⟧",
			"tool `Bash` running\ncli:interrupted"},
		{"a group in a narrow window",
			"  ⟦ #999999|Read ⟧⟦b #999999|2⟧⟦ #999999| files, ran⟧\n  ⟦ #999999|1 shell command (ctrl+o to " +
				"expand)⟧\n\n" + said + "So.", "tool `Read` ok…\ntool `Read` ok…\ntool `Bash` ok…\nassistant So."},
		{"groups of servers, and of a failure",
			"  ⟦ #999999|Called shop 2 times (ctrl+o to expand)⟧\n\n  ⟦ #999999|Queried 3 docs⟧\n\n" +
				"  ⟦ #999999|Ran 1 shell command · ⟧⟦ #ff6b80|1 failed⟧\n\n  ⟦ #999999|Thought for 3s, read 1 file⟧",
			"tool `Call(shop)` ok…\ntool `Call(shop)` ok…\ntool `Call` ok…\ntool `Call` ok…\ntool `Call` ok…\n" +
				"tool `Bash` error…\ntool `Read` ok…"},
		{"a sentence like a group", said + "Yes.\n\n  Read 2 files, ran 1 shell command",
			"assistant Yes.||Read 2 files, ran 1 shell command"},
		{"agents with their results",
			"⟦ #4eba65|●⟧ 2 agents finished (ctrl+o to expand)\n   ├─ Count files · 2 tool uses\n   │  ⎿  Done\n" +
				"   └─ Find text · 1 tool use\n      ⎿  Done\n\n" + said + "So.",
			"tool `Agent(Count files)` ok Done\ntool `Agent(Find text)` ok Done\nassistant So."},
		{"a reply about agents", said + "Running 2 agents\n\n  is slow.", "assistant Running 2 agents||is slow."},
		{"answers", "⟦ #4eba65|●⟧ User answered Claude's questions:\n  ⎿  · Which store? → Memory\n     · Which\n" +
			"       port? → 80\n\n" + said + "Look here:\n  ⎿  no answer",
			"tool `AskUserQuestion(Which store?\nWhich port?)` ok Memory|80\nassistant Look here:|⎿  no answer"},
		{"a reply without a corner below", said + "Look:", "assistant Look:"},
		{"a table in a narrow window",
			said + "Sizes:\n\n  ⟦b|Name:⟧ cache\n  ⟦b|Size:⟧ 12\n    MB\n  ────────\n  ⟦b|Name:⟧ log\n  ⟦b|Size:⟧ 3\n" +
				"  Two of them.", "assistant Sizes:||| Name | Size ||| --- | --- ||| cache | 12 MB ||| log | 3 |||Two of them."},
		{"bold words before colons", said + "See:\n\n  ⟦b|Note:⟧ this is not a table\n\n  ────────────────\n\n" +
			"  ⟦b|Note:⟧ so", "assistant See:||**Note:** this is not a table||---||**Note:** so"},
		{"lists", said + "Steps:\n\n  1. one\n    a. deep\n      iv. deeper\n  - dash\n  1) one",
			"assistant Steps:||1. one|   1. deep|      iv. deeper|- dash|1) one"},
		{"headings and quotes",
			said + "⟦biu|Title⟧\n\n  ⟦b|Part⟧\n\n  ⟦b #b1b9f9|code_name⟧\n\n  ⟦b|Not one.⟧\n\n  ⟦ #999999|▎⟧ ⟦i|A quote⟧\n" +
				"  ⟦ #999999|▎⟧\n  ⟦ #999999|▎⟧ ⟦i|of two⟧",
			"assistant # Title||## Part||## `code_name`||**Not one.**||> A quote|>|> of two"},
		{"code by its words", said + "Run:\n\n  make test\n  make lint\n\n  ├── cmd\n  └── main.go\n\n  if x {\n" +
			"      return y\n  }\n\n  And so on, as before.",
			"assistant Run:||```|make test|make lint||├── cmd|└── main.go||if x {|    return y|}|```||And so on, as before."},
		{"code in the colours of a grammar", said +
			"See:\n\n  ⟦ p5|def⟧ a():\n      ⟦ p5|return⟧ 1\n\n      more = 2\n\n  Done then.",
			"assistant See:||```|def a():|    return 1||    more = 2|```||Done then."},
		{"a prompt of 2.0 with a blank line", "⟦ #ffffff on#373737|> one⟧\n\n⟦ #ffffff on#373737|two⟧\n\n" + said + "So.",
			"user one||two\nassistant So."},
		{"a prompt that waits in the composer", "> plain words\n\n⟦ #ffffff on#373737|> ⟧", ""},
		{"shell lines", "⟦ #fd5db1 on#413c41|! ⟧⟦ #ffffff on#413c41|ls⟧\n⟦ #fd5db1 on#413c41|  -1⟧\n" +
			"⟦ #999999|  ⎿  (No output)⟧\n\n! plain", "shell `ls|-1`"},
		{"the rest of a reply", sent + "Go⟧\n⟨lost⟩\n  ends here.\n\n" + sent + "On⟧",
			"user Go\nassistant ends here.\nuser On"},
		{"the rest of a prompt", "⟨lost⟩\n⟦ #ffffff on#373737|  and more⟧\n\n" + said + "So.",
			"user and more\nassistant So."},
		{"lost rows in code", said + "See:\n\n  ⟦ p5|def⟧ a\n\n⟨lost⟩\n      ⟦ p5|return⟧ 1\n\n  So.",
			"assistant See:||```|def a|    return 1|```||So."},
		{"the rest of a table in code",
			said + "See:\n\n  ⟦ p5|def⟧ a\n⟨lost⟩\n  │ 1 │ x │\n  ├───┼───┤\n  │ 2 │ y │\n  └───┴───┘\n\n  So.",
			"assistant See:||```|def a|```|||  |  ||| --- | --- ||| 1 | x ||| 2 | y |||So."},
		{"the rest of a prompt below a reply", said + "So.\n⟨lost⟩\n⟦ #ffffff on#373737|  and more⟧",
			"assistant So.\nuser and more"},
		{"the rest of a prompt (1.0)",
			"⟦ #999999|> One⟧\n\n● So.\n⟨lost⟩\n  of its line\n⟦ #999999|  another line⟧\n  and its rest\n\n● So.\n⟨lost⟩\n" +
				"  said\n⟦i #999999|  in thought⟧\n⟦d|  A heading⟧",
			"user One\nassistant So.\nuser of its line|another line|and its rest\n" +
				"assistant So.||said|*in thought*||### A heading"},
		{"the rest of an output", "⟦ #999999|●⟧ ⟦b|Bash⟧(ls)\n⟨lost⟩\n     main.go\n\n" + said + "So.",
			"tool `Bash(ls)` ok main.go\nassistant So."},
		{"the rest of an output of a call that is done",
			"⟦ #4eba65|●⟧ ⟦b|Bash⟧(ls)\n  ⎿  a\n⟨lost⟩\n     other.go\n\n" + said + "So.",
			"tool `Bash(ls)` ok a|other.go\nassistant So."},
		{"the rest of an output of a call that has printed",
			"⟦ #999999|●⟧ ⟦b|Bash⟧(ls)\n  ⎿  a\n  words\n⟨lost⟩\n     other.go\n\n" + said + "So.",
			"tool `Bash(ls)` running a\ntool other.go ok other.go\nassistant So."},
		{"rows of nobody", "⟨lost⟩\n  nobody's words\n\n⟦ #999999|✽⟧ ⟦ #999999|Cooking…⟧ (3s)\n  ⎿  Tip: x", ""},
		{"a tree in a reply", said + "Files:\n  ├ a\n  └ b\n\n" + said + "My agents\n  are\n  ├ a\n\n" + said +
			"My agents\n  ⎿  x\n\n" + said + "Look:\n  · one",
			"assistant Files:||```|├ a|└ b|```\nassistant My agents||```|are|├ a|```\nassistant My agents|⎿  x\n" +
				"assistant Look:|· one"},
		{"text with signs of lists",
			said + "Steps:\n\n  - one\n    a.go is a file\n\n  - two\n\n    etc. and more\n\n    c\n\n  ab. no number",
			"assistant Steps:||- one|  a.go is a file||- two||  etc. and more||  c||ab. no number"},
		{"styles that are no code",
			"⟦ p15|●⟧ See:\n\n  ⟦ p12|import⟧ os\n\n  ⟦ p8|grey words of no code⟧\n\n  ⟦ p15|white words of text⟧\n\n" +
				"  use ⟦ #b1b9f9|this⟧ word\n\n  ⟦u|all of a link⟧\n\n  So.",
			"assistant See:||```|import os|```||grey words of no code||white words of text||use `this` word||all of a " +
				"link||So."},
		{"a word like a keyword beside code in 16 colours, and in 256",
			"⟦ p15|●⟧ ⟦ p15|Then⟧\n\n  ⟦ p15|use⟧ ⟦ p12|this⟧ ⟦ p15|word⟧\n\n  use ⟦ p147|that⟧ one",
			"assistant Then||use `this` word||use `that` one"},
		{"a prompt of two rows right above a call that runs",
			sent + "Go on⟧\n⟦ #ffffff on#373737|  please⟧\n⟦ #999999|  ⎿  $ make⟧", "user Go on|please"},
		{"256 colours", "⟦ p231|●⟧ See:\n\n  ⟦ p12|x⟧ = 1", "assistant See:||```|x = 1|```"},
		{"grey words in thinking and in a reply",
			"⟦ #999999|∴ Thinking…⟧\n\n    ⟦i #999999|Read 2 files⟧\n\n  ⟦i #999999|So.⟧\n\n" + said +
				"Look:\n\n  ⟦ #999999|Wrapped 2 lines⟧\n\n    text\n\n  ⎿  note",
			"thinking Read 2 files||So.\nassistant Look:||Wrapped 2 lines||text||⎿  note"},
		{"a prompt on a Linux console", "⟦ p7 onp8|> ⟧⟦ p15 onp8|Why?⟧\n\n⟦ p15|●⟧ So.\n\n  > not a prompt",
			"user Why?\nassistant So.||> not a prompt"},
		{"the message of a hook below a reply",
			said + "Look:\n\n  Nothing else reads it.\n⟦ #999999|  ⎿  Stop says: Turn archived⟧",
			"assistant Look:||Nothing else reads it."},
		{"a plan that was rejected",
			said + "I plan first.\n⟦ #999999|  ⎿  Rejected Claude's plan:⟧\n     ⟦ #48968c|╭──────╮⟧\n" +
				"     ⟦ #48968c|│⟧ Plan ⟦ #48968c|│⟧\n     ⟦ #48968c|╰──────╯⟧\n\n" + sent + "Go on⟧",
			"assistant I plan first.\nuser Go on"},
		{"a call that a hook forbids, and one that it comments on",
			"  ⟦ #999999|Listed 1 directory⟧\n⟦ #999999|  ⎿  Not run · permission denied⟧\n" +
				"     ⟦d|│⟧ ⟦ #999999|Reason: no⟧\n\n  ⟦ #999999|Read 1 file⟧\n⟦ #999999|  ⎿  PostToolUse:Read says: ok⟧",
			"tool `List` rejected Not run · permission denied|│ Reason: no\ntool `Read` ok…"},
		{"the language above code without colours",
			said + "Run:\n\n  ⟦d|mermaid⟧\n  graph TD\n    A --> B\n\n    B --> C\n  So it goes with ⟦ #b1b9f9|A⟧.\n\n" +
				"  ⟦d|env⟧\n  PORT=80\n\n  # first time only\n  HOST=a\n\n  So.",
			"assistant Run:||```mermaid|graph TD|  A --> B||  B --> C|```||So it goes with `A`.||```env|PORT=80||# first " +
				"time only|HOST=a|```||So."},
		{"bold words that begin with a number", said + "⟦b|1. Money.⟧ It is gone.\n\n  ⟦b|2. Names⟧\n\n  So.",
			"assistant **1. Money.** It is gone.||## 2. Names||So."},
		{"code in an item, and the next item right below",
			said + "1. ⟦b|Money.⟧ See:\n  ⟦ p5|def⟧ a():\n      npm run dev\n  2. ⟦b|Names.⟧ Use ⟦ #b1b9f9|b⟧.\n" +
				"  3. Last one of them.",
			"assistant 1. **Money.** See:|   ```|   def a():|       npm run dev|   ```|2. **Names.** Use `b`.|3. Last one of " +
				"them."},
		{"a command of plain words below one that is coloured",
			said + "Run:\n\n  ⟦ p6|cd⟧ cond/api\n  npm install\n  npm run dev\n  It listens on port 80 then.\n\n  So.",
			"assistant Run:||```|cd cond/api|npm install|npm run dev|```||It listens on port 80 then.||So."},
		{"bold words above a blank row and above text",
			said + "⟦b|What works now:⟧\n\n  1. One\n\n  ⟦b|And more:⟧\n  - two",
			"assistant ## What works now:||1. One||**And more:**|- two"},
		{"code above an item", said + "See:\n\n  ⟦ p5|def⟧ a\n\n    - an item, with words in it\n\n  So.",
			"assistant See:||```|def a|```||- an item, with words in it||So."},
		{"the rest of a reply, all of it code", sent + "Go⟧\n⟨lost⟩\n  ⟦ #b1b9f9|name⟧", "user Go\nassistant `name`"},
		{"the rest of a reply at another column", sent + "Go⟧\n⟨lost⟩\n   at last.", "user Go\nassistant at last."},
		{"a comment above a statement that had no room beside it",
			said + "See:\n\n  ⟦ p2|// This event is fired when the server listens.⟧\n  client.⟦ p3|on⟧(⟦ p1|'ready'⟧)\n\n" +
				"  So.", "assistant See:||```|// This event is fired when the server listens.|client.on('ready')|```||So."},
		{"a command with an option, and one with a variable",
			said + "Run:\n\n  asasalint -e append ./...\n\n  Or do this:\n\n  LEVEL=1 qwen\n\n  So.",
			"assistant Run:||```|asasalint -e append ./...|```||Or do this:||```|LEVEL=1 qwen|```||So."},
		{"text right below a command and its output",
			said + "Run:\n\n  $ exhaustive\n  a.go:15:2: missing cases\n  Though it is not so here.",
			"assistant Run:||```|$ exhaustive|a.go:15:2: missing cases|```||Though it is not so here."},
		{"code in whose first line only a sign is grey",
			said + "Run:\n\n  ⟦ p8|#⟧!/bin/bash\n  A=\"$date\" B=\"$name\"\n  C=\"$mail\" git tag -s -f ${tag} -m ${tag}\n\n" +
				"  So.", "assistant Run:||```|#!/bin/bash|A=\"$date\" B=\"$name\"|C=\"$mail\" git tag -s -f ${tag} -m " +
				"${tag}|```||So."},
		{"code right above a list",
			said + "See:\n\n  ⟦ p5|def⟧ a\n    - an item with words in it\n\n  make test\n  - an item with words\n",
			"assistant See:||```|def a|```||- an item with words in it||```|make test|```||- an item with words"},
		{"a tree of files", said + "See:\n\n  ├── cmd\n  words\n\n  So.", "assistant See:||```|├── cmd|words|```||So."},
		{"grey rows of an output", "⟦ #4eba65|●⟧ ⟦b|Bash⟧(ls)\n  ⎿  a\n\n     ⟦ #999999|Read 2 files⟧\n\n     ⟦b|Bash⟧(ls)",
			"tool `Bash(ls)` ok a||Read 2 files||Bash(ls)"},
		{"a group that the terminal wrapped", "  ⟦ #999999|Read 2 fi⟧\n+⟦ #999999|les, ran 1 shell command⟧",
			"tool `Read` ok…\ntool `Read` ok…\ntool `Bash` ok…"},
		{"groups that run", "⟦ #999999|●⟧ Running ⟦b|1⟧ shell command…\n⟦ #999999|  ⎿  $ make a, b⟧\n\n" +
			"⟦ #999999|●⟧ Reading ⟦b|2⟧ files…\n\n⟦ #999999|●⟧ Searching for ⟦b|1⟧ pattern…\n⟦ #999999|  ⎿  \"x\"⟧\n\n" +
			"⟦ #999999|●⟧ Running ⟦b|1⟧ shell command…\n⟦ #999999|  ⎿  some words⟧\n\n⟦ #999999|  ⟧Reading ⟦b|3⟧ files…",
			"tool `Bash(make a, b)` running\ntool `Read` running\ntool `Read` running\ntool `Search(\"x\")` running\n" +
				"tool `Bash(some words)` running\ntool `Read` running\ntool `Read` running\ntool `Read` running"},
		{"a group that was stopped at once", "⟦ #999999|●⟧ Reading ⟦b|2⟧ files…\n⟦ #999999|  ⎿  Interrupted · What now?⟧",
			"tool `Read` running\ntool `Read` running\ncli:interrupted"},
		{"a list of commands right below code", said + "See:\n\n  ⟦ p5|def⟧ a\n  - npm install x\n  - go",
			"assistant See:||```|def a|```||- npm install x|- go"},
		{"grey words like a group", "  ⟦ #999999|Wrapped 2 lines⟧\n\n  ⟦ #999999|Called shop with care⟧\n\n" +
			"  ⟦ #999999|Called shop again⟧\n\n  ⟦ #999999|Ran 2 shell commands · 1 failed⟧", "tool `Bash` ok…\n" +
			"tool `Bash` ok…"},
		{"text that was broken", sent + "Go⟧\n\n" + said + "One row of text that ends before the edge of its wind\n  abcd",
			"user Go\nassistant One row of text that ends before the edge of its wind|abcd"},
		{"rows of nobody, wrapped", "⟦ #999999|✻ Baked for 1s⟧\n+● x", ""},
		{"a call behind lost rows", sent + "Go⟧\n⟨lost⟩\n  ⟦b|Bash⟧(ls)", "user Go\ntool `Bash(ls)` ok"},
		{"a call in the rest of a reply", sent + "Go⟧\n⟨lost⟩\n  It called\n  ⟦b|Bash⟧(ls)",
			"user Go\nassistant It called|**Bash**(ls)"},
		{"the rest of an output of a call that was done", "⟦ #4eba65|●⟧ ⟦b|Bash⟧(ls)\n⟨lost⟩\n     main.go",
			"tool `Bash(ls)` ok\ntool main.go ok main.go"},
		{"prompts of 1.0 and 2.0", "⟦ #ffffff on#373737|> " + strings.Repeat("x", 58) +
			"⟧\n+⟦ #ffffff on#373737|> y⟧\n● So.\n⟦ #ffffff on#373737|> two⟧\n\n⟦d|> " + strings.Repeat("x", 58) +
			"⟧\n+⟦d|two⟧\n⟦d|  three⟧\n\n  plain\n\n⟦d|> four⟧\n⟦d|five⟧\n\n⟦d|> six⟧\n" +
			"⟦d|  seven eight nine ten eleven twelve thirteen fourteen 15⟧\n\n⟦d|> /cost⟧\n⟦d|  ⎿  $1⟧",
			"user xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx> y\nassistant So.\nuser two\n" +
				"user xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxtwo|  three\nuser four|five\n" +
				"user six|seven eight nine ten eleven twelve thirteen fourteen 15\ncommand `/cost` -> $1"},
		{"bold words", "⟦ #4eba65|●⟧ ⟦b|Bold⟧ words\n\n" + said + "Look:\n\n  ⟦b|Read⟧\n\n  So.",
			"system **Bold** words\nassistant Look:||## Read||So."},
		{"markers that blink", "  ⟦b|Nobody⟧(ls)\n⟦ #999999|  ⎿  x⟧\n\n  Cooking… (3s)\n⟦ #999999|  ⎿  Tip: x⟧", ""},
		{"states of calls", "⟦ #ff6b80|●⟧ ⟦b|Bash⟧(make)\n  ⎿  2\n\n⟦ #4eba65|●⟧ ⟦b|Bash⟧(make)\n" +
			"  ⎿  ⟦ #ff6b80|Error: 2⟧\n\n⟦ #999999|●⟧ ⟦b|Bash⟧(ls)\n  ⎿  Running…\n\n⟦ #999999|●⟧ ⟦b|Bash⟧(ls)\n  ⎿  12\n\n" +
			"⟦ #999999|●⟧ ⟦ #999999|Bash(ls)  …⟧\n\n⟦ #4eba65|●⟧ ⟦b|Update⟧(⟦b|main.go⟧)\n  ⎿  … and so on\n" +
			"     … 9 more (ctrl+o to expand)\n\n⟦ #4eba65|●⟧ ⟦b|Bash⟧(y)\n  ⎿  a (ctrl+o to expand)\n\n" +
			"⟦ #4eba65|●⟧ ⟦b|Bash⟧(x)\n  ⎿  Interrupted by user\n  ⎿  Tip: y",
			"tool `Bash(make)` error 2\ntool `Bash(make)` error Error: 2\ntool `Bash(ls)` running\n" +
				"tool `Bash(ls)` running 12\ntool `Bash(ls)` running\ntool `Update(main.go)` ok … and so on…\n" +
				"tool `Bash(y)` ok a…\ntool `Bash(x)` rejected Interrupted by user\ncli:interrupted"},
		{"a table whose upper border is from before it grew",
			said + "See:\n\n  ┌───┬─────┐\n  │    a    │  b  │\n  ├─────────┼─────┤\n  │ longer  │ 2   │\n  └─────────┴─────┘",
			"assistant See:||| a | b ||| --- | --- ||| longer | 2 |"},
		{"boxes", said + "See:\n\n  ⟦ #b1b9f9|┌─────┬─────┐⟧\n  ⟦ #b1b9f9|│  a  │  b  │⟧\n  ⟦ #b1b9f9|├─────┼─────┤⟧\n" +
			"  ⟦ #b1b9f9|│ 1   │ 2   │⟧\n  ⟦ #b1b9f9|└─────┴─────┘⟧\n\n  Or:\n\n  ┌─────┬─────┐\n  │     │  b  │\n" +
			"  ├─────┼─────┤\n  │ 1   │ 2   │\n  └─────┴─────┘\n\n  Or:\n\n  ┌────┬────┐\n  │ a  │ b  │\n  ├────┼────┤\n" +
			"  │ 1  │ 2  │\n  └────┴────┘\n\n  Or:\n\n  ┌───┬─────┐\n  │ a │ b   │\n  ├───┼─────┤\n  │ 1 │ 2   │\n" +
			"  └───┴─────┘", "assistant See:||```|┌─────┬─────┐|│  a  │  b  │|├─────┼─────┤|│ 1   │ 2   " +
			"│|└─────┴─────┘|```||Or:|||  | b ||| --- | --- ||| 1 | 2 |||Or:||```|┌────┬────┐|│ a  │ b  │|├────┼────┤|│ 1  │ " +
			"2  │|└────┴────┘|```||Or:||```|┌───┬─────┐|│ a │ b   │|├───┼─────┤|│ 1 │ 2   │|└───┴─────┘|```"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lost := false
			var rows []string
			var after []int
			for _, r := range strings.Split(c.dump, "\n") {
				if r == "⟨lost⟩" {
					lost = true
					continue
				}
				if lost {
					after = append(after, len(rows))
				}
				rows, lost = append(rows, r), false
			}
			lines := rowtest.Dump(t, 60, strings.Join(rows, "\n"))
			for _, k := range after {
				lines[k].Lost = true
			}
			var got []string
			for _, it := range parse(lines) {
				it.Text = it.Markdown
				got = append(got, itemWords(it))
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("got %q\n(-want +got):\n%s", got, cmp.Diff(c.want, got))
			}
		})
	}
}

// TestOverlaid knows notices that Claude Code draws over a row of the conversation.
func TestOverlaid(t *testing.T) {
	for dump, want := range map[string]bool{
		"⟦ p8|  tmux detected · scroll with PgUp/PgDn⟧":      true,
		"⟦ p8|                        ◐ medium · /effort⟧":   true,
		"⟦ p8|  ⎿  Tip: Start small⟧":                        false,
		"⟦ p8|     plan, and verify it⟧":                     false,
		"  A row of a reply":                                 false,
		"  A row of a ⟦ p8|reply, half of it grey⟧":          false,
		"                                 at the right, too": false,
	} {
		if got := overlaid(rowtest.Dump(t, 45, dump)[0]); got != want {
			t.Errorf("%q: %v", dump, got)
		}
	}
}

// TestResultParted has a blank row between two parts of a result.
func TestResultParted(t *testing.T) {
	out := resultOf(rowtest.Plain(40, "  ⎿  one", "", "  ⎿  Interrupted"))
	if out.text != "one" || !out.stopped {
		t.Errorf("%q, %v", out.text, out.stopped)
	}
}

// TestUnmarkedCorner has corners, one of them on a row that the terminal has wrapped: no call
// begins there.
func TestUnmarkedCorner(t *testing.T) {
	for _, dump := range []string{"⟦ p8|  ⎿  Tip: plan it⟧\n  ⎿  Running…", "+⟦ p8|  ⎿  Tip: plan it⟧\n  ⎿  Running…"} {
		if unmarked(rowtest.Dump(t, 40, dump), nil) {
			t.Errorf("%q begins a call", dump)
		}
	}
}
