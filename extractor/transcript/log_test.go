package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
)

// say makes a sighting from "u:text", "a:text", "t:text" (user, assistant, tool) or "!event"; a "…"
// at the end means open.
func say(s string) session.Sighting {
	if name, ok := strings.CutPrefix(s, "!"); ok {
		return session.Sighting{Event: name}
	}
	role := map[string]string{"u": session.RoleUser, "a": session.RoleAssistant, "t": session.RoleTool}[s[:1]]
	text, open := strings.CutSuffix(s[2:], "…")
	it := session.Sighting{Message: session.Message{Role: role, Text: text, Markdown: text}, Open: open}
	if role == session.RoleTool {
		it.Tool = &session.Tool{Name: "Bash", Input: text}
	}
	return it
}

func view(document, from int, items ...string) session.View {
	v := session.View{Document: document, From: from}
	for _, s := range items {
		v.Items = append(v.Items, say(s))
	}
	return v
}

// told returns the log's entries in say's short form.
func told(l *transcript.Log) []string {
	var out []string
	for _, e := range l.Entries() {
		switch {
		case e.Event != "":
			out = append(out, "!"+e.Event)
		default:
			out = append(out, e.Role[:1]+":"+e.Text)
		}
	}
	return out
}

func newLog() *transcript.Log { return transcript.NewLog("s", time.Unix(0, 0)) }

func TestMerge(t *testing.T) {
	at := func(v session.View, s float64) session.View {
		v.At = time.Duration(s * float64(time.Second))
		return v
	}
	reprint := func(v session.View) session.View { v.Reprint = true; return v }
	settled := func(v session.View) session.View { v.Settled = true; return v }
	const (
		head = "The parser ignores the timeout under heavy load, and that index rebuilds a shared buffer and then exits " +
			"early; the test suite drops the session map."
		rows = " A stale token\nignores three\ntables.\n\n"
		end  = "The event loop skips the error path after a reconnect, and every request races with every header without " +
			"checking the result."
	)
	tests := []struct {
		name  string
		views []session.View
		want  []string
	}{
		{"a reply that grows stays one", []session.View{view(1, 0, "u:hi"), view(1, 0, "u:hi", "a:Hel…"),
			view(1, 1, "a:Hello there")},
			[]string{"u:hi", "a:Hello there"}},
		{"an emoji that is drawn without its joiner stays",
			[]session.View{settled(view(1, 0, "u:👩\u200d💻 wrote it")), settled(view(1, 0, "u:👩💻 wrote it")),
				settled(view(1, 0, "u:👩\u200d💻 wrote it"))},
			[]string{"u:👩\u200d💻 wrote it"}},
		{"a reply that is drawn as a table once its head is there stays one",
			[]session.View{settled(view(1, 0, "u:a", "a:| A | B…")), at(view(1, 0, "u:a", "a:A B…"), 1)},
			[]string{"u:a", "a:A B"}},
		{"a code span that is closed after the reply seemed complete stays one",
			[]session.View{settled(view(1, 0, "u:a", "a:`ye")), at(view(1, 0, "u:a", "a:yes"), 1)},
			[]string{"u:a", "a:yes"}},
		{"a reply below another message is another",
			[]session.View{settled(view(1, 0, "u:a", "a:one…")), at(view(1, 0, "u:a", "a:one…", "u:b", "a:two…"), 1)},
			[]string{"u:a", "a:one", "u:b", "a:two"}},
		{"equal turns stay apart", []session.View{view(1, 0, "u:go", "a:ok"), view(1, 0, "u:go", "a:ok", "u:go"),
			view(1, 2, "u:go", "a:ok")},
			[]string{"u:go", "a:ok", "u:go", "a:ok"}},
		{"a reprint adds nothing", []session.View{settled(view(1, 0, "u:a", "a:b", "u:c", "a:d")),
			reprint(view(2, 0, "u:a")), reprint(view(2, 0, "u:a", "a:b", "u:c", "a:d"))},
			[]string{"u:a", "a:b", "u:c", "a:d"}},
		{"a reprint cut off goes on where the log is",
			[]session.View{settled(view(1, 0, "u:a", "a:b", "u:a", "a:b")), reprint(view(2, 0, "u:a", "a:b")),
				reprint(view(2, 0, "u:a", "a:b", "u:a", "a:b", "u:new"))},
			[]string{"u:a", "a:b", "u:a", "a:b", "u:new"}},
		{"what flashed up is taken back", []session.View{view(1, 0, "u:a", "a:torn"), at(view(1, 0, "u:a"), 0.1)},
			[]string{"u:a"}},
		{"what stood is kept", []session.View{settled(view(1, 0, "u:a", "a:b")), at(view(1, 0, "u:a"), 2)},
			[]string{"u:a", "a:b"}},
		{"a tool above a reply is put above it", []session.View{view(1, 0, "u:a", "a:b"), view(1, 0, "u:a", "t:ls", "a:b")},
			[]string{"u:a", "t:ls", "a:b"}},
		{"rows that an agent erased by mistake come again",
			[]session.View{settled(view(1, 0, "u:a", "a:"+head+end)), reprint(view(2, 0, "u:a", "a:"+head+rows+end))},
			[]string{"u:a", "a:" + head + rows + end}},
		{"… or are seen before they are erased",
			[]session.View{reprint(view(1, 0, "u:a", "a:"+head+rows+end[:20]+"…")),
				reprint(view(1, 0, "u:a", "a:"+head+end+"…"))},
			[]string{"u:a", "a:" + head + rows + end}},
		{"… also where nothing shows that all was printed again",
			[]session.View{view(1, 0, "u:a", "a:The first\n"+rows+"two "+head+"…"),
				view(1, 0, "u:a", "a:The first\ntwo "+head+" "+end+"…")},
			[]string{"u:a", "a:The first\n" + rows + "two " + head + " " + end}},
		{"… but not from within a line then", []session.View{view(1, 0, "u:a", "a:"+head+rows+end[:20]+"…"),
			view(1, 0, "u:a", "a:"+head+end+"…")},
			[]string{"u:a", "a:" + head + end}},
		{"… or stood at the end", []session.View{reprint(settled(view(1, 0, "u:a", "a:"+head+rows))),
			reprint(view(1, 0, "u:a", "a:"+head, "u:c"))},
			[]string{"u:a", "a:" + head + rows, "u:c"}},
		{"a reply that stood is not torn by a resize",
			[]session.View{settled(view(1, 0, "u:a", "a:"+head+end)),
				reprint(view(1, 0, "u:a", "a:"+head[:60]+head[90:]+end[:40], "u:c"))},
			[]string{"u:a", "a:" + head + end, "u:c"}},
		{"… but may have stood there with a piece twice",
			[]session.View{settled(view(1, 0, "u:a", "a:"+head+head[40:]+end)),
				reprint(view(1, 0, "u:a", "a:"+head+end, "u:c"))},
			[]string{"u:a", "a:" + head + end, "u:c"}},
		{"what is drawn otherwise when it is closed has lost no rows",
			[]session.View{reprint(view(1, 0, "u:a", "a:"+head+"**"+end[:20]+"…")), reprint(view(1, 0, "u:a", "a:"+head+end))},
			[]string{"u:a", "a:" + head + end}},
		{"a torn reply that is complete is printed again",
			[]session.View{settled(view(1, 0, "u:a", "a:"+head[:90]+end+head[:60]+rows)),
				reprint(view(2, 0, "u:a", "a:"+head+rows+end))},
			[]string{"u:a", "a:" + head + rows + end}},
		{"another reply with the same beginning is above a prompt",
			[]session.View{settled(view(1, 0, "u:a", "a:"+head+rows, "u:b")),
				reprint(view(2, 0, "u:a", "a:"+head+rows, "u:b", "a:"+head+end))},
			[]string{"u:a", "a:" + head + rows, "u:b", "a:" + head + end}},
		{"what is gone was there twice while it was redrawn",
			[]session.View{reprint(view(1, 0, "u:a", "a:"+head+rows+rows+end[:20]+"…")),
				reprint(view(1, 0, "u:a", "a:"+head+rows+end))},
			[]string{"u:a", "a:" + head + rows + end}},
		{"a clear ends what may be repeated", []session.View{settled(view(1, 0, "u:a", "a:b")),
			reprint(view(2, 0, "!"+session.EventClear)), reprint(view(2, 0, "!"+session.EventClear, "u:a", "a:b"))},
			[]string{"u:a", "a:b", "!" + session.EventClear, "u:a", "a:b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLog()
			for _, v := range tt.views {
				l.Merge(v)
				before := told(l)
				l.Merge(v)
				if diff := cmp.Diff(before, told(l)); diff != "" {
					t.Errorf("merging a view twice changed the log (-once +twice):\n%s", diff)
				}
			}
			if diff := cmp.Diff(tt.want, told(l)); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClear has a conversation below one that was cleared, printed again with it.
func TestClear(t *testing.T) {
	for _, tt := range []struct {
		below bool
		want  []string
	}{
		{true, []string{"u:a", "a:b", "!" + session.EventClear, "u:a", "a:d", "u:e"}},
		{false, []string{"u:a", "a:b", "!" + session.EventClear, "u:a", "a:b", "u:a", "a:d", "u:e"}},
	} {
		l := newLog()
		l.Merge(view(1, 0, "u:a", "a:b"))
		l.Clear("", tt.below, 0, 0)
		l.Merge(view(2, 0, "u:a", "a:d"))
		l.Forget()
		v := view(3, 0, "u:a", "a:b", "u:a", "a:d", "u:e")
		v.Reprint = true
		l.Merge(v)
		if diff := cmp.Diff(tt.want, told(l)); diff != "" {
			t.Errorf("below %v: log (-want +got):\n%s", tt.below, diff)
		}
	}
}

// TestMergeConversation draws a conversation and how it comes to be seen: it grows item by item and
// letter by letter, each view shows some of its end, it is printed again now and then, and events
// fall between. The log must hold each message once, in order, whole, and every event.
func TestMergeConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLog()
		texts := rapid.SliceOfN(rapid.StringMatching(`[ab]{1,3} [ab]{2}`), 1, 12).Draw(t, "texts")
		var all, want []string
		document, events := 1, 0
		at := time.Duration(0)
		merge := func(items []string, from int, again, settled bool) {
			v := view(document, from, items[from:]...)
			v.Reprint, v.At, v.Settled = again, at, settled
			at += 100 * time.Millisecond
			l.Merge(v)
		}
		again := false
		for i, text := range texts {
			role := "u:"
			if i%2 == 1 {
				role = "a:"
				for n := 1; n < len(text); n += 2 {
					merge(append(all[:i:i], role+text[:n]+"…"), rapid.IntRange(0, i).Draw(t, "from"), again, false)
				}
			}
			all = append(all, role+text)
			merge(all, rapid.IntRange(0, i).Draw(t, "from"), again, true)
			want = append(want, role[:1]+":"+text)
			if rapid.IntRange(0, 3).Draw(t, "event") == 0 {
				events++
				name := fmt.Sprintf("e%d", events)
				l.Event(name, "", nil, at, 0)
				want = append(want, "!"+name)
			}
			if rapid.IntRange(0, 3).Draw(t, "reprint") == 0 {
				document, again = document+1, true
				if n := rapid.IntRange(0, len(all)).Draw(t, "torn"); n > 0 {
					merge(all[:n], 0, true, false)
				}
				merge(all, 0, true, true)
			}
		}
		if diff := cmp.Diff(want, told(l)); diff != "" {
			t.Fatalf("log (-want +got):\n%s", diff)
		}
	})
}

func TestIDsAreStable(t *testing.T) {
	run := func() []string {
		l := newLog()
		l.Event(session.EventNewSession, "claude", nil, 0, 0)
		l.Merge(view(1, 0, "u:a", "a:b"))
		var ids []string
		for _, e := range l.Entries() {
			ids = append(ids, e.ID)
		}
		return ids
	}
	if diff := cmp.Diff(run(), run()); diff != "" {
		t.Errorf("ids differ:\n%s", diff)
	}
}

// TestPromptBeforeBusy checks that a prompt comes before the work on it, if the screen showed the
// work first, and that the times still ascend.
func TestPromptBeforeBusy(t *testing.T) {
	l := newLog()
	l.Event(session.EventNewSession, "claude", nil, 0, 0)
	l.Event(session.EventBusy, "", nil, time.Second, 10)
	v := view(1, 0, "u:go on", "a:Yes")
	v.At, v.Offset = 2*time.Second, 20
	l.Merge(v)
	want := []string{"!" + session.EventNewSession, "u:go on", "!" + session.EventBusy, "a:Yes"}
	if d := cmp.Diff(want, told(l)); d != "" {
		t.Error(d)
	}
	last := time.Time{}
	for _, e := range l.Entries() {
		if e.At.Before(last) {
			t.Errorf("%s %s is at %v, before %v", e.Event, e.Text, e.At, last)
		}
		last = e.At
	}
}

// TestMergeTopComesBack checks that a document which loses its beginning for a moment, as while a
// window is resized, does not tell it twice.
func TestMergeTopComesBack(t *testing.T) {
	l := newLog()
	all := []string{"u:yes", "a:Done", "u:why", "a:Because of the cache"}
	step := func(s float64, items ...string) {
		v := view(1, 0, items...)
		v.At = time.Duration(s * float64(time.Second))
		l.Merge(v)
	}
	step(1, all...)
	step(2, all[2:]...)
	step(3, all...)
	if d := cmp.Diff(all, told(l)); d != "" {
		t.Error(d)
	}
	step(4, all[2:]...)
	step(5, append(all[2:4:4], "u:yes", "a:Done")...)
	if d := cmp.Diff(append(all, "u:yes", "a:Done"), told(l)); d != "" {
		t.Error(d)
	}
}

// TestMergeRewound checks that a prompt stays in the log if another one takes its place on the
// document.
func TestMergeRewound(t *testing.T) {
	l := newLog()
	for i, items := range [][]string{
		{"u:Is it true that the lock is held", "a:Yes, it is"},
		{"u:Is it true that nobody waits for it", "a:Nobody does"},
	} {
		v := view(1, 0, items...)
		v.At, v.Settled = time.Duration(i+1)*time.Second, true
		l.Merge(v)
	}
	if got := told(l); !slices.Contains(got, "u:Is it true that the lock is held") ||
		!slices.Contains(got, "u:Is it true that nobody waits for it") {
		t.Errorf("got %q, want both prompts", got)
	}
}
