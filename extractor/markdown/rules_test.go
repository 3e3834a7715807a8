package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/vterm"
)

// pointed reads items as Claude Code draws them: no number has a bracket.
var pointed = Style{Left: 2, Code: coloured, Item: func(l *Line) (Item, bool) {
	it, ok := ListItem(l)
	return it, ok && !strings.HasSuffix(it.Mark, ")")
}}

// coloured reads code line by line, edged with other items than Claude Code.
var edged = Style{Left: 2, Code: coloured}

// hanging reads code that is wrapped as Codex does it.
var hanging = Style{Left: 2, Code: coloured, CodeHangs: true}

func coloured(ls []Line) int {
	return CodeRun(ls, func(l *Line) bool { return l.First().Fg.Kind == vterm.ColorPalette })
}

// boxed reads tables in which words are cut only where they must be.
var boxed = Style{Left: 2, WholeCells: true, Border: func(ls []Line) bool { return !ls[0].First().Dim }}

// piped and fielded read the other tables; tasks reads a list item without a text.
var (
	piped   = Style{Left: 2, Table: PipeTable, Marks: codexish.Marks}
	fielded = Style{Left: 2, Table: FieldTable}
	tasks   = Style{Left: 2, Item: func(l *Line) (Item, bool) {
		rest, ok := strings.CutPrefix(l.Text[l.Indent:], "✓")
		return l.ItemOf(TaskDone, -1, 1, rest), ok
	}}
)

func TestRules(t *testing.T) {
	tests := []struct {
		name, rows string
		look       Style
		cols       int
		want       string
	}{
		{"a quote below a full line", "● The cache is full now\n  ▎ quoted", claudeish, 24,
			"The cache is full now\n\n> quoted"},
		{"a list below a full line, indented", "● The cache is full now:\n   - one\n   - two", claudeish, 25,
			"The cache is full now:\n- one\n- two"},
		{"a heading below a heading", "⟦b|● One⟧\n  ⟦b|Two⟧\n\n  Text.", claudeish, 40, "## One\n\n## Two\n\nText."},
		{"text below a heading that is full", "⟦b|● The cache is full⟧\n  indeed.", claudeish, 20,
			"## The cache is full\n\nindeed."},
		{"a heading that is wrapped", "⟦b|● The cache is full⟧\n  ⟦b|now⟧\n\n  Text.", claudeish, 20,
			"## The cache is full now\n\nText."},
		{"seven signs are no heading", "⟦b|● ####### x⟧", codexish, 40, "**####### x**"},
		{"signs and a letter are no heading", "⟦b|● ##x⟧", codexish, 40, "**##x**"},
		{"a title between strokes is no rule", "● One.\n\n  ─── Two ───", claudeish, 40, "One.\n\n─── Two ───"},
		{"strokes in a code span are no rule", "● One.\n\n  ⟦ #b1b9f9|---⟧", claudeish, 40, "One.\n\n`---`"},
		{"items whose words are not there yet", "  1. one two three\n  2.\n  3.\n\n  Of version\n  7.", claudeish, 40,
			"1. one two three\n2.\n3.\n\nOf version\n7."},
		{"an item left of the full one above", "  - One\n      - the cache is full\n    - now\n  - Two", claudeish, 24,
			"- One\n  - the cache is full\n  - now\n- Two"},
		{"a list right below a heading", "⟦b|● One⟧\n  - two\n  - three", claudeish, 40, "## One\n\n- two\n- three"},

		{"items that all have one number", "● 1. One\n  1. Two", claudeish, 40, "1. One\n1. Two"},
		{"an item's number again", "● 1. One\n\n  1. still one", claudeish, 40, "1. One\n\n   still one"},
		{"the same number in a nested list", "● 1. One\n\n     1. Sub", claudeish, 40, "1. One\n\n   1. Sub"},
		{"numbers that end at one column", "●\n   9. Nine\n  10. Ten\n  11. Eleven", claudeish, 40,
			"9. Nine\n10. Ten\n11. Eleven"},
		{"a number below a full line", "●\n   9. Nine is full now\n  10. Ten", claudeish, 24, "9. Nine is full now\n10. Ten"},
		{"a bullet where a number's text begins", "●\n  1. One\n    - sub", claudeish, 40, "1. One\n   - sub"},
		{"a number where a bullet's text is", "●\n  - one\n 1. two", Style{Left: 0}, 40, "●\n- one\n1. two"},
		{"a number in an item that is no marker", "● - It was released in the autumn of\n    2024. Nobody noticed.",
			claudeish, 60, "- It was released in the autumn of\n  2024. Nobody noticed."},
		{"a number below a bullet whose line is full", "● - It was released in the autumn of\n  2024. Nobody noticed.",
			claudeish, 38, "- It was released in the autumn of 2024. Nobody noticed."},
		{"numbers that have moved to the right", "●\n  98. One\n   99. Two", claudeish, 40, "98. One\n99. Two"},
		{"code at the edge that a number further left is behind", "●\n     1. One\n\n  ⟦ p4|npm⟧ ci\n  2. Two", edged, 40,
			"1. One\n\n```\nnpm ci\n```\n\n2. Two"},
		{"a bracket behind a number", "● 1) One\n  2) Two", codexish, 40, "1) One\n2) Two"},
		{"no number at all", "● x. One", codexish, 40, "x. One"},
		{"text in an item with a bracket", "● 1) One\n\n     Text.", codexish, 40, "1) One\n\n   Text."},
		{"a bullet whose words come later", "● -\n  next", claudeish, 40, "-\n  next"},
		{"a nested item below a full line", "● - The cache is full now\n    - sub", claudeish, 25,
			"- The cache is full now\n  - sub"},
		{"a task without a text", "● ✓\n\n  next", tasks, 40, "- [x]\n\nnext"},

		{"rows of code that begin alike",
			"●\n  ⟦ p4|made by two programs:⟧\n  ⟦ p4|BenchmarkOne 1 ns⟧\n  ⟦ p4|BenchmarkTwo 2 ns⟧", edged, 28,
			"```\nmade by two programs:\nBenchmarkOne 1 ns\nBenchmarkTwo 2 ns\n```"},
		{"code at the edge that a list goes on behind", "● 1. One\n\n  ⟦ p4|npm⟧ ci\n  2. Two", edged, 40,
			"1. One\n\n   ```\n   npm ci\n   ```\n2. Two"},
		{"code at the edge that another list is behind", "● 1. One\n\n  ⟦ p4|npm⟧ ci\n  - two", edged, 40,
			"1. One\n\n```\nnpm ci\n```\n\n- two"},
		{"code at the edge with a number behind it", "● 1. One\n\n  ⟦ p4|npm⟧ ci\n  2) Two", pointed, 40,
			"1. One\n\n```\nnpm ci\n```\n\n2) Two"},
		{"code at the edge that an item announces", "● - One:\n\n  ⟦ p4|npm⟧ ci\n\n  Two", claudeish, 40,
			"- One:\n\n  ```\n  npm ci\n  ```\n\nTwo"},
		{"code at the edge below a paragraph of an item", "● - One\n\n    more:\n\n  ⟦ p4|npm⟧ ci", claudeish, 40,
			"- One\n\n  more:\n\n```\nnpm ci\n```"},
		{"code that goes on at its edge", "●\n  ⟦ p4|npm⟧ install one two\n  three", claudeish, 25,
			"```\nnpm install one two three\n```"},
		{"code further in below a full line", "●\n  ⟦ p4|if one two three {⟧\n    ⟦ p4|run⟧", hanging, 22,
			"```\nif one two three {\n  run\n```"},
		{"code that goes on below its line's beginning", "●\n  ⟦ p4|if {⟧\n    ⟦ p4|run one two three⟧\n    ⟦ p4|four⟧",
			hanging, 22, "```\nif {\n  run one two three four\n```"},
		{"a long token behind a blank line of code", "●\n  ⟦ p4|npm⟧ ci\n\n  ⟦ p4|https://example.test/a⟧\n  ⟦ p4|b⟧",
			edged, 24, "```\nnpm ci\n\nhttps://example.test/ab\n```"},
		{"code with numbers and a blank line in an item",
			"●\n  1. One\n  ⟦ #afafaf|1⟧    a\n  ⟦ #afafaf|2⟧\n  ⟦ #afafaf|3⟧    b", geminiish, 40,
			"1. One\n   ```\n   a\n\n   b\n   ```"},
		{"a number too high in code with numbers", "●\n  ⟦ #afafaf|1⟧ a\n  ⟦ #afafaf|3⟧ b", geminiish, 40,
			"```\na\n```\n\n3 b"},
		{"numbers apart", "●\n  ⟦ #afafaf|1⟧ a\n\n  ⟦ #afafaf|4⟧ b", geminiish, 40, "```\na\n```\n\n4 b"},
		{"a blank line without its number", "●\n  ⟦ #afafaf|1⟧ a\n\n  ⟦ #afafaf|3⟧ b", geminiish, 40, "```\na\n\nb\n```"},
		{"numbers in pieces", "●\n  ⟦ #afafaf|1⟧ a\n\n    ⟦ #afafaf|2⟧ b\n\n      c", geminiish, 40, "```\na\nb\n```\n\nc"},
		{"numbers at the end", "●\n  ⟦ #afafaf|1⟧ a\n\n", geminiish, 40, "```\na\n```"},
		{"code with numbers whose line is wrapped at a blank", "●\n  ⟦ #afafaf|1⟧ install one\n    two", geminiish, 18,
			"```\ninstall one two\n```"},

		{"a box with a title is no table", "●\n  ┌─ Title ─┐\n  │ boxed   │\n  ├─────────┤\n  └─────────┘", claudeish, 40,
			"┌─ Title ─┐\n│ boxed   │\n├─────────┤\n└─────────┘"},
		{"a box whose corner is missing", "●\n  ┌────┬──\n  │ a  │\n  ├────┼──", claudeish, 40, "┌────┬──\n│ a  │\n├────┼──"},
		{"a table without rows", "●\n  ┌───┬───┐\n  ├───┼───┤\n  └───┴───┘", claudeish, 40,
			"┌───┬───┐\n├───┼───┤\n└───┴───┘"},
		{"a box with a border below its title", "●\n  ┌─ T ─┐\n  ├─────┤\n  │ abc │\n  └─────┘", claudeish, 40,
			"┌─ T ─┐\n├─────┤\n│ abc │\n└─────┘"},
		{"a border that is being drawn", "●\n  ┌────┬──\n  │ a  │ b│\n  ├────┼──", claudeish, 40,
			"┌────┬──\n│ a  │ b│\n├────┼──"},
		{"a box that is code", "●\n  ⟦d|┌───┬───┐⟧\n  │ a │ b │\n  ├───┼───┤", boxed, 40, "┌───┬───┐\n│ a │ b │\n├───┼───┤"},
		{"a table whose lower part is wider", "●\n  ┌───┬───┐\n  │ a │ b │\n  ├────┼────┤\n  │ cc │ dd │\n  └────┴────┘",
			claudeish, 40, "| a | b |\n| --- | --- |\n| cc | dd |"},
		{"a bar in a cell", "●\n  ┌───────┬───┐\n  │ a │ b │ c │\n  ├───────┼───┤\n  │ d     │ e │\n  └───────┴───┘",
			claudeish, 40, "| a │ b | c |\n| --- | --- |\n| d | e |"},
		{"a table that is not drawn to its end", "●\n  ┌───┬───┐\n  │ a │ b │\n  ├───┼───┤\n  │ c │ d │\n\n  Text.",
			claudeish, 40, "| a | b |\n| --- | --- |\n| c | d |\n\nText."},
		{"a cell wrapped in a wider lower part",
			"●\n  ┌────┬───┐\n  │ a  │ b │\n  ├────────┼───┤\n  │ ab     │ x │\n  │ cd     │   │\n  ├────────┼───┤\n" +
				"  │ e      │ f │\n  └────────┴───┘", claudeish, 40, "| a | b |\n| --- | --- |\n| ab cd | x |\n| e | f |"},
		{"dots that do not fill a cell",
			"●\n  ┌──────┬───────┐\n  │ Name │ Note  │\n  ├──────┼───────┤\n  │ load │ on…   │\n  │ _cfg │       │\n" +
				"  └──────┴───────┘", claudeish, 40, "| Name | Note |\n| --- | --- |\n| load_cfg | on… |"},
		{"a border with other columns", "●\n  ┌───┬───┐\n  │ a │ b │\n  ├───┴───┤\n  │ c │ d │\n  └───────┘", claudeish, 40,
			"| a | b |\n| --- | --- |\n| c | d |"},
		{"whole words in cells",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ conf │    │\n  ├──────┼────┤\n" +
				"  │ a    │ b  │\n  └──────┴────┘", boxed, 40, "| Name | No |\n| --- | --- |\n| load conf | 12 |\n| a | b |"},
		{"words cut in all cells",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ _cfg │ 34 │\n  └──────┴────┘", boxed, 40,
			"| Name | No |\n| --- | --- |\n| load | 12 |\n| _cfg | 34 |"},
		{"words cut in all cells of rows apart",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ _cfg │ 34 │\n  ├──────┼────┤\n" +
				"  │ a    │ b  │\n  └──────┴────┘", boxed, 40, "| Name | No |\n| --- | --- |\n| load_cfg | 1234 |\n| a | b |"},
		{"words cut by another agent",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ _cfg │    │\n  └──────┴────┘", claudeish,
			40, "| Name | No |\n| --- | --- |\n| load_cfg | 12 |"},
		{"words cut in the first of the rows",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ _cfg │ 34 │\n  ├──────┼────┤\n" +
				"  │ a    │ b  │\n  │ c    │ d  │\n  └──────┴────┘", boxed, 40,
			"| Name | No |\n| --- | --- |\n| load_cfg | 1234 |\n| a c | b d |"},
		{"a head of two lines",
			"●\n  ┌──────┬────┐\n  │ Na   │ No │\n  │ me   │ 12 │\n  ├──────┼────┤\n  │ load │ 12 │\n  └──────┴────┘", boxed, 40,
			"| Na me | No 12 |\n| --- | --- |\n| load | 12 |"},
		{"a row of which one cell goes on in another style",
			"●\n  ┌──────┬──────┬────┐\n  │ Name │ Note │ No │\n  ├──────┼──────┼────┤\n  │ load │ xxxx │ 12 │\n" +
				"  │ conf │ ⟦b|yyyy⟧ │    │\n  └──────┴──────┴────┘", boxed, 40,
			"| Name | Note | No |\n| --- | --- | --- |\n| load conf | xxxx **yyyy** | 12 |"},
		{"a row in which one cell begins",
			"●\n  ┌──────┬──────┬────┐\n  │ Name │ Note │ No │\n  ├──────┼──────┼────┤\n  │      │ xxxx │ 12 │\n" +
				"  │ conf │ yyyy │    │\n  └──────┴──────┴────┘", boxed, 40,
			"| Name | Note | No |\n| --- | --- | --- |\n|  | xxxx | 12 |\n| conf | yyyy |  |"},
		{"Chinese in cells", "●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ 缓存 │ 12 │\n  │ 更新 │    │\n" +
			"  ├──────┼────┤\n  │ a    │ b  │\n  └──────┴────┘", boxed, 40,
			"| Name | No |\n| --- | --- |\n| 缓存更新 | 12 |\n| a | b |"},
		{"a row that would have fitted above",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ a    │ 12 │\n  │ b    │    │\n  └──────┴────┘", claudeish,
			40, "| Name | No |\n| --- | --- |\n| a | 12 |\n| b |  |"},
		{"a row in another style",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ ⟦b|conf⟧ │    │\n  └──────┴────┘",
			claudeish, 40, "| Name | No |\n| --- | --- |\n| load | 12 |\n| **conf** |  |"},
		{"a wrapped cell that goes on in another style",
			"●\n  ┌──────┬──────┐\n  │ Name │ Note │\n  ├──────┼──────┤\n  │ load │ aaaa │\n  │      │ ⟦b|bbbb⟧ │\n" +
				"  └──────┴──────┘", claudeish, 40, "| Name | Note |\n| --- | --- |\n| load | aaaa**bbbb** |"},
		{"a row of which the first cell is empty",
			"●\n  ┌──────┬──────┐\n  │ Name │ Note │\n  ├──────┼──────┤\n  │ load │ aaaa │\n  │      │ ⟦b|bbbb⟧ │\n" +
				"  │      │ c    │\n  │      │ d    │\n  └──────┴──────┘", claudeish, 40,
			"| Name | Note |\n| --- | --- |\n| load | aaaa |\n|  | **bbbb** |\n|  | c |\n|  | d |"},
		{"a table that was drawn again with wider columns",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 1  │\n  ├──────┼────┤\n" +
				"  │ ⟦b|Name⟧ │ ⟦b|No⟧ │\n  ├──────┼────┤\n  │ load │ 12 │\n  ├──────┼────┤\n  │ conf │ 3  │\n  └──────┴────┘",
			claudeish, 40, "| Name | No |\n| --- | --- |\n| load | 12 |\n| conf | 3 |"},
		{"rows like the head of a table that was not drawn again",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 1  │\n  ├──────┼────┤\n  │ Name │ No │\n" +
				"  ├──────┼────┤\n  │ conf │ 3  │\n  └──────┴────┘", claudeish, 40,
			"| Name | No |\n| --- | --- |\n| load | 1 |\n| Name | No |\n| conf | 3 |"},
		{"a wrapped cell that goes on in another style in a full table",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ ⟦b|conf⟧ │    │\n  │ save │ 34 │\n" +
				"  └──────┴────┘", claudeish, 20, "| Name | No |\n| --- | --- |\n| load**conf** | 12 |\n| save | 34 |"},
		{"a row in another style in a full table with an empty cell",
			"●\n  ┌──────┬────┐\n  │ Name │ No │\n  ├──────┼────┤\n  │ load │ 12 │\n  │ ⟦b|conf⟧ │    │\n  │ a    │ 34 │\n" +
				"  │ b    │    │\n  └──────┴────┘", claudeish, 20,
			"| Name | No |\n| --- | --- |\n| load | 12 |\n| **conf** |  |\n| a | 34 |\n| b |  |"},
		{"a row whose cells all go on",
			"●\n  ┌─────────┬──────────┐\n  │ Name    │ Note     │\n  ├─────────┼──────────┤\n  │ Look up │ On the   │\n" +
				"  │ again   │ day here │\n  │         │ it is    │\n  │ Look in │ On the   │\n  │ Again   │ day there│\n" +
				"  └─────────┴──────────┘", claudeish, 30,
			"| Name | Note |\n| --- | --- |\n| Look up again | On the day here it is |\n| Look in | On the |\n" +
				"| Again | day there |"},
		{"a row below an empty cell",
			"●\n  ┌──────┬──────┐\n  │ Name │ Note │\n  ├──────┼──────┤\n  │ load │      │\n  │ conf │ xxxx │\n" +
				"  │      │ yyyy │\n  └──────┴──────┘", claudeish, 40,
			"| Name | Note |\n| --- | --- |\n| load |  |\n| conf | xxxxyyyy |"},
		{"a cell that begins in the second line",
			"●\n  ┌──────┬──────┐\n  │ Name │ Note │\n  ├──────┼──────┤\n  │      │ aaaa │\n  │ conf │      │\n" +
				"  └──────┴──────┘", claudeish, 40, "| Name | Note |\n| --- | --- |\n|  | aaaa |\n| conf |  |"},
		{"a heavy rule alone", "● One.\n\n  ━━━━━━━━\n  Two.", claudeish, 40, "One.\n\n---\n\nTwo."},
		{"heavy strokes in a text", "● One.\n\n  Head\n  ━━━━ Title", claudeish, 40, "One.\n\nHead\n━━━━ Title"},

		{"a pipe table", "● | a | b |\n  |---|---|\n  | c \\| d | ⟦ #a6e3a1|e|f⟧ |\n  | g\n  h | i |\n  Text.", piped, 40,
			"| a | b |\n| --- | --- |\n| c \\\\| d | `e\\|f` |\n| g h | i |\n\nText."},
		{"a row of pipes that does not end", "● | a |\n  |---|\n  | c" + strings.Repeat("\n  more", pipeLines), piped, 200,
			"| a |\n| --- |\n| c" + strings.Repeat(" more", pipeLines-1) + " |\n\nmore"},
		{"a pipe table that is being drawn", "● | a | b |\n  |---|---|\n  | c |\n\n  Text.", piped, 40,
			"| a | b |\n| --- | --- |\n| c |\n\nText."},
		{"a row that ends with a bar early", "● | a | b |\n  |---|---|\n  | c |\n  d |\n  Text.", piped, 40,
			"| a | b |\n| --- | --- |\n| c | d |\n\nText."},
		{"a row that is wrapped at its blanks",
			"● | a   | b\n          | c  |\n  |-----|---\n  -----|----|\n  | 1   |\n          | 3  |", piped, 40,
			"| a | b | c |\n| --- | --- | --- |\n| 1 |  | 3 |"},
		{"a head in code", "● | ⟦ #a6e3a1|a⟧ | b |\n  |---|---|\n  | c | ⟦ #a6e3a1|d⟧ |", piped, 40,
			"| a | b |\n| --- | --- |\n| c | `d` |"},
		{"a row with a cell too few", "● | a | b |\n  |---|---|\n  | c |\n  | d | e |", piped, 40,
			"| a | b |\n| --- | --- |\n| c |\n| d | e |"},
		{"bars without dashes", "● | a | b |\n  | c | d |", piped, 40, "| a | b |\n| c | d |"},
		{"a cell without a bar behind it", "● | a | b\n\n  Text.", piped, 40, "| a | b\n\nText."},
		{"a last cell without a bar", "● | a | b |\n  |---|---|\n  | c | d", piped, 40,
			"| a | b |\n| --- | --- |\n| c | d |"},

		{"fields", "● ⟦b|Name:⟧ a\n  ⟦b|Note:⟧ b\n    more\n  ────────\n  ⟦b|Name:⟧ c\n    more\n  ⟦b|Note:⟧ d\n  Text.",
			fielded, 40, "| Name | Note |\n| --- | --- |\n| a | b more |\n| c more | d |\n\nText."},
		{"fields at the end", "● ⟦b|Name:⟧ a\n  ────────\n  ⟦b|Name:⟧ b", fielded, 40, "| Name |\n| --- |\n| a |\n| b |"},
		{"fields without a rule", "● ⟦b|Name:⟧ a\n  ⟦b|Note:⟧ b\n  ⟦b|Note:⟧ c", fielded, 40,
			"**Name:** a\n**Note:** b\n**Note:** c"},
		{"other fields", "● ⟦b|Name:⟧ a\n  ────────\n  ⟦b|Name:⟧ b\n  ────────\n  ⟦b|Note:⟧ c", fielded, 40,
			"| Name |\n| --- |\n| a |\n| b |\n\n**Note:** c"},
		{"more fields than heads", "● ⟦b|Name:⟧ a\n  ────────\n  ⟦b|Name:⟧ b\n  ⟦b|Note:⟧ c", fielded, 40,
			"| Name |\n| --- |\n| a |\n| b |\n\n**Note:** c"},
		{"a text with a rule below", "● Name: a\n  ────────", fielded, 40, "Name: a\n\n---"},
		{"an indented line in no row", "● ⟦b|Name:⟧ a\n  ────────\n    b", fielded, 40, "| Name |\n| --- |\n| a |\n\nb"},
		{"a field that goes on further in", "● ⟦b|Name:⟧ a\n    more\n  ────────\n  ⟦b|Name:⟧ b", fielded, 40,
			"| Name |\n| --- |\n| a more |\n| b |"},
		{"a field below a full line", "● ⟦b|Name:⟧ the cache\n  indeed\n  ────────\n  ⟦b|Name:⟧ b", fielded, 20,
			"| Name |\n| --- |\n| the cache indeed |\n| b |"},
		{"a blank line below a full field", "● ⟦b|Name:⟧ a\n  ────────\n  ⟦b|Name:⟧ the cache is\n\n  Text.", fielded, 20,
			"| Name |\n| --- |\n| a |\n| the cache is |\n\nText."},
		{"a table of fields that is being drawn", "● ⟦b|Name:⟧ a\n  ────────", fielded, 40, "| Name |\n| --- |\n| a |"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := Render(rowtest.Dump(t, tt.cols, tt.rows), &tt.look)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestSeam joins two lines of a text.
func TestSeam(t *testing.T) {
	hash := "0123456789abcdef0123456789abcdef"
	seam := func(s Seam) Style {
		return Style{Seam: func(_, _ *Line, _ int) (Seam, bool) { return s, true }}
	}
	tests := []struct {
		name, a, b string
		cols       int
		want       string
	}{
		{"a break", "one", "two", 20, "one\ntwo"},
		{"a word that did not fit", "one two", "three", 12, "one two three"},
		{"a token longer than a line", "0123456789", "abc.", 10, "0123456789abc."},
		{"a small word that fills a line", "supercalif", "ragilistic", 10, "supercalifragilistic"},
		{"words at the edge", "one two", "four", 7, "one two four"},
		{"a word and a name", "one two", "fo_ur", 7, "one twofo_ur"},
		{"a name and a word", "one t_o", "fours", 7, "one t_ofours"},
		{"a comma at the edge", "one TW,", "F_our", 7, "one TW, F_our"},
		{"a semicolon at the edge", "one TW;", "F_our", 7, "one TW; F_our"},
		{"points behind the edge", "one two", "...four", 7, "one two...four"},
		{"points alone", "one two", ".....", 7, "one two....."},
		{"an address", "see X_Y_Z", "https://a", 9, "see X_Y_Z https://a"},
		{"an address in brackets", "see X_Y_(", "https://a", 9, "see X_Y_(https://a"},
		{"a blank at the start", "one T_O", " F_our", 7, "one T_O F_our"},
		{"Chinese", "one 缓存", "更新", 8, "one 缓存更新"},
		{"Chinese in a line that is not full", "one 缓存", "更新了", 10, "one 缓存 更新了"},
		{"Chinese behind Latin", "one four", "更新", 9, "one four 更新"},
		{"Latin behind Chinese", "one 缓存", "four.", 9, "one 缓存 four."},
		{"wide characters with a cell left", "one A_B", "更新了", 8, "one A_B更新了"},
		{"narrow characters with a cell left", "one A_B", "C_D_EF", 8, "one A_B C_D_EF"},
		{"Japanese marks", "キャッシ", "ー。", 9, "キャッシー。"},
		{"Chinese marks", "缓存更新", "，请", 9, "缓存更新，请"},
		{"wide Latin", "缓存更新", "Ａ", 9, "缓存更新Ａ"},
		{"behind a hash", "a " + hash, "of all", 34, "a " + hash + " of all"},
		{"a hash goes on", "a " + hash, "0123.", 34, "a " + hash + "0123."},
		{"a long name", "a " + strings.Repeat("x", 32), "y/z", 34, "a " + strings.Repeat("x", 32) + "y/z"},
		{"a short hash", "a 01234567", "of_all", 10, "a 01234567of_all"},
		{"the address of a link by reference", "[one]: two", "[three]: four", 12, "[one]: two\n[three]: four"},
		{"a comment of HTML", "one two thr", "<!-- four -->", 12, "one two thr\n<!-- four -->"},
		{"a date that was wrapped", "it was released", "2024-01-02.", 20, "it was released 2024-01-02."},
		{"a break behind a hash", "a " + hash, "of all", 60, "a " + hash + "\nof all"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Prompt(rowtest.Dump(t, tt.cols, tt.a+"\n"+tt.b), &Style{}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	lines := rowtest.Dump(t, 20, "one two\nthree")
	for s, want := range map[Seam]string{SeamBreak: "one two\nthree", SeamSpace: "one two three",
		SeamNone: "one twothree"} {
		look := seam(s)
		if got := Prompt(lines, &look); got != want {
			t.Errorf("seam %d of the agent's: got %q, want %q", s, got, want)
		}
	}
	slack := Style{Slack: 8}
	for text, want := range map[string]string{"one two\nthree": "one two three", "one two\nThree": "one two\nThree",
		"one\nthree": "one\nthree"} {
		if got := Prompt(rowtest.Dump(t, 20, text), &slack); got != want {
			t.Errorf("lines that may be shorter: got %q, want %q", got, want)
		}
	}
	full := seam(SeamBreak)
	if got := Prompt(rowtest.Dump(t, 7, "one two\nthree"), &full); got != "one two\nthree" {
		t.Errorf("a break of the agent's in a full line: got %q", got)
	}
	lines = rowtest.Dump(t, 9, "one two\nthree")
	lines[1].Lost = true
	if got := Prompt(lines, &Style{}); got != "one two\nthree" {
		t.Errorf("behind lost rows: got %q", got)
	}
}

// TestInBrackets has code that was wrapped beside a bracket.
func TestInBrackets(t *testing.T) {
	for _, tt := range []struct {
		above, word string
		want        bool
	}{
		{"f({a_b", "},", true},
		{"f({ a_b", "},", false},
		{"f(), a_b", "),", false},
		{"f(g(), a_b", "),", true},
		{"f({", "},", false},
		{"one f_(", `"a")`, true},
		{"one, two", "three", false},
		{"one", "", false},
	} {
		if got := inBrackets(tt.above, tt.word); got != tt.want {
			t.Errorf("%q, %q: got %v, want %v", tt.above, tt.word, got, tt.want)
		}
	}
}

// TestResized reads a text whose last row was drawn when the window was wider, or the others were
// drawn again since it is narrower.
func TestResized(t *testing.T) {
	lines := rowtest.Dump(t, 8, "one two\nand on\n")
	lines = append(lines, rowtest.Dump(t, 20, "three four five six")...)
	if got, want := Prompt(lines, &Style{}), "one two\nand on three four five six"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	lines = rowtest.Dump(t, 8, "one two\nthree\nfour five six")
	if got, want := Prompt(lines, &Style{}), "one two\nthree\nfour five six"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWrappedFirst reads rows that begin with one which the terminal wrapped.
func TestWrappedFirst(t *testing.T) {
	if got := Verbatim(rowtest.Dump(t, 10, "+one\n+two"), 0); got != "onetwo" {
		t.Errorf("got %q", got)
	}
}

// TestHeadingWithCode reads a heading whose code is not bold.
func TestHeadingWithCode(t *testing.T) {
	look := Style{Marks: codexish.Marks, Heading: func(*Line) int { return 2 }}
	if _, got := Render(rowtest.Dump(t, 40, "⟦b|Run ⟧⟦bi|now⟧ ⟦ #a6e3a1|go⟧"), &look); got != "## Run *now* `go`" {
		t.Errorf("got %q", got)
	}
}

func TestInlineMore(t *testing.T) {
	u := "https://example.test/a"
	link := vterm.Style{Link: u}
	span := func(s string, st vterm.Style, m row.Mark) row.Span {
		return row.Span{Text: s, Width: row.Width(s), Style: st, Mark: m}
	}
	plain := vterm.Style{}
	tests := []struct {
		name  string
		spans []row.Span
		want  string
	}{
		{"code behind bold", []row.Span{span("run", plain, row.MarkBold), span(" go", plain, row.MarkCode),
			span(" now", plain, 0)}, "**run** `go` now"},
		{"code before bold", []row.Span{span("run", plain, 0), span(" go", plain, row.MarkCode),
			span(" now", plain, row.MarkBold)}, "run `go` **now**"},
		{"blanks in a row", []row.Span{span("a ", plain, row.MarkBold), span(" b", plain, row.MarkBold)}, "**a  b**"},
		{"a link at the end", []row.Span{span("the docs", link, row.MarkBold)}, "[**the docs**](" + u + ")"},
		{"two links", []row.Span{span("one", link, 0), span("two", vterm.Style{Link: u + "b"}, 0)},
			"[one](" + u + ")[two](" + u + "b)"},
		{"code in a link and behind it", []row.Span{span("one", link, row.MarkCode), span("two", plain, row.MarkCode)},
			"[`one`](" + u + ")`two`"},
		{"a link of words apart", []row.Span{span("one", link, 0), span(" ", plain, 0), span("two", link, 0)},
			"[one two](" + u + ")"},
		{"a file", []row.Span{span("here", vterm.Style{Link: "file:///a/b"}, 0)}, "here"},
		{"another address behind a link", []row.Span{span("one", link, 0), span(" (https://b)", plain, 0)},
			"[one](" + u + ") (https://b)"},
		{"two code spans", []row.Span{span("a", plain, row.MarkCode), span(" ", plain, 0), span("b c", plain, row.MarkCode)},
			"`a` `b c`"},
		{"code that is wrapped", []row.Span{span("a", plain, row.MarkCode), blank, span("b", plain, row.MarkCode), blank,
			span("c", plain, 0)}, "`a b` c"},
		{"code in two colours", []row.Span{span("a", plain, row.MarkCode), span("b", plain, row.MarkCode|row.MarkItalic),
			span("c", plain, 0)}, "`ab`c"},
	}
	for _, tt := range tests {
		if got := inline(tt.spans); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestLinkCut joins an address that was cut where more would have fitted.
func TestLinkCut(t *testing.T) {
	u := "https://example.test/a-long-name"
	lines := rowtest.Dump(t, 40, "see https://example.test/\na-long-name or not")
	for i, n := range []int{4, 0} {
		r := lines[i].Row
		text := r.Text
		r.Runs = []vterm.Run{{Text: text[:n], Width: n},
			{Text: text[n:], Col: n, Width: len(text) - n, Style: vterm.Style{Link: u}}}
	}
	if got, want := Prompt(lines, &Style{}), "see https://example.test/a-long-name or not"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLinkEnd puts a blank behind an address, a link or in a colour, that was cut and ends at the
// edge.
func TestLinkEnd(t *testing.T) {
	u := "https://x.test/a/long/name"
	lines := rowtest.Dump(t, 14, "https://x.test\n/a/long/name/d\nand more")
	for _, style := range []vterm.Style{{Link: u + "/d"}, {Fg: vterm.Color{Kind: vterm.ColorPalette, Palette: 4}}} {
		for _, l := range lines[:2] {
			l.Row.Runs = []vterm.Run{{Text: l.Text, Width: 14, Style: style}}
		}
		for _, tt := range [][2]string{{"and more", " and more"}, {". More", ". More"}} {
			r := lines[2].Row
			r.Text, r.Runs = tt[0], []vterm.Run{{Text: tt[0], Width: len(tt[0])}}
			if got, want := Prompt(lines, &Style{}), u+"/d"+tt[1]; got != want {
				t.Errorf("%v: got %q, want %q", style, got, want)
			}
		}
	}
	r := lines[2].Row // an agent may colour only the first lines of an address
	r.Text, r.Runs = "e/f more", []vterm.Run{{Text: "e/f more", Width: 8}}
	if got, want := Prompt(lines, &Style{}), u+"/de/f more"; got != want {
		t.Errorf("an address that goes on: got %q, want %q", got, want)
	}
}

// TestLinkWithin joins a token that was cut at the edge, and is in a link from its first or its
// second row on.
func TestLinkWithin(t *testing.T) {
	u := "https://x.test/"
	for _, first := range []string{u, ""} {
		lines := rowtest.Dump(t, 7, "see A_B\nC_D_EF")
		for i, link := range []string{first, u} {
			lines[i].Row.Runs = []vterm.Run{{Text: lines[i].Text, Width: len(lines[i].Text), Style: vterm.Style{Link: link}}}
		}
		if got, want := Prompt(lines, &Style{}), "see A_BC_D_EF"; got != want {
			t.Errorf("the first in %q: got %q, want %q", first, got, want)
		}
	}
}

// TestTableBelowLost goes on with a table below rows of it that were never on the screen.
func TestTableBelowLost(t *testing.T) {
	for _, tt := range []struct {
		name, dump string
		lost       int // the row that others are missing above
		want       string
	}{
		{"with its end drawn above",
			"┌───┬───┐\n│ A │ B │\n├───┼───┤\n│ 1 │ x │\n└───┴───┘\n\n│ 7  │ y │\n├────┼───┤\n│ 8  │ z │\n└────┴───┘", 6,
			"| A | B |\n| --- | --- |\n| 1 | x |\n| 7 | y |\n| 8 | z |"},
		{"without an end", "┌───┬───┐\n│ A │ B │\n├───┼───┤\n│ 1 │ x │\n├───┼───┤\n│ 2 │ x │\n\n│ 7 │ y │\n└───┴───┘", 7,
			"| A | B |\n| --- | --- |\n| 1 | x |\n| 2 | x |\n| 7 | y |"},
		{"a line first", "┌───┬───┐\n│ A │ B │\n├───┼───┤\n│ 1 │ x │\n├───┼───┤\n\n├───┼───┤\n│ 7 │ y │\n└───┴───┘", 6,
			"| A | B |\n| --- | --- |\n| 1 | x |\n| 7 | y |"},
		{"words", "┌───┬───┐\n│ A │ B │\n├───┼───┤\n│ 1 │ x │\n└───┴───┘\n\nand so on", 6,
			"| A | B |\n| --- | --- |\n| 1 | x |\n\nand so on"},
		{"without a head", "│ 7 │ y │\n├───┼───┤\n│ 8 │ z │\n└───┴───┘\n\nSo.", 0,
			"|  |  |\n| --- | --- |\n| 7 | y |\n| 8 | z |\n\nSo."},
		{"without a head, a line first", "├───┼───┤\n│ 7 │ y │\n├───┼───┤\n│ 8 │ z │\n└───┴───┘", 0,
			"|  |  |\n| --- | --- |\n| 7 | y |\n| 8 | z |"},
		{"without a head or lines between rows", "│ 7 │ y │\n│ 8 │ z │\n└───┴───┘", 0,
			"|  |  |\n| --- | --- |\n| 7 | y |\n| 8 | z |"},
		{"all of it", "┌───┬───┐\n│ A │ B │\n├───┼───┤\n│ 1 │ x │\n└───┴───┘", 0, "| A | B |\n| --- | --- |\n| 1 | x |"},
		{"a bar", "│ 7\n│ 8 │ z │\n└───┴───┘", 0, "│ 7\n│ 8 │ z │\n└───┴───┘"},
		{"no end", "│ 7 │ y │", 0, "│ 7 │ y │"},
		{"words below rows without lines between",
			"┌───┬───┐\n│ A │ B │\n├───┼───┤\n│ 1 │ x │\n│ 2 │ y │\n└───┴───┘\n\nand so on", 7,
			"| A | B |\n| --- | --- |\n| 1 | x |\n| 2 | y |\n\nand so on"},
		{"nothing is missing", "┌───┬───┐\n│ A │ B │\n├───┼───┤\n│ 1 │ x │\n└───┴───┘\n\n│ 7 │ y │", -1,
			"| A | B |\n| --- | --- |\n| 1 | x |\n\n│ 7 │ y │"},
	} {
		lines := rowtest.Dump(t, 40, tt.dump)
		if tt.lost >= 0 {
			lines[tt.lost].Lost = true
		}
		if _, got := Render(lines, &Style{}); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestItemBelowLost reads an item with the number of the one above. Below rows that were never on
// the screen it is one of another list, not a paragraph of that item.
func TestItemBelowLost(t *testing.T) {
	for lost, want := range map[bool]string{false: "4. One\n\n   Two", true: "4. One\n\n4. Two"} {
		lines := rowtest.Dump(t, 40, "4. One\n\n4. Two")
		lines[2].Lost = lost
		if _, got := Render(lines, &Style{}); got != want {
			t.Errorf("lost %v: got\n%s\nwant\n%s", lost, got, want)
		}
	}
}

// TestSpaced finds one blank behind the words of a row, in their style or in another.
func TestSpaced(t *testing.T) {
	for dump, want := range map[string]bool{"one": false, "one ": true, "one  ": false, "⟦b|one⟧ two ": true,
		"⟦b|one ⟧    ": true, "one ⟦b|two⟧    ": false} {
		if got := (&Style{}).Lines(rowtest.Dump(t, 20, dump))[0].Spaced; got != want {
			t.Errorf("%q: got %v, want %v", dump, got, want)
		}
	}
}

func TestTabs(t *testing.T) {
	tests := []struct {
		name string
		tabs bool
		left int
		code []string
		want []string
	}{
		{"not said", false, 2, []string{"a", "      b"}, []string{"a", "      b"}},
		{"one", true, 2, []string{"a", "", "      b"}, []string{"a", "", "\tb"}},
		{"two, and blanks", true, 2, []string{"      a", "              b", "        c"}, []string{"\ta", "\t\tb", "\t  c"}},
		{"short of a stop", true, 2, []string{"    a", "      b"}, []string{"    a", "      b"}},
		{"beyond the stops", true, 2, []string{"       a", "        b"}, []string{"       a", "        b"}},
		{"at a stop itself", true, 8, []string{"        a"}, []string{"        a"}},
		{"blanks up to the code's own stops", false, 0, []string{"a {", "        b", "                c"},
			[]string{"a {", "\tb", "\t\tc"}},
		{"blanks that are none", false, 0, []string{"a {", "    b", "        c"}, []string{"a {", "    b", "        c"}},
	}
	for _, tt := range tests {
		lk := Style{CodeTabs: tt.tabs, CodeBlanks: strings.HasPrefix(tt.name, "blanks")}
		if got := lk.tabsOf(slices.Clone(tt.code), tt.left); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestCodeGroups counts lines of code in groups; x begins a group, y one that goes on with it.
func TestCodeGroups(t *testing.T) {
	begins := func(sign string) func([]Line) int {
		return func(ls []Line) int {
			if ls[0].Text == sign {
				return 1
			}
			return 0
		}
	}
	for text, want := range map[string]int{"x": 1, "x\n\ny\n\ny": 5, "x\ny": 1, "x\n\nz": 1, "x\n\n": 1, "z": 0} {
		var ls []Line
		for _, s := range strings.Split(text, "\n") {
			ls = append(ls, Line{Text: s, Width: len(s)})
		}
		if got := CodeGroups(ls, begins("x"), begins("y")); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
		if got, n := CodeRun(ls, func(l *Line) bool { return l.Text != "z" }), strings.Count(strings.TrimRight(text, "\nz"),
			"\n")+1; text != "z" && got != n {
			t.Errorf("%q: a run of %d, want %d", text, got, n)
		}
	}
}

func TestWordRune(t *testing.T) {
	for r, want := range map[rune]bool{'a': true, 'é': true, '7': true, '-': false, ' ': false} {
		if WordRune(r) != want {
			t.Errorf("WordRune(%q) is not %v", r, want)
		}
	}
}

// TestNumberedBelowLost shows numbered code below rows that were never on the screen: higher
// numbers go on with the code above them, lower ones are of other code.
func TestNumberedBelowLost(t *testing.T) {
	for number, want := range map[string]string{"7": "```\na\nb\nc\n```", "1": "```\na\nb\n```\n\n```\nc\n```"} {
		lines := rowtest.Dump(t, 20, "  ⟦ #afafaf|1⟧ a\n  ⟦ #afafaf|2⟧ b\n\n  ⟦ #afafaf|"+number+"⟧ c")
		lines[3].Lost = true
		if _, got := Render(lines, &geminiish); got != want {
			t.Errorf("number %s: got\n%s\nwant\n%s", number, got, want)
		}
	}
}

// TestFirstWidth has a word with vowel signs, which some terminals count as cells of their own.
func TestFirstWidth(t *testing.T) {
	const word = "अनुवाद"
	for _, want := range []int{4, 5} {
		l := Line{Spans: []row.Span{{Text: word, Width: want}}}
		if got := l.firstWidth(word); got != want {
			t.Errorf("%d cells, want %d", got, want)
		}
	}
}

// TestLinkInCode reads a link in inline code, which has the colour of links between the hard blanks
// of code, or among them.
func TestLinkInCode(t *testing.T) {
	link := vterm.Style{Link: "https://example.test/a"}
	span := func(text string, st vterm.Style, m row.Mark) row.Span {
		return row.Span{Text: text, Width: row.Width(text), Style: st, Mark: m}
	}
	for _, tt := range []struct {
		name  string
		spans []row.Span
		want  string
	}{
		{"its own blanks", []row.Span{span("See ", vterm.Style{}, 0), span(hardBlank+"config"+hardBlank, link, 0),
			span(").", vterm.Style{}, 0)}, "See [`config`](https://example.test/a))."},
		{"blanks of code", []row.Span{span(hardBlank, vterm.Style{}, row.MarkCode), span("config", link, 0),
			span(hardBlank, vterm.Style{}, row.MarkCode)}, "[`config`](https://example.test/a)"},
		{"a blank at one end", []row.Span{span(hardBlank+"config", link, 0)},
			"[" + hardBlank + "config](https://example.test/a)"},
		{"no link", []row.Span{span(hardBlank+"config"+hardBlank, vterm.Style{}, 0)}, hardBlank + "config" + hardBlank},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trimCode(tt.spans)
			if got := inline(tt.spans); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestLinkWrapped wraps a link whose address has its words, which is no address that was cut.
func TestLinkWrapped(t *testing.T) {
	link := vterm.Style{Link: "https://example.test/?sku=BuildTools"}
	lines := rowtest.Dump(t, 16, "\n")
	for _, text := range []string{"Studio Build", "Tools"} {
		lines = append(lines, row.Line{Row: &vterm.Row{Text: text,
			Runs: []vterm.Run{{Text: text, Width: len(text), Style: link}}}, Cols: 16})
	}
	if got, _ := Render(lines, &Style{}); got != "Studio Build Tools" {
		t.Errorf("got %q", got)
	}
}

// TestHalfDrawn reads a paragraph above rows that were never on the screen: marks whose ends were
// still to come are left out.
func TestHalfDrawn(t *testing.T) {
	code := "⟦ #b1b9f9|npm⟧"
	for text, want := range map[string]string{
		"one and `two":                 "one and two",
		"one **two":                    "one two",
		"one **two** and":              "one **two** and",
		"see [" + code + "](https://a": "see `npm`",
		"see [one](https://a) two":     "see [one](https://a) two",
		"see ](https://a":              "see",
		"one " + code:                  "one `npm`",
	} {
		lines := rowtest.Dump(t, 40, "● "+text+"\n\n  So.")
		lines[2].Lost = true
		if _, got := Render(lines, &claudeish); got != want+"\n\nSo." {
			t.Errorf("%s: got %q", text, got)
		}
	}
	lines := rowtest.Dump(t, 40, "● one `two\n\n  So.")
	if _, got := Render(lines, &claudeish); got != "one `two\n\nSo." {
		t.Errorf("whole: got %q", got)
	}
}
