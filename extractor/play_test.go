package extractor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/markdown"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// typed matches what is typed into the input box of a simple agent.
var typed = lazy.Regexp(`^>(/| )`)

// simple is the look of an agent that draws little: "== NAME 1.2" is its welcome, "u: " begins a
// prompt, "a: " a reply, "c: " a command, "! clear" a cleared conversation. The last row with ">"
// is its input box, and says its state; "[menu]" covers the conversation.
func simple(name string) *Profile {
	l := &chat.Look{Versions: "1", Farewell: name == "one"}
	l.Begins = func(text string) bool { return strings.HasPrefix(text, "== "+name) }
	l.Banner = func(lines []row.Line) (b chat.Banner, n int) {
		if l.Begins(lines[0].Text) {
			b.Version, n = strings.TrimPrefix(lines[0].Text, "== "+name+" "), 1
		}
		return b, n
	}
	l.Clears = func(l row.Line) bool { return l.Text == "! clear" }
	l.Split = func(s chat.Screen) (sp chat.Split) {
		for y, l := range s.Lines {
			if state, ok := strings.CutPrefix(l.Text, ">"); ok {
				sp = chat.Split{OK: true, Bottom: y, State: chat.StateIdle, Overlay: sp.Overlay}
				switch state {
				case "busy":
					sp.State = chat.StateBusy
				case "start":
					sp.State = chat.StateStarting
				case "ask":
					sp.State = chat.StateAsking
				case "hidden":
					sp.State = chat.StateUnknown
				case "back":
					sp.Scrolled = true
				case "all":
					sp.Bottom = len(s.Lines)
				case "bar":
					sp.Right = 9
				}
			}
			sp.Overlay = sp.Overlay || l.Text == "[menu]"
		}
		sp.Overlay = sp.Overlay && sp.OK
		return sp
	}
	if name == "one" {
		l.Box = func(lines []row.Line) (chat.Box, bool) {
			at := max(0, row.Last(lines, row.Matching(typed)))
			return chat.Box{Rows: lines[at:], Left: 1, Right: -1}, true
		}
	}
	c := &chat.Cells{Agent: name, Cells: []chat.Cell{
		{Begin: &chat.Mark{Text: l.Begins}},
		{Begin: &chat.Mark{Signs: []string{"! clear"}}, Rule: "clear", Event: session.EventClear},
	}}
	for sign, role := range map[string]string{"u": session.RoleUser, "a": session.RoleAssistant,
		"c": session.RoleCommand} {
		c.Cells = append(c.Cells, chat.Cell{Begin: &chat.Mark{Signs: []string{sign + ": "}}, Rule: role,
			Read: func(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
				text := strings.Join(textsOf(row.Trim(lines)), "\n")[3:]
				return chat.Said(role, text, text), true
			}})
	}
	c.Cells = append(c.Cells, chat.Cell{Headless: true, Rule: "rest", Role: session.RoleAssistant,
		Style: &markdown.Style{}})
	l.Parse = c.Parse
	return &Profile{&chat.Agent{Name: name}, l}
}

// shots are moments of a terminal of 8 rows of 20 cells: what is written, and what is known of the
// frame, a letter each: settled, wiped, torn, placed, narrower,
// redrawn since, kept from being read.
type shots []struct{ know, write string }

// play returns what a Reader says of shots, frame by frame, and whether the input box was shown;
// then what it tells at the end.
func (s shots) play(r *Reader) string { return s.playIn(20, r) }

// playIn is play in a terminal of so many columns.
func (s shots) playIn(cols int, r *Reader) string {
	term := vterm.New(vterm.Options{Cols: cols, Rows: 8, Scrollback: 100})
	var out []string
	for _, shot := range s {
		is := func(know string) bool { return strings.Contains(shot.know, know) }
		if is("n") {
			term.Resize(15, 8)
		}
		_, _ = term.Write([]byte(strings.ReplaceAll(shot.write, "\n", "\r\n"))) // never fails
		if is("k") {
			r.Skip(Frame{Snapshot: term.Snapshot()}, "nothing is drawn yet")
			continue
		}
		steps := r.Read(Frame{Snapshot: term.Snapshot(), History: term.TakeHistory(), AltScrolled: term.TakeAltScrolled(),
			Settled: is("s"), Wiped: is("w"), Torn: is("t"), Placed: is("p"), Resized: is("n"), Redrawn: is("r")})
		line := told(steps)
		if r.Shown {
			line += "+"
		}
		out = append(out, line)
	}
	return strings.Join(append(out, told(r.Close())), " | ")
}

// told returns what steps say.
func told(steps []Step) string {
	var out []string
	for _, s := range steps {
		switch {
		case s.Event != "":
			out = append(out, strings.TrimPrefix(s.Event, "cli:"), s.Agent)
			if s.Below {
				out = append(out, "below")
			}
		case s.View == nil:
			out = append(out, s.State.String())
		default:
			var items []string
			for _, it := range s.View.Items {
				text := it.Role[:min(1, len(it.Role))] + it.Event + ":" + it.Text
				if len(text) > 200 {
					text = fmt.Sprint(len(text), " bytes")
				}
				if it.Open {
					text += "…"
				}
				if it.TruncatedAt != "" {
					text += "~" + it.TruncatedAt
				}
				items = append(items, text)
			}
			reprint := ""
			if s.View.Reprint {
				reprint = "again"
			}
			out = append(out, fmt.Sprintf("%d%s%q", s.View.From, reprint, items))
		}
	}
	return strings.Join(out, " ")
}

// screen draws rows from the top of the screen, over what was there.
func screen(rows ...string) string { return "\x1b[H\x1b[J" + strings.Join(rows, "\n") }

// barred draws rows like screen, and the bar of a terminal multiplexer below them.
func barred(rows ...string) string { return screen(rows...) + "\x1b7\x1b[8H[0] bash\x1b8" }

const (
	alt  = "\x1b[?1049h"
	main = "\x1b[?1049l"
)

// simply has the package know simple agents only.
func simply(t *testing.T) {
	before := agents
	set := func(to []*chat.Agent) { agents, profiles = to, profilesOf(to) }
	t.Cleanup(func() { set(before) })
	one, two := simple("one"), simple("two")
	other := *one.Look // another look of the first
	other.Split = func(chat.Screen) chat.Split { return chat.Split{} }
	one.Looks, two.Looks = []chat.Look{*one.Look, other}, []chat.Look{*two.Look}
	set([]*chat.Agent{one.Agent, two.Agent})
}

func TestReader(t *testing.T) {
	simply(t)
	talk := screen("== one 1.2", "u: hello, my dear", "a: yo", ">")
	long := shots{{"", talk}, {"", "\r\x1b[K" + strings.Repeat("  x\n", 450) + ">busy"}}
	few := slices.Repeat(shots{{"", "\r\x1b[K  y\n>busy"}}, 10)
	for _, tt := range []struct {
		name  string
		shots shots
		want  string
	}{
		{"a run between shell prompts", shots{{"s", "me@box:~$ "}, {"s", "one\n"}, {"s", "== one 1.2\nu: hi\na: yo\n>"},
			{"s", "\r\x1b[Kme@box:~$ "}},
			`0[] | 0["s:one…"] | 0["s:one…"] newSession one 0["u:hi" "a:yo…"] busy+ | exit one 0[] |`},
		{"begun before, quiet", shots{{"", screen("u: hi", "a: yo", ">")}, {"s", ""}},
			`0[] | newSession one 0["u:hi" "a:yo…"] busy+ | exit one`},
		{"begun before, but cells are missing", shots{{"sp", screen("u: hi", "a: yo", ">")}}, `0[] |`},
		{"begun before, but rows have scrolled", shots{{"sp", "x\nx\nx\nx\nx\nx\nx\nx\nu: hi\na: yo\n>"}},
			`newSession one 0["a:x\nx\nx\nx\nx\nx\nx\nx~head" "u:hi" "a:yo…"] busy+ | exit one`},
		{"begun before, nobody has said anything", shots{{"s", screen("a: yo", ">")}}, `0[] |`},
		{"a command with a welcome that cannot be read",
			shots{{"s", "me@box:~$ "}, {"s", "one\n"}, {"s", "hi== one 1.2\n>"}, {"s", "\r\x1b[Ku: hi\na: yo\n>"}},
			`0[] | 0["s:one…"] | 0["s:one…"] | 0["s:one…"] newSession one 0["u:hi" "a:yo…"] busy+ | exit one`},
		{"not begun before: a shell was there", shots{{"s", "me@box:~$ "}, {"s", "cat\n"}, {"s", "u: hi\na: yo\n>"}},
			`0[] | 0["s:cat…"] | 0["s:cat…"] |`},
		{"on the alternate screen", shots{{"s", alt + talk},
			{"", screen("== one 1.2", "u: hello, my dear", "a: yo you", ">busy")}, {"s", main + "bye\n"}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0["u:hello, my dear" "a:yo you…"] busy+ | exit one 0[] |`},
		{"on the alternate screen, begun before",
			shots{{"", alt + screen("u: hello, my dear", "a: yo", ">busy")}, {"", screen("a: yo", "a: ya", ">busy")}},
			`newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "a:yo" "a:ya…"] busy+ | exit one`},
		{"on the alternate screen, left with a reprint",
			shots{{"s", alt + talk}, {"", main}, {"w", "== one 1.2\nu: hello, my dear\na: yo\n\nbye\n"}, {"s", ""}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ |  |  | 0again["u:hello, my dear" "a:yo\n\nbye…"] | exit one`},
		{"on the alternate screen, left for a prompt",
			shots{{"s", "me@box:~$ "}, {"", "one\n"}, {"s", alt + talk}, {"", main}, {"", "me@box:~$ "}},
			`0[] | 0["s:one…"] | newSession one 0["u:hello, my dear" "a:yo"] idle+ |  | exit one 0[] |`},
		{"on the alternate screen, left without a word",
			shots{{"s", "me@box:~$ "}, {"", "two\n"}, {"s", alt + screen("== two 1", "u: hi", ">")}, {"", main},
				{"s", "me@box:~$ "}, {"s", "ls\nme@box:~$ "}},
			`0[] | 0["s:two…"] | newSession two 0["u:hi"] idle+ | exit two | 0[] | 0["s:ls"] | 0["s:ls"]`},
		{"stopped, and continued by the shell",
			shots{{"s", "me@box:~$ "}, {"", "two\n"}, {"s", alt + screen("== two 1", "u: hi", ">")},
				{"s", main + "me@box:~$ "}, {"s", "fg\n"}, {"s",
					alt + screen("== two 1", "u: hi", ">")}},
			`0[] | 0["s:two…"] | newSession two 0["u:hi"] idle+ | exit two 0[] | 0["s:fg…"] | 0again["u:hi"] idle+ | exit two`},
		{"on the alternate screen, two does not reprint", shots{{"s", alt + screen("== two 1", "u: hi", ">")}, {"", main}},
			`newSession two 0["u:hi"] idle+ | exit two 0[] |`},
		{"on the alternate screen, scrolled back", shots{{"s", alt + talk}, {"s", screen("u: x", ">back")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | idle+ | exit one`},
		{"on the alternate screen, down to the end again",
			shots{{"s", alt + screen("u: hello, my dear", "a: yo you", ">")},
				{"s", screen("a: yo you there", "  and here", ">back")}},
			`newSession one 0["u:hello, my dear" "a:yo you"] idle+ | 0["u:hello, my dear" "a:yo you there\n  and here"] ` +
				`idle+ | exit one`},
		{"on the alternate screen, a reply that becomes one said before",
			shots{{"s", alt + screen("u: hello, my dear", "a: done ok", "u: and", "a: no way", "u: more", "a: doing ok",
				"  one of many", ">")}, {"s", screen("a: doing ok", "  one of many", "  all of many", ">")},
				{"s", screen("a: done ok", "  one of many", "  all of many", ">")}},
			`newSession one 0["u:hello, my dear" "a:done ok" "u:and" "a:no way" "u:more" "a:doing ok\n  one of many"] idle+ ` +
				`| 4["u:more" "a:doing ok\n  one of many\n  all of many"] idle+ | 3["a:no way" "u:more" "a:done ok\n  one of ` +
				`many\n  all of many"] idle+ | exit one`},
		{"on the alternate screen, a pinned prompt",
			shots{{"s", alt + screen("u: hello, my dear", "a: yo", "  you there", "  and me here", ">")},
				{"s", screen("u: hello, my dear", "  you there", "  and me here", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo\n  you there\n  and me here"] idle+ | idle+ | exit one`},
		{"on the alternate screen, up to the welcome",
			shots{{"s", alt + screen("== one 1.2", "x", "u: hello, my dear", "a: yo", ">")},
				{"s", screen("== one 1.2", "x", ">back")}}, `newSession one 0["u:hello, my dear" "a:yo"] idle+ | idle+ | exit one`},
		{"on the alternate screen, up to the welcome, and a menu",
			shots{{"s", alt + screen("== one 1.2", "x", "u: hello, my dear", "a: yo", ">")},
				{"s", screen("u: hello, my dear", "a: yo", "u: and again", ">")},
				{"s", screen("== one 1.2", "x", "u: hello, my dear", ">")}, {"s", screen("== one 1.2", ">", "1", "2", "3")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0["u:hello, my dear" "a:yo" "u:and again"] idle+ | idle+ | ` +
				`idle+ | exit one`},
		{"on the alternate screen, cleared", shots{{"s", alt + talk}, {"s", screen("== one 1.2", "u: new", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | clear one 0["u:new"] idle+ | exit one`},
		{"on the alternate screen, cleared, with the last row of the welcome",
			shots{{"s", alt + screen("== one 1.2", "Ask me what it does.", "u: hello, my dear", "a: yo", ">")},
				{"s", screen("a: yo", "u: well, what does it do", "a: this", ">")},
				{"s", screen("tips", "Ask me what it does.", ">")}, {"s", screen("Ask me what it does.", "u: new", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0["u:hello, my dear" "a:yo" "u:well, what does i\nt do" ` +
				`"a:this"] idle+ | clear one 0[] idle+ | 0["u:new"] idle+ | exit one`},
		{"on the alternate screen, a reply as the last row of the welcome",
			shots{{"s", alt + screen("== one 1.2", "Ask me what it does.", "u: hello, my dear", "a: yo", ">")},
				{"s", screen("a: yo", "Ask me what it does.", "u: new", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0["u:hello, my dear" "a:yo\nAsk me what it does." "u:new"] ` +
				`idle+ | exit one`},
		{"on the alternate screen, scrolled off between two frames",
			shots{{"s", alt + screen("u: hello, my dear", "", ">")},
				{"s", "\x1b[3;1H\x1b[Ka: one of many\n  two of many\n  three of many\n  four of many\n  five of many\n" +
					"  six of many\n  seven of many\n  eight of many\n  nine of many\n  ten of many\n>"}},
			`newSession one 0["u:hello, my dear"] idle+ | 0["u:hello, my dear" "a:one of many\n  two of many\n  three of ` +
				`many\n  four of many\n  five of many\n  six of many\n  seven of many\n  eight of many\n  nine of many\n  ten ` +
				`of many"] idle+ | exit one`},
		{"on the alternate screen, scrolled off with the input box",
			shots{{"s", alt + screen("u: hello, my dear", "", ">")},
				{"s", "\x1b[8;1H\n\n\n\n\n\n\n  eight of many\n  nine of many\n  ten of many\n  and so on\n  and so on\n" +
					"  and on\n  and on\n>"}},
			`newSession one 0["u:hello, my dear"] idle+ | 0["u:hello, my dear~tail" "a:eight of many\nnine of many\nten of ` +
				`many\nand so on\nand so on\nand on\nand on~head"] idle+ | exit one`},
		{"on the alternate screen, the end of a call above a question",
			shots{{"s", alt + talk}, {"s", screen("  rm -r shop", ">ask")},
				{"s", screen("u: hello, my dear", "a: yo", "c: rm -r shop", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0["u:hello, my dear" "a:yo…"] asking+ | 0["u:hello, my ` +
				`dear" "a:yo" "c:rm -r shop"] idle+ | exit one`},
		{"on the alternate screen, empty for a moment, and then other words",
			shots{{"s", alt + talk}, {"", screen(">")}, {"", screen("a: a notice", "", ">")},
				{"s", screen("a: a notice", "u: new", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | idle+ | 0again["a:a notice"] idle+ | clear one 0["a:a ` +
				`notice" "u:new"] idle+ | exit one`},
		{"on the alternate screen, empty for a moment, and then the same words",
			shots{{"s", alt + talk}, {"", screen(">")}, {"s", screen("u: hello, my dear", "a: yo", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | idle+ | idle+ | exit one`},
		{"on the alternate screen, back at the first prompt",
			shots{{"s", alt + talk}, {"s", screen("== one 1.2", "> hello,\n my dear")}, {"s", screen("== one 1.2", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0again[] idle+ | idle+ | exit one`},
		{"on the alternate screen, back at the first prompt a moment later",
			shots{{"s", alt + talk}, {"", screen("== one 1.2", ">")}, {"", screen("== one 1.2", "> hello,\n my dear")},
				{"s", screen("== one 1.2", "> hello,\n my dear")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0again[] idle+ | idle+ | 0again[] idle+ | exit one`},
		{"on the alternate screen, cleared, and another old prompt is typed",
			shots{{"s", alt + screen("== one 1.2", "u: hello, my dear", "a: yo", "u: go on", ">")},
				{"s", screen("== one 1.2", "> go on")}},
			`newSession one 0["u:hello, my dear" "a:yo" "u:go on"] idle+ | clear one 0[] idle+ | exit one`},
		{"on the alternate screen, with a bar",
			shots{{"s", alt + screen("== one 1.2", "u: hi    |", "a: yo    #", ">bar")},
				{"s", screen("== one 1.2", "u: hi    #", "a: yo    |", ">bar")},
				{"s", screen("== one 1.2", "u: hi    #", "a: yo    |", ">")}},
			`newSession one 0["u:hi" "a:yo"] idle+ | idle+ | clear one 0["u:hi    #" "a:yo    |"] idle+ | exit one`},
		{"another program on the alternate screen", shots{{"s", talk}, {"s", alt + "vim"}, {"s", main}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ |  | 0["u:hello, my dear" "a:yo"] idle+ | exit one`},
		{"another program on the alternate screen, asking",
			shots{{"s", alt + "\x1b[?25lTrust?\n❯ 1. Yes\n  2. No"}, {"", screen("x")}, {"s", ""}}, `asking |  | idle |`},
		{"a stranger asks", shots{{"s", "\x1b[?25lTrust?\n❯ 1. Yes\n  2. No"}, {"s", ""}, {"", screen("ok")}, {"s", ""},
			{"s", ""}}, `0[] asking | 0[] asking | 0[] | 0[] idle | 0[] |`},
		{"states", shots{{"s", screen("== one 1.2", ">start")}, {"s", screen("== one 1.2", ">hidden")},
			{"s", screen("== one 1.2", ">ask")}, {"s", screen("== one 1.2", ">busy")},
			{"s", screen("== one 1.2", "[menu]", ">")}},
			`0[] newSession one 0[] starting+ | 0[]+ | 0[] asking+ | 0[] busy+ |  | exit one`},
		{"a menu while rows scroll", shots{{"s", talk}, {"", "\r\x1b[Ka: b\n  c\n  d\n  e\n[menu]\n  f\n  g\n>"},
			{"s", screen("  d", "  e", "  f", "  g", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ |  | 0["u:hello, my dear" "a:yo\n  d\n  e\n  f\n  g…"] ` +
				`busy+ | exit one`},
		{"torn", shots{{"", talk}, {"t", "\r\x1b[Ka: b\n  c\n  d\n  e\n  f\n  g\n>"}, {"s", ""}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ |  | 0["u:hello, my dear" "a:yo" "a:b\n  c\n  d\n  e\n  ` +
				`f\n  g…"] busy+ | exit one`},
		{"the same banner", shots{{"s", talk}, {"s", talk}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "a:yo"] idle+ | exit one`},
		{"another agent below", shots{{"s", talk}, {"s", "\r\x1b[K== two 1\nu: ho\n>"}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | exit one newSession two 0["u:ho"] busy+ | exit two`},
		{"the banner again below", shots{{"s", talk}, {"s", "\r\x1b[K== one 1.2\nu: ho\n>"}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again["u:ho"] busy+ | exit one`},
		{"the banner again, nothing said", shots{{"s", screen("== one 1.2", ">")}, {"s", "\r\x1b[K== one 1.2\nu: ho\n>"}},
			`0[] newSession one 0[] busy+ | 0["u:ho"] busy+ | exit one`},
		{"wiped, printed again", shots{{"s", talk}, {"w", screen("== one 1.2")},
			{"s", screen("== one 1.2", "u: hello, my dear")}, {"s", talk}, {"s", ""}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ |  | 0again["u:hello, my dear"] | 0again["u:hello, my ` +
				`dear" "a:yo…"] busy+ | 0again["u:hello, my dear" "a:yo"] idle+ | exit one`},
		{"wiped, with the last banner only", shots{{"s", talk},
			{"ws", screen("== one 1.2", "u: hi", "== one 1.2", "u: ho", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["u:ho"] busy+ | exit one`},
		{"wiped, other words", shots{{"s", talk}, {"ws", screen("== one 1.2", "u: ho", ">")},
			{"s", screen("== one 1.2", "u: ho", "a: ya", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["u:ho"] busy+ | 0["u:ho" "a:ya…"] busy+ | ` +
				`exit one`},
		{"wiped, no banner, printed again from the banner on",
			shots{{"s", talk}, {"ws", screen(">")}, {"s", screen("u: ho", ">")},
				{"ws", screen("== one 1.2", "u: hello, my dear", "a: yo", "u: ho", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one below 0[] idle+ | 0["u:ho"] busy+ | ` +
				`0again["u:hello, my dear" "a:yo" "u:ho"] busy+ | exit one`},
		{"wiped, and busy before the prompt is drawn again",
			shots{{"s", talk}, {"ws", screen("== one 1.2", ">busy")},
				{"s", screen("== one 1.2", "u: hello, my dear", ">busy")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again[] busy+ | 0again["u:hello, my dear"] busy+ | ` +
				`exit one`},
		{"wiped, while a command is typed", shots{{"s", talk}, {"ws", screen("== one 1.2", ">/cl")},
			{"s", screen("== one 1.2", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again[] busy+ | clear one 0[] idle+ | exit one`},
		{"wiped, while a command is typed that does not clear",
			shots{{"s", talk}, {"ws", screen("== one 1.2", ">/quit")}, {"s", screen("== one 1.2", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again[] busy+ | 0again[] idle+ | exit one`},
		{"wiped, compacted", shots{{"s", talk}, {"ws", screen("== one 1.2", "c: /compact", "u: ho", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again["c:/compact" "u:ho"] busy+ | exit one`},
		{"wiped, another command", shots{{"s", talk}, {"ws", screen("== one 1.2", "c: /model", "u: ho", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["c:/model" "u:ho"] busy+ | exit one`},
		{"wiped, nothing said", shots{{"s", screen("== one 1.2", ">")}, {"ws", screen("== one 1.2", "u: ho", ">")}},
			`0[] newSession one 0[] busy+ | 0again["u:ho"] busy+ | exit one`},
		{"wiped twice, rows between", shots{{"s", "me@box:~$ "}, {"s", "a\n"},
			{"ws", "1\n2\n3\n4\n5\n6\n7\n8\n9\n\x1b[2J\x1b[Hb"}}, `0[] | 0["s:a…"] | 0["s:a…"] |`},
		{"cleared", shots{{"s", talk}, {"ws", screen("== one 1.2", "! clear", "u: ho", ">")},
			{"ws", screen("== one 1.2", "! clear", "u: ho", ">")},
			{"s", screen("== one 1.2", "! clear", "u: ho", "a: he", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["cli:clear:" "u:ho"] busy+ | ` +
				`0again["cli:clear:" "u:ho"] busy+ | 0again["cli:clear:" "u:ho" "a:he…"] busy+ | exit one`},
		{"cleared without a wipe", shots{{"s", talk}, {"s", screen("== one 1.2", "! clear", "u: ho", ">")},
			{"s", screen("== one 1.2", "! clear", "u: he", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["cli:clear:" "u:ho"] busy+ | ` +
				`0["cli:clear:" "u:he"] busy+ | exit one`},
		{"narrower", shots{{"s", "me@box:~$ "}, {"s", "echo 12345678\n12345678\nme@box:~$ "}, {"n", ""},
			{"s", "ls\nx\nme@box:~$ "}}, `0[] | 0["s:echo 12345678"] |  | 0["s:echo 12345678" "s:ls"] |`},
		{"wiped twice, cleared once", shots{{"s", talk}, {"ws", screen("== one 1.2", "! clear", "u: ho", ">")}, {"w", ""},
			{"ws", screen("== one 1.2", "! clear", "u: ho", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["cli:clear:" "u:ho"] busy+ | ` +
				`0again["cli:clear:" "u:ho"] busy+ | 0again["cli:clear:" "u:ho"] busy+ | exit one`},
		{"cleared, and all drawn again", shots{{"s", talk}, {"s", screen("== one 1.2", "! clear", "u: ho", ">")},
			{"s", screen("== one 1.3", "! clear", "u: ho", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["cli:clear:" "u:ho"] busy+ | ` +
				`0["cli:clear:" "u:ho"] busy+ | exit one`},
		{"wiped, cleared below", shots{{"s", talk}, {"ws", screen("== one 1.2", "u: ho", "! clear", "u: he", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again["u:ho" "cli:clear:" "u:he"] busy+ | exit one`},
		{"wiped, the same words and cleared below",
			shots{{"s", talk}, {"ws", screen("== one 1.2", "u: hello, my dear", "! clear", "u: he", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again["u:hello, my dear" "cli:clear:" "u:he"] busy+ | ` +
				`exit one`},
		{"the rest of a reply on the alternate screen", shots{{"s", alt + screen("  of it", "", "u: hello, my dear", ">")}},
			`newSession one 0["a:of it~head" "u:hello, my dear"] idle+ | exit one`},
		{"torn, in a shell", shots{{"s", "me@box:~$ "}, {"t", "seq\n1\n2"}}, `0[] | 0["s:seq…"] |`},
		{"a prompt above the input box", shots{{"s", "me@box:~$ "}, {"s", "one\n"}, {"s", "== one 1.2\nu: hi\n>"},
			{"s", "\r\x1b[Kme@box:~$ \x1b7\n>\x1b8"}},
			`0[] | 0["s:one…"] | 0["s:one…"] newSession one 0["u:hi"] busy+ | 0["u:hi\nme@box:~$"] busy+ | exit one`},
		{"wiped twice, cleared once, blank between",
			shots{{"s", talk}, {"ws", screen("== one 1.2", "! clear", "u: ho", ">")}, {"w", screen()},
				{"ws", screen("== one 1.2", "! clear", "u: ho", ">")}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | clear one 0["cli:clear:" "u:ho"] busy+ |  | ` +
				`0again["cli:clear:" "u:ho"] busy+ | exit one`},
		{"long, begun while it asked", slices.Concat(shots{{"", talk},
			{"", "\r\x1b[K" + strings.Repeat("  x\n", 450) + ">ask"}}, few[:2]),
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "1804 bytes…"] asking+ | busy+ | ` +
				`busy+ | 0["u:hello, my dear" "1812 bytes…"] exit one`},
		{"long, without a state", slices.Concat(shots{{"", talk},
			{"", "\r\x1b[K" + strings.Repeat("  x\n", 450) + ">hidden"}},
			shots{{"", "\r\x1b[K  y\n>hidden"}, {"", "\r\x1b[K  y\n>hidden"}}),
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "1804 bytes…"]+ | + | + | ` +
				`0["u:hello, my dear" "1812 bytes…"] exit one`},
		{"narrower, with a prompt above the shell's part",
			shots{{"s", "me@box:~$ "}, {"s", "one\n"},
				{"s", "== one 1.2\nu: this is 20 wide.\na: this is 20 wide.\nme@box:~$ echo 12345\n>"},
				{"s", "\r\x1b[Kme@box:~$ "}, {"n", ""}, {"s", "pwd\nx\nme@box:~$ "}},
			`0[] | 0["s:one…"] | 0["s:one…"] newSession one 0["u:this is 20 wide." ` +
				`"a:this is 20 wide.\nme@box:~$ echo 12345…"] busy+ | exit one 0[] |  | 0["s:pwd"] | 0["s:pwd"]`},
		{"wiped at a prompt", shots{{"s", "me@box:~$ "}, {"s", "ls\nx\nme@box:~$ "}, {"ws", screen("me@box:~$ ")},
			{"s", "pwd\ny\nme@box:~$ "}}, `0[] | 0["s:ls"] | 0[] | 0["s:pwd"] |`},
		{"wiped twice at a prompt, and narrower between",
			shots{{"s", "me@box:~$ "}, {"", "ls"}, {"wn", screen()}, {"ws", screen("me@box:~$ ls")}, {"s", "\nx\nme@box:~$ "}},
			`0[] | 0[] |  | 0[] | 0["s:ls"] | 0["s:ls"]`},
		{"half drawn, behind a frame without chrome",
			shots{{"s", screen("== one 1.2", "u: hi", ">")}, {"s", screen("== one 1.2", "u: hi", "x") + "\x1b[1;1H"},
				{"", screen("== one 1.2", "u: ho", ">") + "\x1b[2;5H"}},
			`0[] newSession one 0["u:hi"] busy+ | 0["u:hi\nx"] | + | exit one`},
		{"half drawn", shots{{"s", screen("== one 1.2", "u: hi", ">")}, {"", "\x1b[2;1Hu: ho"}, {"", "w\x1b[3;2H"}},
			`0[] newSession one 0["u:hi"] busy+ | + | 0["u:how"] busy+ | exit one`},
		{"half drawn on the alternate screen", shots{{"s", alt + screen("== one 1.2", "u: hi", ">")},
			{"", "\x1b[2;1Hu: ho"}, {"", "w\x1b[3;2H"}},
			`newSession one 0["u:hi"] idle+ | + | 0again["u:how"] idle+ | exit one`},
		{"half drawn, with the cursor above the rule that it rests below",
			shots{{"s", alt + screen("== one 1.2", "u: hi", ">", "────────", "")}, {"", "\x1b[2;1Hu: ho\x1b[3;2H"},
				{"", "w\x1b[5;1H"}}, `newSession one 0["u:hi"] idle+ | + | 0again["u:ho"] idle+ | exit one`},
		{"the cursor within a welcome", shots{{"s", alt + screen("== one 1.2", "u: hi", ">")},
			{"", screen("== one 1.2", "u: ho", ">all") + "\x1b[2;1H"}},
			`newSession one 0["u:hi"] idle+ | 0again["u:ho\n>all"] idle+ | exit one`},
		{"half drawn, and then all of it has moved",
			shots{{"s", alt + screen("== one 1.2", "u: hi", "", ">")}, {"", "\x1b[3;1Hu: ho\x1b[2;1H"},
				{"", screen("that is", "the rest", "of it", ">") + "\x1b[4;1H"}},
			`newSession one 0["u:hi"] idle+ | + | 0["u:hi" "u:ho~tail" "a:that is\nthe rest\nof it~head"] idle+ | exit one`},
		{"torn, and then all of it has moved up",
			shots{{"s", alt + screen("== one 1.2", "a: one of many", "  two of many", "  three of many", ">")},
				{"", "\x1b[2;1Ha: something torn\x1b[2;1H"},
				{"", screen("  two of many", "  three of many", "  four of many", ">")}},
			`newSession one 0["a:one of many\n  two of many\n  three of many"] idle+ | + | 0["a:one of many\n  two of many\n ` +
				` three of many\n  four of many"] idle+ | exit one`},
		{"on the alternate screen, drawn again from a welcome with a tip on",
			shots{{"s", alt + talk}, {"", screen("== one 1.2", "a: a tip for you", ">")},
				{"", screen("== one 1.2", "a: a tip for you", ">", "hello")}, {"s", talk}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0again["a:a tip for you"] idle+ | idle+ | 0again["u:hello, ` +
				`my dear" "a:yo"] idle+ | exit one`},
		{"on the alternate screen, cut off at a new edge",
			shots{{"s", alt + screen("== one 1.2", "u: hello", "a: this is long, so", "  is that", ">")}, {"n", ""},
				{"r", screen("== one 1.2", "u: hello", "a: this is long", "  is that", ">")},
				{"rs", screen("== one 1.2", "u: hello", "a: this is", "  long, so", "  is that", ">")}},
			`newSession one 0["u:hello" "a:this is long, so\n  is that"] idle+ |  | + | 0["u:hello" "a:this is\n  long, so\n ` +
				` is that"] idle+ | exit one`},
		{"half drawn from the top, and then whole",
			shots{{"s", alt + screen("== one 1.2", "u: hi", "a: what is said here", ">")}, {"", "\x1b[1;1Hu: ne\x1b[K"},
				{"", screen("u: next", "a: the rest", "of it", ">") + "\x1b[4;1H"}},
			`newSession one 0["u:hi" "a:what is said here"] idle+ | + | 0["u:hi" "a:what is said here~tail" "u:next" "a:the ` +
				`rest\nof it"] idle+ | exit one`},
		{"half drawn, and then quiet", shots{{"s", screen("== one 1.2", "u: hi", ">")}, {"", "\x1b[2;1Hu: ho"}, {"s", ""},
			{"", "w"}}, `0[] newSession one 0["u:hi"] busy+ | + | 0["u:ho"] busy+ | 0["u:how"] busy+ | exit one`},
		{"the cursor never rests in the input",
			shots{{"s", screen("== one 1.2", "u: hi", ">") + "\x1b[2;1H"}, {"", "u: ho"}},
			`0[] newSession one 0["u:hi"] busy+ | 0["u:ho"] busy+ | exit one`},
		{"the cursor in a question", shots{{"s", screen("== one 1.2", "u: hi", ">")}, {"", "\x1b[3;1H>ask\x1b[2;1Hu: ho"}},
			`0[] newSession one 0["u:hi"] busy+ | 0["u:ho"] asking+ | exit one`},
		{"rows are lost, and others follow", shots{{"s",
			alt + screen("== one 1.2", "u: hi", "a: 1 this one", "  2 this one", "  3", "  4", "  5", ">")},
			{"s", screen("  10 that one", "  11 that one", "u: ho", "a: x", ">")},
			{"s", screen("  10 that one", "  11 that one", "u: ho", "a: xy", "u: z", ">")}},
			`newSession one 0["u:hi" "a:1 this one\n  2 this one\n  3\n  4\n  5"] idle+ | 0["u:hi" "a:1 this one\n  2 this ` +
				`one\n  3\n  4\n  5\n  10 that one\n  11 that one~middle" "u:ho" "a:x"] idle+ | 1["a:1 this one\n  2 this one\n ` +
				` 3\n  4\n  5\n  10 that one\n  11 that one~middle" "u:ho" "a:xy" "u:z"] idle+ | exit one`},
		{"small changes of a long reply", slices.Concat(long, few, shots{{"", "\x1b[A\x1b[B\r\x1b[K>"}}),
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "1804 bytes…"] busy+ | busy+ | ` +
				`busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | 0["u:hello, my dear" "1844 bytes"] ` +
				`idle+ | exit one`},
		{"small changes, then quiet", slices.Concat(long, few, shots{{"s", "\r\x1b[K  z\n>busy"}}),
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "1804 bytes…"] busy+ | busy+ | ` +
				`busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | 0["u:hello, my dear" "1848 bytes…"] ` +
				`busy+ | exit one`},
		{"small changes, then many", slices.Concat(long, few,
			shots{{"", "\r\x1b[K" + strings.Repeat("  z\n", 30) + ">busy"}}),
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "1804 bytes…"] busy+ | busy+ | ` +
				`busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | 0["u:hello, my dear" "1964 bytes…"] ` +
				`busy+ | exit one`},
		{"small changes, then the end", slices.Concat(long, few),
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "1804 bytes…"] busy+ | busy+ | ` +
				`busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | busy+ | 0["u:hello, my dear" "1844 bytes…"] ` +
				`exit one`},
		{"rows are lost, and more comes", shots{{"s",
			alt + screen("== one 1.2", "u: hi", "a: 1 this one", "  2 this one", "  3", "  4", "  5", ">")},
			{"s", screen("  10 that one", "  11 that one", "  12 that one", ">")},
			{"s", screen("  10 that one", "  11 that one", "  12 that one", "  13", ">")}},
			`newSession one 0["u:hi" "a:1 this one\n  2 this one\n  3\n  4\n  5"] idle+ | 0["u:hi" "a:1 this one\n  2 this ` +
				`one\n  3\n  4\n  5\n  10 that one\n  11 that one\n  12 that one~middle"] idle+ | 0["u:hi" "a:1 this one\n  2 ` +
				`this one\n  3\n  4\n  5\n  10 that one\n  11 that one\n  12 that one\n  13~middle"] idle+ | exit one`},
		{"the rest of a reply", shots{{"s", screen("  of it", "", "u: hi", ">")},
			{"s", screen("  of it", "", "u: hi", "", "a: yo", ">")}},
			`newSession one 0["a:of it~head" "u:hi"] busy+ | 0["a:of it~head" "u:hi" "a:yo…"] busy+ | exit one`},
		{"a reply goes on", shots{{"s", talk}, {"", "\r\x1b[K  more\n>"}, {"", "\r\x1b[K  and more\n>busy"}, {"s", ""}},
			`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0["u:hello, my dear" "a:yo\n  more…"] busy+ | ` +
				`0["u:hello, my dear" "a:yo\n  more\n  and more…"] busy+ | 0["u:hello, my dear" "a:yo\n  more\n  and more…"] ` +
				`busy+ | exit one`},
		{"on the alternate screen, cleared without a welcome",
			shots{{"s", alt + talk}, {"", screen("", "", ">")}, {"s", screen(">")}, {"s", screen("u: hello, my dear", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0["u:hello, my dear" "a:yo"] idle+ | clear one idle+ | ` +
				`0["u:hello, my dear"] idle+ | exit one`},
		{"on the alternate screen, cleared, and the same said before it is quiet",
			shots{{"s", alt + talk}, {"", screen("== one 1.2", ">")}, {"", screen("== one 1.2", ">", "hello")},
				{"s", screen("== one 1.2", "u: hello, my dear", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0again[] idle+ | clear one idle+ | 0["u:hello, my dear"] ` +
				`idle+ | exit one`},
		{"on the alternate screen, drawn again from a welcome on",
			shots{{"s", alt + talk}, {"", screen("== one 1.2", ">")}, {"s", talk}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0again[] idle+ | 0again["u:hello, my dear" "a:yo"] idle+ | ` +
				`exit one`},
		{"on the alternate screen, drawn again by a busy agent",
			shots{{"s", alt + talk}, {"", screen("== one 1.2", ">busy")}, {"", screen("== one 1.2", ">busy", "hello")},
				{"s", talk}}, `newSession one 0["u:hello, my dear" "a:yo"] idle+ | 0again[] busy+ | busy+ | 0again["u:hello, my ` +
				`dear" "a:yo"] idle+ | exit one`},
		{"on the alternate screen, a prompt that fills it",
			shots{{"s", alt + talk}, {"s", screen(">", "a", "long", "prompt", "of many", "rows")}, {"s", talk}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | idle+ | idle+ | exit one`},
		{"on the alternate screen, nothing was said, and no welcome",
			shots{{"s", alt + screen("== one 1.2", ">")}, {"s", screen(">")}, {"s", screen("u: hello, my dear", ">")}},
			`newSession one 0[] idle+ | idle+ | 0["u:hello, my dear"] idle+ | exit one`},
		{"on the alternate screen, cleared without a welcome, and said again",
			shots{{"s", alt + talk}, {"s", screen(">")}, {"s", screen("a: new", "! clear", ">")},
				{"s", screen("a: new", "! clear", "u: he", "a: one", "a: two", ">")},
				{"s", screen("a: new", "! clear", "u: he", "a: one", "a: two", "! clear", ">")}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ | clear one idle+ | 0["a:new"] idle+ | 0["a:new" "u:he" ` +
				`"a:one" "a:two"] idle+ | 2["a:one" "a:two" "cli:clear:"] idle+ | exit one`},
		{"on the alternate screen, behind a menu", shots{{"s", alt + talk}, {"s", screen("[menu]", ">")}, {"s", talk}},
			`newSession one 0["u:hello, my dear" "a:yo"] idle+ |  | idle+ | exit one`},
		{"a multiplexer, agents in turn", shots{{"s", alt + barred("me@box:~$ ")}, {"", barred("me@box:~$ one")},
			{"s", barred("me@box:~$ one", "== one 1.2", "u: hello, my dear", "a: yo", ">")},
			{"s", barred("me@box:~$ one", "== one 1.2", "u: hello, my dear", "a: yo", "bye", "me@box:~$ ")},
			{"s", barred("u: hello, my dear", "a: yo", "bye", "me@box:~$ two", "== two 1", "u: ho", ">")}, {"s", main}},
			`0[] | 0[] | 0["s:one…"] newSession one 0["u:hello, my dear" "a:yo"] idle+ | exit one 0[] | 0["s:two…"] ` +
				`newSession two 0["u:ho"] idle+ | exit two 0[] |`},
		{"a multiplexer, resumed without a welcome",
			shots{{"s", alt + barred("me@box:~$ ")}, {"", barred("me@box:~$ two")},
				{"s", barred("me@box:~$ two", "== two 1", "u: hello, my dear", "a: yo", ">")},
				{"s", barred("u: hello, my dear", "a: yo", "me@box:~$ ")},
				{"s", barred("u: hello, my dear", "a: yo", "me@box:~$ two -r")},
				{"s", barred("u: hello, my dear", "a: yo", "u: ho", "a: ya", ">")}},
			`0[] | 0[] | 0["s:two…"] newSession two 0["u:hello, my dear" "a:yo"] idle+ | exit two 0[] | 0[] | 0["s:two -r…"] ` +
				`0["s:two -r…"] newSession two 0["u:hello, my dear" "a:yo" "u:ho" "a:ya"] idle+ | exit two`},
		{"a multiplexer, a pager", shots{{"s", alt + barred("$ ")}, {"s", barred("$ ls", "x", "$ ")},
			{"s", barred("$ ls", "x", "$ less y")}, {"s", barred("the text", "of y", "", "", "", "", ":")},
			{"s", barred("of y", "", "", "", "", "", ":")}, {"s", barred("$ ls", "x", "$ less y", "$ ")}, {"s", main}},
			`0[] | 0["s:ls"] | 0["s:ls"] | 0["s:ls" "s:less y…"] |  | 0["s:ls" "s:less y"] | 0[] |`},
		{"a multiplexer, what looks like a prompt below other rows",
			shots{{"s", alt + barred("menu", "pick % ")}, {"s", barred("menu", "pick % x", "pick % ")}}, `|  |`},
		{"a multiplexer, what looks like a prompt above the input box",
			shots{{"s", alt + barred("me@box:~$ ")}, {"s", barred("me@box:~$ one", "== one 1.2", "u: hello, my dear", ">")},
				{"s", barred("me@box:~$ one", "== one 1.2", "u: hello, my dear", "me@box:~$ \x1b7", ">\x1b8")}},
			`0[] | 0["s:one…"] newSession one 0["u:hello, my dear"] idle+ | 0["u:hello, my dear\nme@box:~$"] idle+ | exit one`},
		{"a multiplexer, what looks like a prompt of an agent",
			shots{{"s", alt + barred("== one 1.2", "u: hello, my dear", ">")}, {"s", barred("pick % ")},
				{"s", barred("== one 1.2", "u: hello, my dear", ">")}},
			`newSession one 0["u:hello, my dear"] idle+ |  | idle+ | exit one`},
		{"rows are lost", shots{{"s", alt + screen("== one 1.2", "u: hi", "a: 1 this one", "  2 this one", "  3", "  4",
			"  5", ">")}, {"s", screen("  10 that one", "  11 that one", "  12 that one", "u: ho", ">")}},
			`newSession one 0["u:hi" "a:1 this one\n  2 this one\n  3\n  4\n  5"] idle+ | 0["u:hi" "a:1 this one\n  2 this ` +
				`one\n  3\n  4\n  5\n  10 that one\n  11 that one\n  12 that one~middle" "u:ho"] idle+ | exit one`},
	} {
		if got := strings.TrimSpace(tt.shots.play(NewReader())); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestRewound keeps a conversation that was taken back to its first prompt, so that nothing of it
// is on the screen.
func TestRewound(t *testing.T) {
	simply(t)
	talk := shots{{"s", screen("== one 1.2", "u: hello, my dear", "a: yo", ">")},
		{"ws", screen("== one 1.2", "c: Conversation rewound. Edit it.", ">")}}
	if got, want := talk.playIn(40, NewReader()),
		`0[] newSession one 0["u:hello, my dear" "a:yo…"] busy+ | 0again["c:Conversation rewound. Edit it."] busy+ | exit `+
			`one`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLook has what a screen shows of an agent that is known.
func TestLook(t *testing.T) {
	simply(t)
	for _, tt := range []struct {
		agent, screen string
		asks, known   bool
		rest          string
	}{
		{"one", screen("u: hi", ">"), false, true, ">"},
		{"one", screen("u: hi", ">busy"), false, true, ">busy"},
		{"one", screen("u: hi", ">start"), false, false, ">start"},
		{"one", screen("u: hi", ">hidden"), false, true, ">hidden"},
		{"one", screen("u: hi", ">ask"), true, true, ">ask"},
		{"one", screen("u: hi", ">all"), false, true, "u: hi,>all"},
		{"one", screen("u: hi", "[menu]", ">"), false, true, ">"},
		{"one", screen("u: hi", "[menu]", ">hidden"), false, false, ">hidden"},
		{"one", screen("u: hi"), false, false, ""},
		{"one", screen("u: hi", "Press Enter"), true, false, "u: hi,Press Enter"},
		{"one", "\x1b[?25l" + screen("❯ 1. Yes", "  2. No"), true, true, "❯ 1. Yes,  2. No"},
		{"two", screen("u: hi", ">"), false, true, ">"},
		{"else", screen("u: hi", ">"), false, false, ""},
		{"", screen("u: hi", ">"), false, true, ""},
	} {
		term := vterm.New(vterm.Options{Cols: 20, Rows: 8})
		_, _ = term.Write([]byte(strings.ReplaceAll(tt.screen, "\n", "\r\n"))) // never fails
		asks, known := Asks(term.Snapshot(), tt.agent)
		sight := Look(term.Snapshot(), tt.agent)
		rest := strings.Join(sight.Rest, ",")
		if boxed := tt.agent == "one" && !tt.asks && tt.rest != ""; sight.Boxed != boxed {
			t.Errorf("%q, %q: boxed %v", tt.agent, tt.screen, sight.Boxed)
		}
		if asks != tt.asks || known != tt.known || strings.Trim(rest, ",") != tt.rest {
			t.Errorf("%q, %q: asks %v, known %v, rest %q", tt.agent, tt.screen, asks, known, rest)
		}
	}
}

// TestTrace has what is noted of the last of some frames.
func TestTrace(t *testing.T) {
	simply(t)
	talk := screen("== one 1.2", "u: hello, my dear", "a: yo", ">")
	for _, tt := range []struct {
		shots shots
		want  string
	}{
		{shots{{"s", "me@box:~$ ls\nme@box:~$ "}}, `  ""[0,8) as the terminal scrolled, 1 items, 1 parsed: `},
		{shots{{"s", talk}}, `one 1 "input box"[0,3) as the terminal scrolled, 2 items, 2 parsed: `},
		{shots{{"s", talk}, {"s", screen("== one 1.2", "u: hello, my dear", "a: yo", ">ask")}},
			`one 1 "question"[0,3) as the terminal scrolled, 2 items, 2 parsed: `},
		{shots{{"s", talk}, {"", screen("x")}},
			`one 1 "no chrome"[0,8) as the terminal scrolled, 2 items, 0 parsed: the agent's input box is not on the screen: ` +
				`it may be half drawn`},
		{shots{{"s", talk}, {"", screen("x", "[menu]", ">")}},
			`one 1 "no chrome"[0,8) as the terminal scrolled, 2 items, 0 parsed: a menu or a pager covers the conversation`},
		{shots{{"s", talk}, {"t", "x"}},
			`one 1 "no chrome"[0,8) as the terminal scrolled, 2 items, 0 parsed: so much has scrolled out that the screen ` +
				`may be half drawn`},
		{shots{{"s", talk}, {"", "\x1b[2;1Hu: ho"}},
			`one 1 "no chrome"[0,8) as the terminal scrolled, 2 items, 0 parsed: the cursor is not in the input, where it ` +
				`rests: the screen is half drawn`},
		{shots{{"s", talk}, {"n", ""}},
			`one 1 "no chrome"[0,8) as the terminal scrolled, 2 items, 0 parsed: the window was just resized`},
		{shots{{"s", "x\n== one 1.2\nu: hello, my dear\na: yo, my friend\n>\n1\n2\n3\n4\n5\n>"},
			{"s", screen("u: hello, my dear", "a: yo, my friend", ">")}},
			`one 1 "input box"[0,2) redrawn from the top, 2 items, 2 parsed: `},
		{shots{{"s", alt + talk}}, `one 1 "input box"[0,3) first frame, 2 items, 2 parsed: `},
		{shots{{"s", alt + talk}, {"", screen(">")}},
			`one 1 "no chrome"[0,8) first frame, 2 items, 0 parsed: no row of the screen belongs to the conversation`},
		{shots{{"s", alt + talk}, {"s", screen(">")}},
			`one 1 "no chrome"[0,8) , 0 items, 0 parsed: nothing is left of the conversation, not even a welcome: it was ` +
				`cleared`},
		{shots{{"s", alt + talk}, {"s", screen("a: yo", ">back")}},
			`one 1 "scrolled back"[0,1) the user has scrolled back, 2 items, 0 parsed: `},
		{shots{{"s", alt + screen("== one 1.2", "u: hi    |", "a: yo    #", ">bar")}},
			`one 1 "input box and scroll bar"[0,3) first frame, 2 items, 2 parsed: `},
	} {
		var last Trace
		r := NewReader()
		traced := 0
		r.Trace = func(t Trace) {
			traced++
			if len(t.Screen.Lines) > 0 {
				last = t
			}
		}
		tt.shots.play(r)
		if traced != len(tt.shots)+1 {
			t.Errorf("%d traces of %d frames and the end", traced, len(tt.shots))
		}
		n := 0
		for _, p := range last.Parsed {
			n += len(p.Items)
		}
		got := fmt.Sprintf("%s %s %q[%d,%d) %s, %d items, %d parsed: %s", last.Agent, last.Look, last.Layout, last.Top,
			last.Bottom, last.Placed, len(last.Items), n, last.Skipped)
		if got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// TestTextAt tells a scroll bar in the last column from text there, which an agent writes that
// draws on the main screen within tmux.
func TestTextAt(t *testing.T) {
	for _, tt := range []struct {
		text      string
		cols, col int
		want      bool
	}{
		{"the last page", 13, 12, true},
		{"the last dot.", 13, 12, true},
		{"a page 最后一页", 15, 14, true},
		{"a long reply █", 14, 13, false},
		{"a long reply │", 14, 13, false},
		{"a short row", 14, 13, false},
		{"", 14, 13, false},
		{"a row  and more", 15, 6, false}, // a column of text beside it
	} {
		l := row.Line{Row: &vterm.Row{Text: tt.text}, Cols: tt.cols}
		if got := textAt(l, tt.col); got != tt.want {
			t.Errorf("%q, column %d of %d: %v, want %v", tt.text, tt.col, tt.cols, got, tt.want)
		}
	}
}

// TestDrawnAgain has prompts below one of which the end was never on the screen.
func TestDrawnAgain(t *testing.T) {
	cut := chat.Said(session.RoleUser, "one two", "one two")
	cut.Truncate(session.TruncatedTail)
	whole, reply := chat.Said(session.RoleUser, "one two three", ""), chat.Said(session.RoleAssistant, "one two three", "")
	other, call := chat.Said(session.RoleUser, "two three", ""), chat.Called(&session.Tool{Name: "Read"})
	call.Truncate(session.TruncatedTail)
	for _, tt := range []struct {
		above, it chat.Item
		want      bool
	}{{cut, whole, true}, {cut, other, false}, {cut, reply, false}, {whole, whole, false}, {call, call, false}} {
		if got := drawnAgain(&tt.above, &tt.it); got != tt.want {
			t.Errorf("%q below %q: %v", tt.it.Text, tt.above.Text, got)
		}
	}
}

// TestClearedOnce drops the first clear that an agent reports below an empty screen, unless
// the user has said something above.
func TestClearedOnce(t *testing.T) {
	clear, notice, prompt := chat.Item{Event: session.EventClear}, chat.Said(session.RoleSystem, "Hi",
		""), chat.Said(session.RoleUser, "Hi", "")
	for _, tt := range []struct {
		items []chat.Item
		left  int
	}{{nil, 0}, {[]chat.Item{notice}, 1}, {[]chat.Item{notice, clear, clear}, 2}, {[]chat.Item{prompt, clear}, 2}} {
		s := segment{emptied: true, items: tt.items}
		if s.clearedOnce(); len(s.items) != tt.left {
			t.Errorf("%d of %d items are left, want %d", len(s.items), len(tt.items), tt.left)
		}
	}
}

// TestUsers has messages of a conversation that was cleared, before a wipe and on the screen.
func TestUsers(t *testing.T) {
	said := func(text string) chat.Item { return chat.Said(session.RoleUser, text, text) }
	reply, cleared := chat.Said(session.RoleAssistant, "So.", "So."), chat.Item{Event: session.EventClear}
	s := segment{before: map[string]bool{"one": true}, items: []chat.Item{said("two"), reply}}
	if got := s.users(); len(got) != 2 || !got["one"] || !got["two"] {
		t.Errorf("got %v", got)
	}
	s.items = append(s.items, cleared, said("three"))
	if got := s.users(); len(got) != 1 || !got["three"] {
		t.Errorf("after a clear: got %v", got)
	}
}
