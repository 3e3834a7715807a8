package codex

import (
	"testing"

	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// TestWrapBehindHyphen joins words that were cut after a hyphen, and leaves a pair of words as it
// is. Lines that are balanced end early.
func TestWrapBehindHyphen(t *testing.T) {
	for _, c := range []struct {
		balanced   bool
		dump, want string
	}{
		{false, "• It reads the first write-\n  ahead log of the multi- and\n  single-line kinds.",
			"It reads the first write-ahead log of the multi- and single-line kinds."},
		{false, "• It reads what is there -\n  unconditionally.", "It reads what is there - unconditionally."},
		{false, "• It says what is there now!\n  (unconditionally)", "It says what is there now! (unconditionally)"},
		{false, "• It reads a file of the mid-\n  day/night-unconditionally.",
			"It reads a file of the mid-day/night-unconditionally."},
		{false, "• It was drawn in a wide windo\n+w.", "It was drawn in a wide window."},
		{false, "• It was drawn in a wide windo\n+w, first write-\n  ahead.",
			"It was drawn in a wide window, first write-ahead."},
		{false, "• It was there at mid-\n  day/unconditionally.", "It was there at mid- day/unconditionally."},
		{false, "• See https://example.com/a/bc\n+/d.", "See https://example.com/a/bc/d."},
		{false, "• 缓存失效的原因是加载器\n  ab cache在磁盘较慢的时候。", "缓存失效的原因是加载器\nab cache在磁盘较慢的时候。"},
		{false, "• 缓存cache的原因是加载器缓存的\n  loader在磁盘较慢的时候。", "缓存cache的原因是加载器缓存的loader在磁盘较慢的时候。"},
		{false, "• 缓存 cache 的原因是加载器缓存\n  loader 在磁盘较慢的时候。", "缓存 cache 的原因是加载器缓存 loader 在磁盘较慢的时候。"},
		{false, "• 缓存cache的原因是加载器 loader\n  缓存在磁盘较慢的时候。", "缓存cache的原因是加载器 loader缓存在磁盘较慢的时候。"},
		{true, "• It reads the write-\n  ahead log of the day.", "It reads the write-ahead log of the day."},
		{true, "• It reads what is single-\n  and multi-line.", "It reads what is single- and multi-line."},
		{true, "• 缓存失效的原因是配置加载\n  器在磁盘较慢的时候。", "缓存失效的原因是配置加载器在磁盘较慢的时候。"},
		{true, "• 缓存失效。\n  原因。", "缓存失效。\n原因。"},
		{true, "• It reads the log of\n  the day.", "It reads the log of the day."},
	} {
		ls := rowtest.Dump(t, 30, c.dump)
		b := &body{lines: ls}
		look := markdown.Style{Left: 2, Seam: b.cutSeam}
		if c.balanced {
			look.Seam = b.seam
		}
		if text, _ := markdown.Render(ls, &look); text != c.want {
			t.Errorf("got %q, want %q", text, c.want)
		}
	}
}

// TestWrapBesideURL joins words that are cut anywhere, as they are in a line with a URL.
func TestWrapBesideURL(t *testing.T) {
	const u = "https://x.test/a"
	for _, c := range []struct{ name, dump, want string }{
		{"a word", "• See " + u + " for al\n  l the others.", "See " + u + " for all the others."},
		{"above the URL", "• It is in the other pages in\n  side of " + u + " too.",
			"It is in the other pages inside of " + u + " too."},
		{"above and below a URL with a row of its own",
			"• It is at the very first pag\n  e of the\n  https://x.test/abc/def/g and h\n  https://x.test/abc/def too, al\n" +
				"  so.", "It is at the very first page of the https://x.test/abc/def/g and h https://x.test/abc/def too, al so."},
		{"below a URL that the terminal wrapped",
			"• https://x.test/a/very/long/p\n+ath\n  is what it is, for all othe\n  rs.",
			"https://x.test/a/very/long/path is what it is, for all others."},
		{"a common word", "• Its " + u + " is for\n  others.", "Its " + u + " is for others."},
		{"a word of the cell", "• See " + u + " or log\n  files. Each log is one.",
			"See " + u + " or log files. Each log is one."},
		{"before a word of the cell", "• See " + u + " or zip\n  log. Each log is one.",
			"See " + u + " or zip log. Each log is one."},
		{"two pieces of a word of the cell", "• Its " + u + " is for\n  mat. One format will do.",
			"Its " + u + " is format. One format will do."},
		{"behind a mark", "• See " + u + " of al.\n  others.", "See " + u + " of al. others."},
		{"before a capital", "• See " + u + " of dog\n  Rex.", "See " + u + " of dog Rex."},
		{"a name in capitals", "• See " + u + " or SIG\n  TERM.", "See " + u + " or SIGTERM."},
		{"before a common word", "• See " + u + " of dog\n  the others.", "See " + u + " of dog the others."},
		{"before an article", "• See " + u + " of dog\n  a.", "See " + u + " of dog a."},
		{"before the URL", "• It is in the other pages se\n  " + u + " too.", "It is in the other pages se " + u + " too."},
		{"another line", "• See " + u + " or.\n  It is one row of words to b\n  e short.",
			"See " + u + " or.\nIt is one row of words to b e short."},
		{"no column for a hyphen", "• See " + u + " for all\n  others.", "See " + u + " for all others."},
	} {
		ls := rowtest.Dump(t, 30, c.dump)
		text, _ := markdown.Render(ls, &markdown.Style{Left: 2, Seam: (&body{lines: ls}).cutSeam})
		if text != c.want {
			t.Errorf("%s: got %q, want %q", c.name, text, c.want)
		}
	}
	ls := rowtest.Dump(t, 30, "• See "+u+" for al\n  others.")
	for i := range ls[0].Row.Runs { // later versions
		ls[0].Row.Runs[i].Style.Link = u
	}
	if (&body{lines: ls}).besideURL(0) {
		t.Error("a link is taken for a URL that keeps a line from being wrapped")
	}
}
