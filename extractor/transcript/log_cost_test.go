package transcript_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
)

// TestMergeCost checks that a view of one item costs the same below thousands of others. The list
// of all the document's items was copied at each view.
func TestMergeCost(t *testing.T) {
	l := transcript.NewLog("s", time.Time{})
	const items = 5000
	for i := range items {
		l.Merge(view(1, i, "u:a prompt"))
	}
	last := view(1, items-1, "u:a prompt")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const views = 100
	for range views {
		l.Merge(last)
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / views; n > 4096 {
		t.Errorf("a view below %d items allocates %d bytes", items, n)
	}
}

// printout is an output that is complete.
type printout string

func (p *printout) Size() int                   { return len(*p) }
func (p *printout) Text() (string, session.Gap) { return string(*p), session.Gap{} }

// TestOutputPast checks that an output is in its entry as it was when the document let go of it,
// and that the log lets go of it, too: the sources of all outputs were kept to the end.
func TestOutputPast(t *testing.T) {
	l := transcript.NewLog("s", time.Time{})
	outputs := []printout{"one", "two", "three"}
	shell := func(i int) session.Sighting {
		return session.Sighting{Message: session.Message{Role: session.RoleShell, Text: "print"}, Printed: &outputs[i]}
	}
	l.Merge(session.View{Document: 1, Items: []session.Sighting{shell(0), shell(1)}})
	l.Merge(session.View{Document: 1, From: 2, Past: 2, Items: []session.Sighting{shell(2)}})
	outputs[0] = "not read any more"
	l.Merge(session.View{Document: 2})
	outputs[2] = "nor this"
	var got []string
	for _, e := range l.Entries() {
		got = append(got, e.Output)
	}
	if want := []string{"one", "two", "three"}; !slices.Equal(got, want) {
		t.Errorf("outputs %q, want %q", got, want)
	}
}

// TestForgottenCommand checks that a shell command whose end no view showed is complete once
// another one ran below it, live as in a replay: live it was stored as not finished.
func TestForgottenCommand(t *testing.T) {
	shell := func(text string, open bool) session.Sighting {
		return session.Sighting{Message: session.Message{Role: session.RoleShell, Text: text}, Open: open}
	}
	l := transcript.NewLog("s", time.Time{})
	l.Merge(session.View{Document: 1, Items: []session.Sighting{shell("one", true)}})
	l.Merge(session.View{Document: 1, From: 1, Items: []session.Sighting{shell("two", false), shell("three", true)}})
	l.Merge(session.View{Document: 1, From: 2, Past: 2, Items: []session.Sighting{shell("three", true)}})
	status := map[string]string{}
	for range 3 {
		changed, _ := l.Changes()
		for _, e := range changed {
			status[e.Text] = e.Status
		}
		l.Forget()
	}
	if status["one"] != session.StatusComplete || status["three"] != session.StatusStreaming {
		t.Errorf("states %v", status)
	}
}
