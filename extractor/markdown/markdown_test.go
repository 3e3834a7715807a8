package markdown

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/vterm"
)

// claudeish, geminiish and codexish are looks close enough to the agents' to test the toolkit with
// their rows.
var claudeish = Style{
	Left: 2,
	Marks: func(s vterm.Style) row.Mark {
		if s.Fg == rowtest.RGB(0xb1, 0xb9, 0xf9) {
			return row.MarkCode
		}
		return row.PlainMarks(s)
	},
	Heading: func(l *Line) int {
		if l.All(func(s vterm.Style) bool { return s.Bold }) {
			return 2
		}
		return 0
	},
	Quote:      func(l *Line) (int, bool) { return 2, strings.HasPrefix(l.Text, "▎ ") },
	QuoteMarks: row.MarkItalic,
	Code: func(ls []Line) int {
		n := UntilBlank(ls)
		for i := range ls[:n] {
			for _, s := range ls[i].Spans {
				if s.Style.Fg.Kind == vterm.ColorPalette {
					return n
				}
			}
		}
		return 0
	},
}

var geminiish = Style{
	Left: 2,
	Marks: func(s vterm.Style) row.Mark {
		if s.Fg == rowtest.RGB(0xd7, 0xaf, 0xff) {
			return row.MarkCode
		}
		return row.PlainMarks(s)
	},
	Heading: claudeish.Heading,
	Gutter: func(l *Line) (int, int) {
		if l.First().Fg != rowtest.RGB(0xaf, 0xaf, 0xaf) {
			return 0, 0
		}
		w := row.FirstWord(l.Text)
		n, _ := strconv.Atoi(w)
		return l.Indent + len(w) + 1, n
	},
}

var codexish = Style{
	Left: 2,
	Marks: func(s vterm.Style) row.Mark {
		if s.Fg == rowtest.RGB(0xa6, 0xe3, 0xa1) {
			return row.MarkCode
		}
		return row.PlainMarks(s)
	},
	Heading: func(l *Line) int {
		if l.All(func(s vterm.Style) bool { return s.Bold }) {
			return Hashes(l.Text)
		}
		return 0
	},
	Quote: func(l *Line) (int, bool) {
		return 2, strings.HasPrefix(l.Text, "> ") && l.First().Fg != vterm.Color{}
	},
}

// lettered reads letters as list markers, which Markdown has only as numbers.
var lettered = Style{Left: 2, Item: func(l *Line) (Item, bool) {
	if t := l.Text[l.Indent:]; len(t) > 2 && t[0] >= 'a' && t[0] <= 'c' && t[1] == '.' {
		it := l.ItemOf(t[:2], int(t[0]-'a')+1, 2, t[2:])
		it.Mark = strconv.Itoa(int(t[0]-'a')+1) + "."
		return it, true
	}
	return ListItem(l)
}}

func TestBody(t *testing.T) {
	tests := []struct {
		name           string
		look           Style
		cols           int
		rows           string
		text, markdown string // text "": the same as markdown
	}{
		{"wrapped paragraph", claudeish, 80, `
⟦ #ffffff|●⟧ The test suite skips ⟦ #b1b9f9|SIGTERM⟧ because the default changed; see ⟦i|at midnight UTC⟧
  too.`, "The test suite skips SIGTERM because the default changed; see at midnight UTC too.",
			"The test suite skips `SIGTERM` because the default changed; see *at midnight UTC* too."},
		{"line break of the text's own", claudeish, 80, "● One.\n  Two.", "", "One.\nTwo."},
		{"paragraphs", claudeish, 80, "● One.\n\n  Two.\n\n\n  Three.", "", "One.\n\nTwo.\n\nThree."},
		{"token cut at the edge", claudeish, 80, `
● See https://example.test/GOMAXPROCS/OrderService/load_config/user_id/maingo42/
  maingo42/load_config/SIGTERM/GOMAXPROCS/ERR_TIMEOUT/SIGTERM/ERR_TIMEOUT/GOMAXP
  ROCS/maingo42/cacheGet/maingo42/load_config/OrderService for details. The
  event loop normalizes the write-ahead log because the default changed.`, "",
			"See https://example.test/GOMAXPROCS/OrderService/load_config/user_id/maingo42/maingo42/load_config/SIGTERM/" +
				"GOMAXPROCS/ERR_TIMEOUT/SIGTERM/ERR_TIMEOUT/GOMAXPROCS/maingo42/cacheGet/maingo42/load_config/OrderService for " +
				"details. The event loop normalizes the write-ahead log because the default changed."},
		{"token cut that began on its own line", geminiish, 80, `
✦ Hash:
  db1b25a002b85c2e6c71cf5c67d31959ef94409333f00b7c31e61cd6b60e54281c562653928186
  40a8c54f1c332058802fde80074a49787c0acb4aed59fe1dbee9b1831712ce92b48965b4 ends
  here.`, "", "Hash: db1b25a002b85c2e6c71cf5c67d31959ef94409333f00b7c31e61cd6b60e54281c56265392818640a8c54f1c3320588" +
			"02fde80074a49787c0acb4aed59fe1dbee9b1831712ce92b48965b4 ends here."},
		{"a line that is full by chance", claudeish, 22, "● The quick brown fox!\n  jumps over.", "",
			"The quick brown fox! jumps over."},
		{"lists", claudeish, 64, `
● ⟦b|Risks⟧

  1. Each worker drops three tables after a reconnect.
  2. The parser ignores the checksum during a rolling deploy.
  3. The config loader truncates the timeout during a rolling
  deploy.

  - A stale token validates every header because the default
  changed.
    - The scheduler validates the session map even with caching
  off.
    - The parser batches the error path before the lock is held.
  - Every request drops old snapshots as the log shows.

  ⟦d|▎⟧ ⟦i|Your query shadows the error path when the disk is slow.⟧`, `Risks

1. Each worker drops three tables after a reconnect.
2. The parser ignores the checksum during a rolling deploy.
3. The config loader truncates the timeout during a rolling deploy.

- A stale token validates every header because the default changed.
  - The scheduler validates the session map even with caching off.
  - The parser batches the error path before the lock is held.
- Every request drops old snapshots as the log shows.

Your query shadows the error path when the disk is slow.`, `## Risks

1. Each worker drops three tables after a reconnect.
2. The parser ignores the checksum during a rolling deploy.
3. The config loader truncates the timeout during a rolling deploy.

- A stale token validates every header because the default changed.
  - The scheduler validates the session map even with caching off.
  - The parser batches the error path before the lock is held.
- Every request drops old snapshots as the log shows.

> Your query shadows the error path when the disk is slow.`},
		{"hanging lists", geminiish, 64, `
⟦ #d7afff|✦ ⟧⟦b #87afff|Risks⟧

   ⟦ #ffffff|- A stale token validates every header because the default⟧
     ⟦ #ffffff|changed.⟧
     ⟦ #ffffff|- The scheduler validates the session map even with caching⟧
       ⟦ #ffffff|off.⟧
   ⟦ #ffffff|- Every request drops old snapshots as the log shows.⟧

   ⟦ #ffffff|9. Nine⟧
   ⟦ #ffffff|10. Ten⟧`, `Risks

- A stale token validates every header because the default changed.
  - The scheduler validates the session map even with caching off.
- Every request drops old snapshots as the log shows.

9. Nine
10. Ten`, `## Risks

- A stale token validates every header because the default changed.
  - The scheduler validates the session map even with caching off.
- Every request drops old snapshots as the log shows.

9. Nine
10. Ten`},
		{"a dash that was wrapped is no list", claudeish, 39,
			"● It is either the cache or the parser\n  - and the cache it was, as usual.", "",
			"It is either the cache or the parser - and the cache it was, as usual."},
		{"a number that was wrapped is no list", claudeish, 39,
			"● It was released in the autumn of\n  2024. Nobody noticed.", "",
			"It was released in the autumn of 2024. Nobody noticed."},
		{"items that show bullets", claudeish, 40, "●\n\n  - • dot\n  - ● disc\n  - ✦ star", "",
			"- • dot\n- ● disc\n- ✦ star"},
		{"tasks, text in an item", claudeish, 60, "● - [ ] one\n  - [x] two\n\n    Explained here.\n\n  After.", "",
			"- [ ] one\n- [x] two\n\n  Explained here.\n\nAfter."},
		{"signs left standing", codexish, 80, `
⟦d|• ⟧⟦b #fab387|## How to verify⟧

  Each worker batches ⟦b #f38ba8|two stale rows⟧.

  ⟦ p12|1. ⟧The build step batches two stale rows under heavy load.
  ⟦ p12|2. ⟧The test suite normalizes the checksum at midnight UTC.

  ⟦bi #f9e2af|### Risks⟧

  ⟦ #94e2d5|• ⟧Your query invalidates the session map because the default changed.
  ⟦ #94e2d5|    • ⟧A stale token rewrites the timeout which hides the real cause.

  ⟦ #94e2d5|• ⟧A retry loop invalidates its own output without checking the result.

⟦ #f5c2e7|  > Our cache batches the last page on every second call.⟧`, `How to verify

Each worker batches two stale rows.

1. The build step batches two stale rows under heavy load.
2. The test suite normalizes the checksum at midnight UTC.

Risks

- Your query invalidates the session map because the default changed.
  - A stale token rewrites the timeout which hides the real cause.

- A retry loop invalidates its own output without checking the result.

Our cache batches the last page on every second call.`, `## How to verify

Each worker batches **two stale rows**.

1. The build step batches two stale rows under heavy load.
2. The test suite normalizes the checksum at midnight UTC.

### Risks

- Your query invalidates the session map because the default changed.
  - A stale token rewrites the timeout which hides the real cause.

- A retry loop invalidates its own output without checking the result.

> Our cache batches the last page on every second call.`},
		{"code", claudeish, 80, `
●

  ⟦ p4|impl⟧ ⟦ p6|Drop⟧ ⟦ p4|for⟧ Guard<'_> {
      ⟦ p4|fn⟧⟦ p3| }drop(&⟧⟦ p4|mut⟧ ⟦ p4|self⟧) {
          ⟦ p4|self⟧.lock.store(⟦ p4|false⟧, Ordering::Release);
      }
  }

  A retry loop.`, "impl Drop for Guard<'_> {\n    fn }drop(&mut self) {\n" +
			"        self.lock.store(false, Ordering::Release);\n    }\n}\n\nA retry loop.",
			"```\nimpl Drop for Guard<'_> {\n    fn }drop(&mut self) {\n        self.lock.store(false, Ordering::Release);\n" +
				"    }\n}\n```\n\nA retry loop."},
		{"numbered code", geminiish, 40, `
⟦ #d7afff|✦ ⟧⟦ #ffffff|One.⟧

   ⟦ #afafaf| 1⟧ ⟦ #ffffff|{⟧
   ⟦ #afafaf| 2⟧ ⟦ #ffffff|  }⟧⟦ #afd7d7|"name"⟧⟦ #ffffff|: }⟧⟦ #ffffaf|"shop"⟧⟦ #ffffff|,}⟧
   ⟦ #afafaf| 3⟧
   ⟦ #afafaf| 4⟧ ⟦ #ffffff|a long line of code that goes on⟧
      ⟦ #ffffff|here⟧
   ⟦ #afafaf| 5⟧ ⟦ #ffffff|}⟧

  ⟦ #ffffff|Two.⟧`, "One.\n\n{\n  }\"name\": }\"shop\",}\n\na long line of code that goes on here\n}\n\nTwo.",
			"One.\n\n```\n{\n  }\"name\": }\"shop\",}\n\na long line of code that goes on here\n}\n```\n\nTwo."},
		{"numbered code with a fence that was closed behind it", geminiish, 40, `
   ⟦ #afafaf|1⟧ ⟦ #ffffff|# Title⟧
   ⟦ #afafaf|2⟧ ⟦ #ffffff|` + "```js" + `⟧
   ⟦ #afafaf|3⟧ ⟦ #ffffff|let a = 1;⟧
   ⟦ #afafaf|1⟧

  ⟦ #ffffff|Two.⟧`, "# Title\n```js\nlet a = 1;\n```\n\nTwo.", "````\n# Title\n```js\nlet a = 1;\n```\n````\n\nTwo."},
		{"numbered code without its beginning", geminiish, 40, `
   ⟦ #afafaf| 9⟧ ⟦ #ffffff|{⟧
   ⟦ #afafaf|10⟧ ⟦ #ffffff|}⟧

   ⟦ #afafaf|15⟧ ⟦ #ffffff|Two.⟧`, "{\n}\n\n15 Two.", "```\n{\n}\n```\n\n15 Two."},
		{"box table", claudeish, 80, `
●

  ┌─────────────┬───────┬──────────────────┐
  │    Name     │ Count │       Note       │
  ├─────────────┼───────┼──────────────────┤
  │ GOMAXPROCS  │ 232   │ a shared buffer  │
  ├─────────────┼───────┼──────────────────┤
  │ load_config │ 614   │ the retry budget │
  │             │       │ is spent         │
  └─────────────┴───────┴──────────────────┘

  Done.`, "Name | Count | Note\nGOMAXPROCS | 232 | a shared buffer\n" +
			"load_config | 614 | the retry budget is spent\n\nDone.",
			"| Name | Count | Note |\n| --- | --- | --- |\n| GOMAXPROCS | 232 | a shared buffer |\n" +
				"| load_config | 614 | the retry budget is spent |\n\nDone."},
		{"box table without lines between rows", geminiish, 80, `
⟦ #d7afff|✦ ⟧⟦ #ffffff|One.⟧

  ⟦ #878787|┌─────────────┬───────┬──────────────────┐⟧
  ⟦ #878787|│⟧ ⟦b #87afff|Name⟧        ⟦ #878787|│⟧ ⟦b #87afff|Count⟧ ⟦ #878787|│⟧ ⟦b #87afff|Note⟧             ⟦ ` +
			`#878787|│⟧
  ⟦ #878787|├─────────────┼───────┼──────────────────┤⟧
  ⟦ #878787|│⟧ ⟦ #ffffff|GOMAXPROCS⟧  ⟦ #878787|│⟧ ⟦ #ffffff|232⟧   ⟦ #878787|│⟧ ⟦ #ffffff|a ⟧⟦b #ffffff|shared⟧⟦ ` +
			`#ffffff| buffer⟧  ⟦ #878787|│⟧
  ⟦ #878787|│⟧ ⟦ #ffffff|load_config⟧ ⟦ #878787|│⟧ ⟦ #ffffff|614⟧   ⟦ #878787|│⟧ ⟦ #ffffff|the retry budget⟧ ⟦ ` +
			`#878787|│⟧
  ⟦ #878787|│⟧             ⟦ #878787|│⟧       ⟦ #878787|│⟧ ⟦ #ffffff|is spent⟧         ⟦ #878787|│⟧
  ⟦ #878787|└─────────────┴───────┴──────────────────┘⟧`,
			"One.\n\nName | Count | Note\nGOMAXPROCS | 232 | a shared buffer\nload_config | 614 | the retry budget is spent",
			"One.\n\n| Name | Count | Note |\n| --- | --- | --- |\n| GOMAXPROCS | 232 | a **shared** buffer |\n" +
				"| load_config | 614 | the retry budget is spent |"},
		{"ruled table", codexish, 80, `
⟦d|• ⟧This handler.

⟦b #f9e2af|   Name           Count    Note                                                 ⟧
  ⟦d|━━━━━━━━━━━━━  ━━━━━━━  ━━━━━━━━━━━━━━━━━━⟧
   GOMAXPROCS     232      a shared buffer
  ⟦d|─────────────  ───────  ──────────────────⟧
   load_config    614      the retry budget
                           is spent

  Done.`, "This handler.\n\nName | Count | Note\nGOMAXPROCS | 232 | a shared buffer\n" +
			"load_config | 614 | the retry budget is spent\n\nDone.",
			"This handler.\n\n| Name | Count | Note |\n| --- | --- | --- |\n| GOMAXPROCS | 232 | a shared buffer |\n" +
				"| load_config | 614 | the retry budget is spent |\n\nDone."},
		{"a box is no table", claudeish, 80, "●\n\n  ┌───────┐\n  │ boxed │\n  └───────┘", "",
			"┌───────┐\n│ boxed │\n└───────┘"},
		{"rule", claudeish, 20, "● One.\n\n  ──────────────────\n\n  Two.\n\n  ---", "", "One.\n\n---\n\nTwo.\n\n---"},
		{"soft wraps", Style{}, 10, "0123456789\n+abcdefghi \n+next", "", "0123456789abcdefghi next"},
		{"Chinese cut at the edge", Style{Left: 2}, 20, "● 缓存已经更新，请重\n  新运行测试。", "", "缓存已经更新，请重新运行测试。"},
		{"a Chinese word longer than a line", claudeish, 21, "● 缓存已经更新，请重\n  新运行测试。", "", "缓存已经更新，请重新运行测试。"},
		{"Korean keeps its blanks", claudeish, 22, "● 한국어 문장도 정확히\n  기록되어야 합니다.", "", "한국어 문장도 정확히 기록되어야 합니다."},
		{"code that the terminal wrapped", claudeish, 20, "●\n\n  ⟦ p4|npm⟧ install --sa\n+ve-dev\n  npx tsc",
			"npm install --save-dev\nnpx tsc", "```\nnpm install --save-dev\nnpx tsc\n```"},
		{"numbered code in an item", geminiish, 40, `
⟦ #d7afff|✦ ⟧⟦ #ffffff|Two:⟧

   ⟦ #ffffff|1. One:⟧
   ⟦ #afafaf|1⟧ ⟦ #ffffff|   f() {⟧
   ⟦ #afafaf|2⟧ ⟦ #ffffff|   }⟧
   ⟦ #ffffff|2. Two⟧`, "Two:\n\n1. One:\n   f() {\n   }\n2. Two",
			"Two:\n\n1. One:\n   ```\n   f() {\n   }\n   ```\n2. Two"},
		{"lines shorter than the look says", Style{Left: 2, Slack: 3}, 30,
			"✦ The cache is flushed twice\n  a day.\n  it is.", "", "The cache is flushed twice a day.\nit is."},
		{"marks of Arabic counted as cells", Style{Left: 2, MarkCells: true}, 60,
			"● العَرَبِ   يَّ  ةُ مع الكامل: ذَهَبَ     الوَلَدُ     إِلَى", "",
			"العَرَبِيَّةُ مع الكامل: ذَهَبَ الوَلَدُ     إِلَى"},
		{"a ruler below the end of a box", Style{}, 40, "└─┘\n━━━ ━━", "", "└─┘\n━━━ ━━"},
		{"a log that reaches to the edge", Style{}, 30,
			"[12:00:01] worker 1 started\n[12:00:02] worker 2 failed with\ncode 3\n[12:00:03] worker 3 stopped", "",
			"[12:00:01] worker 1 started\n[12:00:02] worker 2 failed with code 3\n[12:00:03] worker 3 stopped"},
		{"letters", lettered, 40, "● 1. One\n     a. Sub one\n     b. Sub two", "", "1. One\n   1. Sub one\n   2. Sub two"},
		{"a row half drawn", claudeish, 40, "●", "", ""},
		{"nothing", claudeish, 40, "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, md := Render(rowtest.Dump(t, tt.cols, tt.rows), &tt.look)
			want := tt.text
			if want == "" {
				want = tt.markdown
			}
			if d := cmp.Diff(want, text); d != "" {
				t.Errorf("text (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.markdown, md); d != "" {
				t.Errorf("markdown (-want +got):\n%s", d)
			}
		})
	}
}

func TestInline(t *testing.T) {
	tests := []struct{ name, row, want string }{
		{"plain", "a * b", "a * b"},
		{"bold", "a ⟦b|b c⟧ d", "a **b c** d"},
		{"blanks at the edges stay outside", "a⟦b| b ⟧c", "a **b** c"},
		{"runs of one mark", "⟦b|a⟧⟦b p3|b⟧", "**ab**"},
		{"blanks drawn plain", "⟦b|Claude⟧ ⟦b|Code⟧", "**Claude Code**"},
		{"within a word", "un⟦i|believ⟧able", "un*believ*able"},
		{"nested", "⟦b|see ⟧⟦bi|this⟧⟦b| one⟧", "**see *this* one**"},
		{"nested the other way", "⟦i|see ⟧⟦bi|this⟧⟦i| one⟧", "*see **this** one*"},
		{"both", "⟦bi|x⟧", "***x***"},
		{"code in bold", "⟦b|run ⟧⟦b #a6e3a1|go test⟧⟦b| now⟧", "**run `go test` now**"},
		{"code that holds a backtick", "⟦ #a6e3a1|a`b⟧", "`` a`b ``"},
		{"struck", "⟦s|old⟧ new", "~~old~~ new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := rowtest.Dump(t, 80, tt.row)[0]
			if got := inline(row.Spans(l.Row, 0, -1, codexish.Marks)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestInlineLink(t *testing.T) {
	link := vterm.Style{Link: "https://example.test/a"}
	spans := []row.Span{{Text: "see ", Width: 4}, {Text: "the docs", Width: 8, Style: link}, {Text: ".", Width: 1}}
	const want = "see [the docs](https://example.test/a)."
	if _, got := inForms(spans); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	spans[1] = row.Span{Text: "https://example.test/a", Width: 22, Style: link}
	if got, want := inline(spans), "see https://example.test/a."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInlineLinkWithAddress(t *testing.T) {
	u := "https://example.test/a"
	link := vterm.Style{Link: u}
	spans := []row.Span{{Text: "see ", Width: 4}, {Text: "the", Width: 3, Style: link},
		{Text: " ", Width: 1, Style: link}, {Text: "docs", Width: 4, Style: link},
		{Text: " (", Width: 2}, {Text: u[:9], Width: 9, Style: link}, {Text: u[9:], Width: len(u) - 9,
			Style: link}, {Text: "), or not.", Width: 10}}
	if got, want := inline(spans), "see [the docs]("+u+"), or not."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	spans[4].Text = " and "
	if got, want := inline(spans), "see [the docs]("+u+") and "+u+"), or not."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPrompt(t *testing.T) {
	rows := rowtest.Dump(t, 40, `
> Is it true that the migration races
  with the error path
    indented
  - not a list

  last`)
	want := "Is it true that the migration races with the error path\n  indented\n- not a list\n\nlast"
	if got := Prompt(rows, &Style{Left: 2, Right: 1}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVerbatim(t *testing.T) {
	rows := rowtest.Dump(t, 12, "\n  ok   \n\n  0123456789\n+ab\n\n")
	if got, want := Verbatim(rows, 2), "ok\n\n0123456789ab"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCutSpansWide(t *testing.T) {
	l := rowtest.Dump(t, 80, "a缓存b")[0]
	for _, tt := range []struct {
		from, to int
		want     string
	}{{0, 6, "a缓存b"}, {1, 3, "缓"}, {1, 4, "缓"}, {2, 6, "存b"}, {5, 6, "b"}, {2, 3, ""}} {
		if got := row.Text(row.Spans(l.Row, tt.from, tt.to, row.PlainMarks)); got != tt.want {
			t.Errorf("[%d, %d): got %q, want %q", tt.from, tt.to, got, tt.want)
		}
	}
}
