package transcript_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
)

// TestMergeToolInput shows calls whose input is shown whole only at first: a path while the tool
// runs, a command in the question before.
func TestMergeToolInput(t *testing.T) {
	for _, tt := range []struct{ first, then string }{
		{"Writing to notes/todo.md", "todo.md"},
		{"for i in 1 2 3; do echo $i; done", "for i in 1 2 3; do…"},
		{"for i in 1 2 3; do…", "for i in 1 …"},
	} {
		testToolInput(t, tt.first, tt.then)
	}
}

func testToolInput(t *testing.T, first, then string) {
	t.Helper()
	l := newLog()
	call := func(input, output, status string) session.View {
		it := session.Sighting{Message: session.Message{Role: session.RoleTool, Text: "WriteFile " + input,
			Tool: &session.Tool{Name: "WriteFile", Input: input, Output: output, Status: status}}}
		return session.View{Document: 1, Items: []session.Sighting{it}}
	}
	l.Merge(call(first, "", session.ToolRunning))
	l.Merge(call(then, "+ a test", session.ToolOK))
	entries := l.Entries()
	if len(entries) != 1 {
		t.Fatalf("got %d entries, want 1", len(entries))
	}
	want := &session.Tool{Name: "WriteFile", Input: first, Output: "+ a test", Status: session.ToolOK}
	if diff := cmp.Diff(want, entries[0].Tool); diff != "" {
		t.Errorf("tool (-want +got):\n%s", diff)
	}
	if got, want := entries[0].Text, "WriteFile "+first; got != want {
		t.Errorf("got text %q, want %q", got, want)
	}
}

// TestMergeLastLines shows an agent that erases lines too many above its prompt.
func TestMergeLastLines(t *testing.T) {
	const reply = "a:1. one\n2. two\n3. three\n4. four\n5. five"
	for _, rest := range []string{"a:1. one\n2. two\n3. three\n4. four", "a:1. one"} {
		l := newLog()
		v := view(1, 0, "u:go", reply)
		v.Settled = true
		l.Merge(v)
		v = view(1, 0, "u:go", rest, "u:next")
		v.At, v.Settled = time.Second, true
		l.Merge(v)
		if got := told(l)[1]; got != reply {
			t.Errorf("got %q, want %q", got, reply)
		}
	}
}

// TestMergePassed shows a prompt without its first rows, which was taken for the rest of the reply
// above until its own reply was below. Other prompts do not take rows of the reply.
func TestMergePassed(t *testing.T) {
	for prompt, want := range map[string]string{"u:two\nthree": "a:1. one", "u:other": "a:1. one\ntwo\nthree"} {
		l := newLog()
		v := view(1, 0, "u:go", "a:1. one\ntwo\nthree")
		v.Settled = true
		l.Merge(v)
		v = view(1, 0, "u:go", "a:1. one", prompt, "a:Yes.")
		v.At, v.Settled = time.Second, true
		l.Merge(v)
		if got := told(l)[1]; got != want {
			t.Errorf("%s: got %q, want %q", prompt, got, want)
		}
	}
}

// TestMergeRestOfAnother shows what seems to be a prompt without its head, until the rows above it
// show that it is the rest of a reply. Another prompt without its head stays.
func TestMergeRestOfAnother(t *testing.T) {
	l := newLog()
	v := view(1, 0, "u:go", "a:The reply begins.", "u:It goes on:\n• so", "u:a prompt")
	for _, i := range []int{2, 3} {
		v.Items[i].Truncate(session.TruncatedHead)
	}
	v.Settled = true
	l.Merge(v)
	v = view(1, 0, "u:go", "a:The reply begins.\n\nIt goes on:\n\n- so", "u:next")
	v.At, v.Settled = time.Second, true
	l.Merge(v)
	if diff := cmp.Diff([]string{"u:go", "a:The reply begins.\n\nIt goes on:\n\n- so", "u:a prompt", "u:next"},
		told(l)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// In a window of another height more of a prompt whose head was never shown is on the screen, or
// less. It stays one entry with all that was seen of it.
func TestMergeRestOfPrompt(t *testing.T) {
	rest := func(document int, text string) session.View {
		v := view(document, 0, "u:"+text, "a:Done.")
		v.Items[0].Truncate(session.TruncatedHead)
		v.Reprint = document > 1
		return v
	}
	l := newLog()
	l.Merge(rest(1, "two\nthree"))
	l.Merge(rest(1, "one\ntwo\nthree"))
	l.Merge(rest(2, "three"))
	want := []string{"u:one\ntwo\nthree", "a:Done."}
	if diff := cmp.Diff(want, told(l)); diff != "" {
		t.Error(diff)
	}
	if e := l.Entries()[0]; !e.Truncated || e.TruncatedAt != session.TruncatedHead {
		t.Errorf("truncated %v at %q", e.Truncated, e.TruncatedAt)
	}
	whole := view(3, 0, "u:zero\none\ntwo\nthree", "a:Done.")
	whole.Reprint = true
	l.Merge(whole)
	if e := l.Entries()[0]; e.Truncated || e.Text != whole.Items[0].Text {
		t.Errorf("truncated %v: %q", e.Truncated, e.Text)
	}
}

// TestMergeAfterResize shows a reply whose last lines the agent erases after a resize, and one that
// a new prompt redraws.
func TestMergeAfterResize(t *testing.T) {
	tests := []struct {
		name   string
		resize time.Duration
		want   string
	}{
		{"erased after a resize", 2 * time.Second, "a:one two three"},
		{"redrawn without one", 0, "a:one two"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLog()
			v := view(1, 0, "u:go", "a:one two three")
			v.At, v.Settled = time.Second, true
			l.Merge(v)
			if tt.resize > 0 {
				l.Event(session.EventResize, "", nil, tt.resize, 0)
			}
			v = view(1, 0, "u:go", "a:one two", "u:next")
			v.At, v.Settled = 3*time.Second, true
			l.Merge(v)
			if got := told(l)[1]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMergeTornHead prints all again after a resize has torn a reply: of the entry that has only
// its end, or begins otherwise, the reprint is the whole, and no other.
func TestMergeTornHead(t *testing.T) {
	const whole = "a:The parser drops the checksum, and the lock file exposes it before the lock is held."
	for torn, want := range map[string]int{
		"a:and the lock file exposes it before the lock is held.": 3,
		"a:The scheduler batches them all.":                       4,
		"a:is held.":                                              4,
	} {
		l := newLog()
		v := view(1, 0, "u:go", torn, "u:next")
		v.At, v.Settled = time.Second, true
		l.Merge(v)
		v = view(2, 0, "u:go", whole, "u:next")
		v.At, v.Settled, v.Reprint = 3*time.Second, true, true
		l.Merge(v)
		if got := told(l); len(got) != want || got[want-2] != whole {
			t.Errorf("%s: got %q", torn, got)
		}
	}
}

// TestFinishTail: the end of a reply that was still coming in when the recording ended is missing,
// and says so. It is not where the agent has become idle since.
func TestFinishTail(t *testing.T) {
	for _, idle := range []bool{false, true} {
		l := newLog()
		v := view(1, 0, "u:go", "a:The parser drops")
		v.Items[1].Agent, v.Items[1].Open = "codex", true
		l.Merge(v)
		if idle {
			l.Event(session.EventIdle, "codex", nil, time.Second, 0)
		}
		l.Finish()
		e := l.Entries()[1]
		if got := e.Status == session.StatusPartial && e.TruncatedAt == session.TruncatedTail; got == idle {
			t.Errorf("idle %v: status %s, truncated at %q", idle, e.Status, e.TruncatedAt)
		}
	}
}

// TestMergeLastRowAfterResize: a reply loses its last wrapped row a while after a resize, when the
// agent counts the rows above its input wrongly.
func TestMergeLastRowAfterResize(t *testing.T) {
	l := newLog()
	v := view(1, 0, "u:go", "a:one two three")
	v.At, v.Settled = time.Second, true
	l.Merge(v)
	l.Event(session.EventResize, "", nil, 2*time.Second, 0)
	v.At = 3 * time.Second
	l.Merge(v)
	v = view(1, 0, "u:go", "a:one two", "u:next")
	v.At, v.Settled = 4*time.Second, true
	l.Merge(v)
	if got, want := told(l)[1], "a:one two three"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMergeDrawnTwice shows a prompt twice for a while: the agent drew it below the one that it was
// about to send.
func TestMergeDrawnTwice(t *testing.T) {
	for _, tt := range []struct {
		name, below string
		want        []string
	}{
		{"the same", "u:go", []string{"u:go", "a:yo"}},
		{"another", "u:go on", []string{"u:go", "u:go on", "a:yo"}},
	} {
		l := newLog()
		for i, items := range [][]string{{"u:go"}, {"u:go", tt.below}, {"u:go", tt.below}, {"u:go", "a:yo"}} {
			v := view(1, 0, items...)
			v.At, v.Settled = time.Duration(i)*time.Second, i == 2
			l.Merge(v)
		}
		if diff := cmp.Diff(tt.want, told(l)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
