package storetest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func testEntries(t *testing.T, w *world) {
	code, took := 2, 1.5
	ended := start.Add(time.Minute)
	shell := said(1, session.RoleShell, "ls")
	shell.Output, shell.EndAt, shell.Markdown = "a\nb", &ended, "`ls`"
	shell.Details = session.Details{ExitStatus: &code, Cwd: "/x", Duration: &took, Truncated: true,
		TruncatedAt: session.TruncatedHead, OmittedLines: 3}
	tool := said(2, session.RoleTool, "")
	tool.Tool = &session.Tool{Name: "Bash", Input: "make \x00 'x' \\u0000", Output: "ok\ttab", Status: session.ToolOK,
		Truncated: true}
	event := &session.Entry{ID: "e3", Seq: 3, Type: session.TypeEvent, Event: session.EventResize,
		Data: map[string]any{"cols": 80.0, "text": "\x00"}, At: start, Offset: 1 << 40}
	early := said(4, session.RoleUser, "1970")
	early.At = time.Unix(0, 1).UTC()
	late := said(5, session.RoleUser, "")
	late.At, late.Data = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), map[string]any{"k": []any{"v"}}
	want := []*session.Entry{shell, tool, event, early, late}
	s := w.put(t, 1, nil, want...)
	if diff := cmp.Diff(want, all(t, w.Each(w.ctx, s.ID))); diff != "" {
		t.Errorf("Each (-want +got):\n%s", diff)
	}
	got, err := w.EntriesAfter(w.ctx, s.ID, 3)
	if diff := cmp.Diff(want[3:], got); err != nil || diff != "" {
		t.Errorf("EntriesAfter: %v (-want +got):\n%s", err, diff)
	}
}

func testPages(t *testing.T, w *world) {
	var want []*session.Entry
	for n := 1; n <= 1203; n++ {
		want = append(want, said(n, session.RoleAssistant, fmt.Sprint("text ", n)))
	}
	for i := 600; i < 605; i++ {
		want[i].Seq = 601 // several have the same number
	}
	s := w.put(t, 1, nil, want...)
	if got := all(t, w.Each(w.ctx, s.ID)); len(got) != len(want) {
		t.Errorf("Each: %d entries", len(got))
	}
	for _, c := range []struct {
		span        store.Span
		start, n, i int
	}{
		{store.Span{}, 0, 1203, 0}, {store.Span{Limit: 10}, 0, 10, 0}, {store.Span{Since: 100, Limit: 5}, 100, 5, 100},
		{store.Span{Before: math.MaxInt32, Limit: 3}, 1200, 3, 1200}, {store.Span{Before: 5, Limit: 10}, 0, 4, 0},
		{store.Span{Around: 800, Limit: 11}, 794, 11, 794}, {store.Span{Since: 5000}, 1203, 0, 0},
	} {
		page, err := w.Page(w.ctx, s.ID, c.span)
		if err != nil || page.Start != c.start || page.Total != 1203 || len(page.Entries) != c.n ||
			c.n > 0 && page.Entries[0].ID != want[c.i].ID {
			t.Errorf("%+v: start %d, %d of %d, %v", c.span, page.Start, len(page.Entries), page.Total, err)
		}
	}
}

func testSave(t *testing.T, w *world) {
	s := w.put(t, 1, nil, said(1, session.RoleUser, "first"), said(2, session.RoleAssistant, "second"),
		said(3, session.RoleUser, "third"))
	changed := said(2, session.RoleUser, "changed")
	twice := said(4, session.RoleTool, "stale")
	if err := w.b.Save(w.ctx, w.DB, s.ID, []*session.Entry{changed, twice, said(4, session.RoleTool, "fourth")}, "e3",
		"unknown"); err != nil {
		t.Fatal(err)
	}
	want := []*session.Entry{said(1, session.RoleUser, "first"), changed, said(4, session.RoleTool, "fourth")}
	if diff := cmp.Diff(want, all(t, w.Each(w.ctx, s.ID))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	info, err := w.Find(w.ctx, s.ID)
	if err != nil || info.Messages != 3 || info.Turns != 2 || info.Prompt != "first" {
		t.Errorf("%+v, %v", info, err)
	}
	for text, n := range map[string]int{"first": 1, "second": 0, "changed": 1, "third": 0, "stale": 0, "fourth": 1} {
		if hits, err := w.Search(w.ctx, store.Query{Text: text}); err != nil || len(hits) != n {
			t.Errorf("%s: %d hits, %v", text, len(hits), err)
		}
	}
}

func testRawLog(t *testing.T, w *world) {
	s := w.put(t, 7, nil)
	kinds := func(events []session.Event) (out string) {
		for _, e := range events {
			name := map[session.EventKind]string{session.Resize: "r", session.Output: "o", session.Input: "i",
				session.Exit: "x"}[e.Kind]
			out += fmt.Sprintf("%s%d:%s%d;", name, e.At.Milliseconds(), e.Data, e.Status+e.Cols)
		}
		return out
	}
	want := "r0:80;o1000:hello 0;i2000:x0;o2500:world0;x3000:7;"
	if got := kinds(all(t, w.EventsFrom(w.ctx, s.ID, store.From{}))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for from, want := range map[store.From]string{
		{Event: 3}: "o2500:world0;x3000:7;", {At: 2 * time.Second}: "i2000:x0;o2500:world0;x3000:7;",
		{Offset: 8}: "o2500:world0;x3000:7;", {Event: 9}: "", {At: time.Hour}: "",
	} {
		if got := kinds(all(t, w.EventsFrom(w.ctx, s.ID, from))); got != want {
			t.Errorf("%+v: %s, want %s", from, got, want)
		}
	}
	for offset, want := range map[int64]string{0: "0=,0=hello ,6=world,", 2: "2=llo ,6=world,", 8: "8=rld,", 11: ""} {
		got := ""
		for _, p := range all(t, w.OutputFrom(w.ctx, s.ID, offset)) {
			got += fmt.Sprintf("%d=%s,", p.Offset, p.Data)
		}
		if got != want {
			t.Errorf("from byte %d: %s, want %s", offset, got, want)
		}
	}
}
