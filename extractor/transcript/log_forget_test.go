package transcript_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
)

// index keeps what a log tells, as a database does.
type index map[string]session.Entry

func (x index) follow(l *transcript.Log) {
	changed, gone := l.Changes()
	l.Forget()
	for _, id := range gone {
		delete(x, id)
	}
	for _, e := range changed {
		x[e.ID] = *e
	}
}

func (x index) inOrder() []session.Entry {
	return slices.SortedFunc(maps.Values(x), func(a, b session.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
}

// TestForget feeds two logs the same agents, conversations, wipes, reprints and events; one of them
// lets go of what it can now and then. What they tell must be the same.
func TestForget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept, flat, told := newLog(), newLog(), index{}
		both := func(do func(l *transcript.Log)) { do(kept); do(flat) }
		var items []string
		document, past, again, at := 1, 0, false, time.Duration(0)
		runs := false
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			at += time.Duration(rapid.IntRange(0, 300).Draw(t, "ms")) * time.Millisecond
			switch rapid.SampledFrom([]string{"more", "more", "more", "wipe", "agent", "leave", "clear", "idle", "event",
				"past"}).Draw(t, "what") {
			case "more":
				items = append(items, rapid.SampledFrom([]string{"u:", "a:", "t:"}).Draw(t,
					"role")+rapid.StringMatching(`[ab]{2,4}…?`).Draw(t, "text"))
			case "wipe":
				if document, past, again = document+1, 0, runs; !runs { // a shell prints nothing again
					items = nil
				}
			case "agent":
				document, past, again, runs, items = document+1, 0, false, true, nil
				both(func(l *transcript.Log) { l.Event(session.EventNewSession, "claude", nil, at, 0) })
			case "leave":
				document, past, again, runs, items = document+1, 0, false, false, nil
				both(func(l *transcript.Log) { l.Event(session.EventCLIExit, "claude", nil, at, 0) })
			case "clear":
				if runs {
					document, past, again, items = document+1, 0, false, nil
					both(func(l *transcript.Log) { l.Clear("claude", false, at, 0) })
				}
			case "idle":
				if runs {
					both(func(l *transcript.Log) { l.Event(session.EventIdle, "claude", nil, at, 0) })
				}
			case "event":
				both(func(l *transcript.Log) { l.Event(fmt.Sprintf("e%d", i), "", nil, at, 0) })
			case "past":
				past = rapid.IntRange(past, len(items)).Draw(t, "past")
			}
			v := view(document, past, items[past:]...)
			v.Past, v.Reprint, v.At, v.Settled = past, again, at, rapid.Bool().Draw(t, "settled")
			if runs {
				for i := range v.Items {
					v.Items[i].Agent = "claude"
				}
			}
			both(func(l *transcript.Log) { l.Merge(v) })
			if rapid.Bool().Draw(t, "follow") {
				told.follow(flat)
			}
		}
		both((*transcript.Log).Finish)
		told.follow(flat)
		var want []session.Entry
		for _, e := range kept.Entries() {
			want = append(want, *e)
		}
		if diff := gocmp.Diff(want, told.inOrder()); diff != "" {
			t.Fatalf("log (-kept +told):\n%s", diff)
		}
	})
}

// TestForgetIsFlat holds a log to a bounded size: while one conversation goes on over a hundred
// thousand entries (a fifth of them in short mode), and while conversations come and go.
func TestForgetIsFlat(t *testing.T) {
	tests := []struct {
		name string
		each int // entries of a conversation
		most int // that are kept
	}{
		{"one conversation", 100_000, 10_200},
		{"many conversations", 50, 150},
	}
	all := 100_000
	if testing.Short() {
		all = 20_000
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, told, most := newLog(), index{}, 0
			document, from := 0, 0
			for n := range all {
				at := time.Duration(n) * time.Second
				if n%tt.each == 0 {
					l.Event(session.EventNewSession, "claude", nil, at, 0)
				}
				if n%50 == 0 { // the screen is wiped
					document, from = document+1, 0
				}
				v := view(document, from, fmt.Sprintf("u:%d", n))
				v.At, v.Settled = at, true
				from++
				l.Merge(v)
				if n%100 == 0 {
					told.follow(l)
					most = max(most, len(l.Entries()))
				}
			}
			told.follow(l)
			if most > tt.most {
				t.Errorf("%d entries are kept, want at most %d", most, tt.most)
			}
			if want := all + (all+tt.each-1)/tt.each; len(told) != want {
				t.Errorf("%d entries were told, want %d", len(told), want)
			}
		})
	}
}

// TestForgetDocument holds a log to what a document still shows: one document without end, as a
// shell writes it.
func TestForgetDocument(t *testing.T) {
	l, told := newLog(), index{}
	for n := range 20_000 {
		v := view(1, n, fmt.Sprintf("u:%d", n))
		v.Past, v.At, v.Settled = max(0, n-100), time.Duration(n)*time.Second, true
		l.Merge(v)
		if told.follow(l); len(l.Entries()) > 110 {
			t.Fatalf("%d entries are kept of a document that shows 100", len(l.Entries()))
		}
	}
	for i, e := range told.inOrder() {
		if want := fmt.Sprint(i); e.Seq != i+1 || e.Text != want {
			t.Fatalf("entry %d is %d %q", i+1, e.Seq, e.Text)
		}
	}
}
