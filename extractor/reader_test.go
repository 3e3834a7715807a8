package extractor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestTruncate notes what is missing of an item on the first two of four rows. A prompt whose text
// an agent folds says how many lines are not shown.
func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		role, text string
		headless   bool
		lost       int // the row above which rows are lost, from 1
		omitted    int
		want       string
	}{
		{session.RoleUser, "Look: [Pasted text #1 +39 lines] and [Pasted text #2 +3 lines]", false, 0, 0, "42 middle"},
		{session.RoleUser, "[Pasted Text: 14 lines]", false, 0, 0, "14 middle"},
		{session.RoleUser, "[Pasted Content 4096 chars]", false, 0, 0, "0 middle"},
		{session.RoleUser, "[Pasted by me]", false, 0, 0, "0 "},
		{session.RoleAssistant, "[Pasted Text: 14 lines]", false, 0, 0, "0 "},
		{session.RoleAssistant, "left out", false, 0, 3, "3 middle"},
		{session.RoleAssistant, "headless", true, 1, 0, "0 head"},
		{session.RoleAssistant, "its first row", false, 1, 0, "0 "},
		{session.RoleAssistant, "its second row", false, 2, 0, "0 middle"},
		{session.RoleAssistant, "the next row", false, 4, 0, "0 tail"},
	} {
		lines := rowtest.Plain(20, "one", "two", "", "three")
		if lines[1].Omitted = tt.omitted; tt.lost > 0 {
			lines[tt.lost-1].Lost = true
		}
		it := chat.Item{Message: session.Message{Role: tt.role, Text: tt.text, Tool: &session.Tool{}}, End: 2,
			Headless: tt.headless}
		truncate(&it, lines)
		if got := fmt.Sprint(it.OmittedLines, " ", it.TruncatedAt); got != tt.want || it.Tool.Truncated != it.Truncated {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestForget lets go of rows that have long left the window, of which nobody has read an item, and
// keeps the one on which a command has cleared the conversation: it does so only once.
func TestForget(t *testing.T) {
	simply(t)
	r := NewReader()
	r.seg.agent = profiles[0]
	r.main.Lines = rowtest.Plain(20, slices.Repeat([]string{"x"}, maxTape+1)...)
	r.main.Base = maxTape
	if r.forget(&r.main); len(r.main.Lines) != keepTape {
		t.Errorf("%d lines are left", len(r.main.Lines))
	}
	r.main.Lines = rowtest.Plain(20, "! clear", "u: ho", "a: he", "a: hi")
	r.seg.items = r.parse(r.main.Lines, false, false)
	r.main.Dirty = 3
	r.show(&r.main, 4, true, false)
	if slices.ContainsFunc(r.steps, func(s Step) bool { return s.Event == session.EventClear }) {
		t.Error("the conversation was cleared again")
	}
}

// TestForgetBounds keeps an item whole that has no more than maxTape lines, and a document of which
// nothing was read.
func TestForgetBounds(t *testing.T) {
	r := NewReader()
	r.seg.items = []chat.Item{{End: maxTape}, {First: maxTape, End: 2 * maxTape}}
	r.main.Lines = rowtest.Plain(20, slices.Repeat([]string{"x"}, 2*maxTape)...)
	r.main.Base = 2*maxTape - 1
	if r.forget(&r.main); len(r.main.Lines) != maxTape || r.main.Lines[keepTape].Omitted > 0 {
		t.Errorf("%d lines are left of an item", len(r.main.Lines))
	}
	r.seg.items = nil
	r.main.Lines = rowtest.Plain(20, slices.Repeat([]string{"x"}, maxTape+1)...)
	r.main.Base = 0
	if r.forget(&r.main); len(r.main.Lines) != maxTape+1 {
		t.Errorf("%d lines are left that the window shows", len(r.main.Lines))
	}
}

// TestWaiting lets rows wait that scroll out of a screen which cannot be read: they go onto the
// document, which is read when it is full. Below the alternate screen the shell has them.
func TestWaiting(t *testing.T) {
	simply(t)
	r := NewReader()
	r.enter(profiles[0], chat.Banner{}, false, 0)
	r.steps = nil
	for n := maxLeft; n <= maxTape+maxLeft; n += maxLeft {
		r.main.Left = rowtest.Plain(20, slices.Repeat([]string{"a: hi"}, maxLeft)...)
		r.wait()
		if full := n > maxTape; r.main.Left != nil || full != (len(r.steps) > 0) || !full && len(r.main.Lines) != n {
			t.Errorf("of %d rows %d wait, %d are on the document: %d steps", n, len(r.main.Left), len(r.main.Lines),
				len(r.steps))
		}
	}
	r.seg.alt = true
	for n, want := range map[int]bool{maxLeft: false, maxLeft + 1: true} {
		r.seg.agent, r.main.Left = profiles[0], rowtest.Plain(20, slices.Repeat([]string{"bye"}, n)...)
		if got := r.leaveAlt(&Frame{Snapshot: vterm.New(vterm.Options{Cols: 20, Rows: 8}).Snapshot()}); got != want {
			t.Errorf("%d rows below the alternate screen: %v", n, got)
		}
	}
}

// TestPinnedCut looks for a pinned prompt after a window was drawn over the lines of the last one.
func TestPinnedCut(t *testing.T) {
	r := NewReader()
	r.seg.items = []chat.Item{{Message: session.Message{Role: session.RoleUser}, First: 2}}
	r.alt.Lines = rowtest.Plain(20, "a: hi", "a: ho")
	if r.pinned(r.alt.Lines) {
		t.Error("a reply is a pinned prompt")
	}
}

// TestWipeOfAgent has an agent say in which folder it works, before it wipes the screen: the folder
// of the shell stays as it was.
func TestWipeOfAgent(t *testing.T) {
	simply(t)
	r := NewReader()
	const prompt = "\x1b]7;file://host/shop\abob@host:/shop$ "
	shots{
		{"s", prompt}, {"s", "one\n== one 1.2\nu: hi\n>"},
		{"s", screen("== one 1.2", "u: hi", "a: yo\x1b]7;file://host/other\a", ">")},
		{"sw", "\x1b[2J\x1b[H== one 1.2\nu: hi\n>"},
		{"s", screen("bob@host:/shop$ ")}, {"s", "ls\nmain.go\nbob@host:/shop$ "},
	}.play(r)
	if items, _ := r.shell.Items(0); len(items) != 1 || items[0].Cwd != "/shop" {
		t.Errorf("%+v", items)
	}
}

// TestHalfDrawn says of a frame that is half drawn that it is.
func TestHalfDrawn(t *testing.T) {
	simply(t)
	r := NewReader()
	for _, tt := range []struct {
		shots shots
		want  bool
	}{
		{shots{{"s", screen("== one 1.2", "u: hi", ">")}}, false},
		{shots{{"s", screen("== one 1.2", "u: hi", ">")}, {"", "\x1b[2;1Hu: ho"}}, true},
	} {
		if tt.shots.play(r); r.HalfDrawn != tt.want {
			t.Errorf("after %d frames: %v", len(tt.shots), r.HalfDrawn)
		}
	}
}

// TestStormEnds is quiet after two resizes: what is torn then stays as it is.
func TestStormEnds(t *testing.T) {
	simply(t)
	r := NewReader()
	r.enter(profiles[0], chat.Banner{}, false, 0)
	s := chat.Screen{Lines: rowtest.Plain(20, "u: hi", ">"), CursorY: 1}
	r.main.Lines = slices.Clone(s.Lines)
	for range 2 {
		r.main.Resized(document.MainFrames)
	}
	for _, settled := range []bool{false, true, true, true} {
		if !r.main.Torn(0, s.Lines) {
			t.Error("the storm ended early")
		}
		r.readInline(s, 2, false, settled)
	}
	if r.main.Torn(0, s.Lines) {
		t.Error("the storm goes on")
	}
}

// TestRepeated shows a screen again that has not changed: on the alternate screen nothing is read,
// unless all is quiet now, or drawn since a resize.
func TestRepeated(t *testing.T) {
	simply(t)
	talk := screen("== one 1.2", "u: hi", "a: yo", ">")
	for _, tt := range []struct{ screen, want string }{
		{main, "0[] newSession one 0[\"u:hi\" \"a:yo…\"] busy+ | idle+ | 0[\"u:hi\" \"a:yo\"] idle+ | exit one"},
		{alt, "newSession one 0[\"u:hi\" \"a:yo\"] idle+ | + | 0[\"u:hi\" \"a:yo\"] idle+ | exit one"},
	} {
		if got := (shots{{"", tt.screen + talk}, {"", talk}, {"s", talk}}).play(NewReader()); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	term := vterm.New(vterm.Options{Cols: 20, Rows: 8})
	_, _ = term.Write([]byte(strings.ReplaceAll(alt+talk, "\n", "\r\n"))) // never fails
	f, r := Frame{Snapshot: term.Snapshot()}, NewReader()
	r.Read(f)
	if f.Redrawn = true; len(r.Read(f)) == 0 {
		t.Error("a screen that was drawn since the resize was not read")
	}
}

// TestBannerAgain looks for a banner where one was found: it is read again only if its rows or the
// one below have changed, and none begins within it.
func TestBannerAgain(t *testing.T) {
	simply(t)
	reads := 0
	look := profiles[0].Look
	look.Banner = func(lines []row.Line) (b chat.Banner, n int) {
		reads++
		return b, min(2, len(lines))
	}
	lines := rowtest.Plain(20, "== one 1.2", "== one", "u: hi", "a: yo")
	r := NewReader()
	for _, tt := range []struct{ from, to, n, reads int }{
		{0, 4, 2, 1}, {0, 4, 2, 1}, {0, 3, 2, 1}, {1, 4, 0, 1}, {0, 2, 2, 2}, {0, 2, 2, 2}, {0, 3, 2, 3}, {1, 2, 0, 3},
		{2, 4, 2, 4}, {0, 4, 2, 5},
	} {
		if _, _, n := r.bannerOn(lines[tt.from:tt.to]); n != tt.n || reads != tt.reads {
			t.Errorf("%d to %d: %d rows, %d reads", tt.from, tt.to, n, reads)
		}
	}
}

// TestParseDrawnAgain leaves a prompt out that was torn, and then drawn again as a whole.
func TestParseDrawnAgain(t *testing.T) {
	simply(t)
	r := NewReader()
	r.seg.agent = profiles[0]
	lines := rowtest.Plain(20, "u: hello", "u: hello, my dear", "a: yo")
	lines[1].Lost = true
	if items := r.parse(lines, false, false); len(items) != 2 || items[0].Text != "hello, my dear" {
		t.Errorf("got %v", items)
	}
}

// TestFinishes compares a frame with a half drawn one before it.
func TestFinishes(t *testing.T) {
	for _, tt := range []struct {
		name       string
		body, held []string
		want       bool
	}{
		{"the first text goes on", []string{"", "user: next", "rest"}, []string{"", "user: ne", "older"}, true},
		{"the first text is drawn over an older one", []string{"", "user: next", "rest"},
			[]string{"", "user: nech older", "row"}, true},
		{"blank rows above are not of the window", []string{"user: next", "rest"}, []string{"user: nech older", "row"}, true},
		{"an older text with the same end", []string{"", "user: next", "rest"}, []string{"", "said, much older", "row"},
			false},
		{"another text with the same beginning", []string{"", "user: next", "rest"}, []string{"", "user: new", "row"}, false},
		{"an older text that is not as wide", []string{"", "", "", "user: next"}, []string{"", "", "", "user: neolder"},
			false},
		{"a text below the older ones goes on", []string{"", "", "", "user: next"}, []string{"", "", "", "user: ne"}, true},
		{"another text", []string{"", "user: next"}, []string{"", "said"}, false},
		{"the text is on another row", []string{"user: next", "rest"}, []string{"", "user: ne"}, false},
		{"fewer rows than are blank", []string{"user: next"}, []string{"", "user: ne"}, false},
		{"nothing but blank rows", []string{"user: next", "rest"}, []string{"", ""}, false},
	} {
		shown := rowtest.Plain(40, "", "said, much older", "row")
		if got := finishes(rowtest.Plain(40, tt.body...), rowtest.Plain(40, tt.held...), shown); got != tt.want {
			t.Errorf("%s: %v; want %v", tt.name, got, tt.want)
		}
	}
}

// TestCleared clears a conversation on the alternate screen: what was said before is not said again
// where a terminal multiplexer shows it above, and a command that clears begins a new one.
func TestCleared(t *testing.T) {
	simply(t)
	talk := shots{{"s", alt + screen("== one 1.2", "u: hello, my dear", "a: yo", ">")}}
	for _, tt := range []struct {
		name  string
		shots shots
		want  string
	}{
		{"shown above", shots{{"s", screen(">")}, {"s", screen("u: ho", ">")}, {"s", screen("a: yo", "u: ho", "a: he", ">")}},
			`clear one idle+ | 0["u:ho"] idle+ | 0["u:ho" "a:he"] idle+ | exit one`},
		{"by a command", shots{{"s", screen("! clear", "u: ho, my dear", ">")},
			{"s", screen("! clear", "u: ho, my dear", "a: he", ">")}},
			`clear one 0["cli:clear:" "u:ho, my dear"] idle+ | 0["cli:clear:" "u:ho, my dear" "a:he"] idle+ | exit one`},
		{"by a command that is above other text", shots{{"s", screen("! clear", "u: ho, my dear", "a: he", ">")}},
			`0["u:hello, my dear" "a:yo~tail" "cli:clear:" "u:ho, my dear" "a:he"] idle+ | exit one`},
	} {
		want := `newSession one 0["u:hello, my dear" "a:yo"] idle+ | ` + tt.want
		if got := slices.Concat(talk, tt.shots).play(NewReader()); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

// TestAgainInMux rewinds a conversation in a terminal multiplexer: below what the window still has
// of it, the agent prints it again. A banner below rows of the shell only is the first one.
func TestAgainInMux(t *testing.T) {
	simply(t)
	talk := shots{{"s", alt + screen("bob$ one", "== one 1.2", ">")},
		{"s", screen("bob$ one", "== one 1.2", "u: hello, my dear", "a: yo", ">")}}
	for _, tt := range []struct {
		shot []string
		want string
	}{
		{[]string{"a: yo", "c: rewound", "== one 1.2", "u: hello, my dear", ">"}, `0again["u:hello, my dear"] idle+`},
		{[]string{"bob$ one", "== one 1.2", "u: hello, my dear", "a: yo", "u: hi", ">"},
			`0["u:hello, my dear" "a:yo" "u:hi"] idle+`},
	} {
		if got := append(talk, struct{ know, write string }{"s",
			screen(tt.shot...)}).play(NewReader()); !strings.HasSuffix(got, tt.want+" | exit one") {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}

// TestSkipped shows rows only in a frame that is not read, as they are after a resize.
func TestSkipped(t *testing.T) {
	simply(t)
	got := shots{
		{"s", alt + screen("== one 1.2", "u: hello, my dear", ">")},
		{"k", screen("u: hello, my dear", "a: this is all that", "I have to tell you", "about the index.", ">")},
		{"s", screen("I have to tell you", "about the index.", "It is small.", ">")},
	}.play(NewReader())
	if want := `"a:this is all that\nI have to tell you\nabout the index.\nIt is small."`; !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestMuxLeft leaves a terminal multiplexer, which puts the cursor on the first row before it
// erases the window: an agent that has ended is still there.
func TestMuxLeft(t *testing.T) {
	simply(t)
	ended := []string{"== one 1.2", "u: hello, my dear", "a: yo", "bye"}
	got := shots{
		{"s", alt + barred("me@box:~$ ")}, {"", barred("me@box:~$ one")},
		{"s", barred("== one 1.2", "u: hello, my dear", "a: yo", ">")},
		{"s", barred(append(ended, "me@box:~$ ")...)},
		{"", barred(append(ended, "me@box:~$ exit")...) + "\x1b[H"},
	}.play(NewReader())
	if n := strings.Count(got, "newSession"); n != 1 {
		t.Errorf("%d sessions: %s", n, got)
	}
}

// TestPrintedCapture prints a conversation that has no colours in a shell and in a pager: no agent
// runs. The same rows above a cursor in the input are an agent's.
func TestPrintedCapture(t *testing.T) {
	simply(t)
	profiles[0].Look.Mono = true
	capture := "== one 1.2\nu: hi\na: yo\n>\n  hint"
	for _, tt := range []struct {
		name  string
		shots shots
		want  bool
	}{
		{"in a shell", shots{{"s", "me@box:~$ "}, {"", "cat talk\n" + capture + "\nme@box:~$ "}, {"s", ""}}, false},
		{"in a pager", shots{{"s", "\x1b[?1049h\x1b[H" + capture + "\n:"}}, false},
		{"as the first thing", shots{{"s", capture + "\nme@box:~$ "}}, false},
		{"an agent", shots{{"s", "me@box:~$ "}, {"", "one\n" + capture + "\x1b[A\r\x1b[C"}, {"s", ""}}, true},
		{"an agent on the alternate screen", shots{{"s", "\x1b[?1049h\x1b[H" + capture + "\x1b[A\r\x1b[C"}}, true},
	} {
		if got := tt.shots.play(NewReader()); strings.Contains(got, "newSession") != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
