package find

import (
	"errors"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func TestWrite(t *testing.T) {
	info := &store.Info{Session: session.Session{ID: "s", Command: []string{"claude"}, Cols: 80, Rows: 24,
		Title: "a title"}, Status: store.Interrupted}
	info.Tags, info.Note = []string{"a", "b"}, "remember this"
	entries := []*session.Entry{
		{Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: "a question"},
		{Seq: 2, Type: session.TypeMessage, Role: session.RoleTool, Text: "Bash(ls)",
			Tool: &session.Tool{Name: "Bash", Input: "ls", Output: "main.go"}},
	}
	write := func(ref archive.Ref) string {
		var b strings.Builder
		if err := writeConversation(&b, &render.Terminal{Width: 80}, info.Session, store.List(entries), info,
			ref); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := write(archive.Ref{})
	for _, want := range []string{"a title", "a, b", "remember this", "Status:", store.Interrupted, "a question"} {
		if !strings.Contains(whole, want) {
			t.Errorf("no %q in:\n%s", want, whole)
		}
	}
	if strings.Contains(whole, "main.go") {
		t.Errorf("a tool's output is shown:\n%s", whole)
	}
	if part := write(archive.Ref{First: 2}); !strings.Contains(part, "main.go") {
		t.Errorf("the first entry of a part is not shown in full:\n%s", part)
	}
	broken := errors.New("broken")
	err := writeConversation(&strings.Builder{}, &render.Terminal{Width: 80}, info.Session,
		func(yield func(*session.Entry, error) bool) { yield(nil, broken) }, info, archive.Ref{})
	if !errors.Is(err, broken) {
		t.Errorf("an entry that cannot be read: %v", err)
	}
}
