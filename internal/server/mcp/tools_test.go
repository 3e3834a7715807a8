package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/internal/server/mcp"
	"github.com/ptyrec/ptyrec/session"
)

// The whole list of tools has at most 8,000 characters, also with those for typing; those of
// --allow-run are 1,200 more. Each says all of itself.
func TestMCPList(t *testing.T) {
	w := newWorld(t)
	start := func(context.Context, mcp.StartOptions) (string, error) { return "", errors.New("no") }
	for _, test := range []struct {
		write, run bool
		most       int
	}{{false, false, 8000}, {true, false, 8000}, {true, true, 9200}} {
		if w.options.Write = test.write; test.run {
			w.options.Start = start
		}
		most := test.most
		c := w.connect(nil)
		r, err := c.ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := json.Marshal(r.Tools)
		if err != nil || utf8.RuneCount(all) > most {
			t.Errorf("%d characters: %v", utf8.RuneCount(all), err)
		}
		t.Logf("%d tools, %d characters", len(r.Tools), utf8.RuneCount(all))
		for _, tool := range r.Tools {
			described(t, tool)
		}
		if n := utf8.RuneCountInString(c.InitializeResult().Instructions); n == 0 || n > 800 {
			t.Errorf("instructions of %d characters", n)
		}
	}
}

// described fails unless a tool says all of itself.
func described(t *testing.T, tool *sdk.Tool) {
	t.Helper()
	a := tool.Annotations
	if tool.Title == "" || tool.Description == "" || (tool.OutputSchema == nil) == (a != nil && a.ReadOnlyHint) ||
		a == nil || a.ReadOnlyHint != a.IdempotentHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
		t.Errorf("%s: %+v %+v", tool.Name, tool, a)
	}
	if types := slices.Contains([]string{"send", "prompt", "start_session", "stop_session"},
		tool.Name); types == a.ReadOnlyHint || types != (a.DestructiveHint != nil && *a.DestructiveHint) {
		t.Errorf("%s: %+v", tool.Name, a)
	}
	schema, _ := tool.InputSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		if p, _ := p.(map[string]any); text(p, "description") == "" {
			t.Errorf("%s: %s has no description", tool.Name, name)
		}
	}
}

// pages returns the items of all pages of a call.
func pages(t *testing.T, c *sdk.ClientSession, tool, list string, arguments map[string]any) (all []map[string]any) {
	t.Helper()
	for range 1000 {
		r := must(t, c, tool, arguments)
		all = append(all, r.items(list)...)
		cursor := text(r.structured, "next_cursor")
		if cursor == "" {
			return all
		}
		if len(r.items(list)) == 0 {
			t.Fatal("an empty page")
		}
		arguments["cursor"] = cursor
	}
	t.Fatal("no end")
	return nil
}

// Sessions that began in the same second all come, once each.
func TestMCPListPages(t *testing.T) {
	w := newWorld(t)
	want := map[string]bool{}
	for range 25 {
		want[w.record(session.Session{}, said("user", "same second"))] = true
	}
	c := w.connect(nil)
	got := pages(t, c, "list_sessions", "sessions", map[string]any{"limit": 3})
	for _, s := range got {
		delete(want, text(s, "id"))
	}
	if len(got) != 25 || len(want) != 0 {
		t.Errorf("%d sessions, %d missing", len(got), len(want))
	}
	first := must(t, c, "list_sessions", map[string]any{"limit": 3})
	other := call(t, c, "list_sessions", map[string]any{"limit": 3, "agent": "codex",
		"cursor": text(first.structured, "next_cursor")})
	if !other.isError || !strings.Contains(other.text, "cursor") {
		t.Errorf("a cursor of another call: %+v", other)
	}
}

// Refs read back what search found.
func TestMCPSearchReadsBack(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		w.record(session.Session{Cwd: "/work/api"}, said("user", "start"),
			said("assistant", fmt.Sprintf("the retry budget is %d", i)), said("user", "thanks"))
	}
	c := w.connect(nil)
	hits := pages(t, c, "search", "hits", map[string]any{"query": `"retry budget"`, "limit": 5})
	seen := map[string]bool{}
	for _, h := range hits {
		ref := text(h, "ref")
		if seen[ref] {
			t.Errorf("%s came twice", ref)
		}
		seen[ref] = true
		r := must(t, c, "read_session", map[string]any{"session": ref})
		entries := r.items("entries")
		if len(entries) == 0 || fmt.Sprint(entries[0]["seq"]) != fmt.Sprint(h["seq"]) ||
			!strings.Contains(text(entries[0], "text"), "retry budget") {
			t.Errorf("%s: %v", ref, entries)
		}
	}
	if len(hits) != 12 {
		t.Errorf("%d hits", len(hits))
	}
	if r := must(t, c, "search", map[string]any{"query": "retry", "role": []string{"user"}}); len(r.items("hits")) != 0 {
		t.Errorf("users' hits: %v", r.structured)
	}
}

// The pages together are the export, whatever their size; an entry that is too long for a page goes
// on on the next one.
func TestMCPReadPages(t *testing.T) {
	w := newWorld(t)
	entries := []*session.Entry{}
	for i := range 24 {
		entries = append(entries, said("assistant", strings.Repeat(fmt.Sprintf("line %d of ä 漢\n", i), 1+i*i)))
	}
	w.record(session.Session{}, entries...)
	c := w.connect(nil)
	for _, size := range []int{1000, 7777} {
		got := map[int]string{}
		last := 0
		for _, e := range pages(t, c, "read_session", "entries", map[string]any{"session": "last", "max_chars": size}) {
			seq, _ := e["seq"].(float64)
			if int(seq) < last {
				t.Errorf("entry %v after %d", seq, last)
			}
			last = int(seq)
			got[last] += text(e, "text")
		}
		for _, e := range entries {
			if got[e.Seq] != e.Text {
				t.Errorf("size %d: entry %d has %d characters of %d", size, e.Seq, len(got[e.Seq]), len(e.Text))
			}
		}
		page := must(t, c, "read_session", map[string]any{"session": "last", "max_chars": size})
		if n := utf8.RuneCountInString(page.text); n > size {
			t.Errorf("a page of %d characters, want %d at most", n, size)
		}
	}
}

// From -10 is the last ten; roles and tools choose entries.
func TestMCPReadParts(t *testing.T) {
	w := newWorld(t)
	tool := said("tool", "")
	tool.Tool = &session.Tool{Name: "Bash", Input: "make test", Output: "ok\nok\n", Status: session.ToolError}
	entries := []*session.Entry{}
	for i := range 250 {
		entries = append(entries, said([]string{"user", "assistant"}[i%2], fmt.Sprintf("message %d", i+1)))
	}
	entries[120], entries[249] = tool, said("thinking", "hm")
	w.record(session.Session{}, entries...)
	c := w.connect(nil)
	for _, test := range []struct {
		arguments map[string]any
		seqs      []int
		holds     string
	}{
		{map[string]any{"from": -3}, []int{248, 249, 250}, "hm"},
		{map[string]any{"from": -2, "roles": []string{"user"}}, []int{247, 249}, "message 249"},
		{map[string]any{"from": 248}, []int{248, 249, 250}, "message 248"},
		{map[string]any{"session": "last#120..last#122"}, []int{120, 121, 122}, "Bash: make test (error) → 2 lines"},
		{map[string]any{"session": "last#120..#122", "tools": "none"}, []int{120, 122}, "message 122"},
		{map[string]any{"session": "last#121..#121", "tools": "full"}, []int{121}, "Bash: make test (error)\nok\nok"},
	} {
		if test.arguments["session"] == nil {
			test.arguments["session"] = "last"
		}
		r := must(t, c, "read_session", test.arguments)
		seqs := []int{}
		for _, e := range r.items("entries") {
			seq, _ := e["seq"].(float64)
			seqs = append(seqs, int(seq))
		}
		if !slices.Equal(seqs, test.seqs) || !strings.Contains(r.text, test.holds) {
			t.Errorf("%v: %v, %s", test.arguments, seqs, r.text)
		}
	}
}

// What happened and what to do, without a word of Go or SQL.
func TestMCPErrors(t *testing.T) {
	w := newWorld(t)
	a := w.record(session.Session{}, said("user", "one"))
	b := w.record(session.Session{}, said("user", "two"))
	c := w.connect(nil)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		says      []string
	}{
		{"read_session", map[string]any{"session": "ffff"}, []string{"ffff", a, b, "list_sessions"}},
		{"read_session", map[string]any{"session": "0"}, []string{"2 sessions", a, b}},
		{"read_session", map[string]any{}, []string{"session"}},
		{"read_session", map[string]any{"session": "last#x"}, []string{"ID#12"}},
		{"read_session", map[string]any{"session": "last", "max_chars": 999}, []string{"1000", "60000", "999"}},
		{"read_session", map[string]any{"session": "last", "from": 1.5}, []string{"whole number"}},
		{"read_session", map[string]any{"session": "last", "cursor": "AAAA"}, []string{"cursor"}},
		{"read_session", map[string]any{"session": strings.Repeat("x", 5000)}, []string{"200"}},
		{"search", map[string]any{"query": "..."}, []string{"no word"}},
		{"search", map[string]any{"query": strings.Repeat("x", 1001)}, []string{"1000", "1001"}},
		{"search", map[string]any{"query": "x", "limit": 51}, []string{"1 to 50", "51"}},
		{"search", map[string]any{"query": "x", "role": []string{"robot"}}, []string{"user", "robot"}},
		{"search", map[string]any{"query": "x", "role": "user"}, []string{"array"}},
		{"search", map[string]any{"query": "x", "words": 1}, []string{`"words"`, "query"}},
		{"search", map[string]any{"query": "x", "since": "someday"}, []string{"since", "yesterday"}},
		{"list_sessions", map[string]any{"limit": 0}, []string{"1 to 100", "0"}},
		{"list_sessions", map[string]any{"live": "yes"}, []string{"true or false"}},
		{"list_sessions", map[string]any{"cwd": "src"}, []string{"absolute"}},
	} {
		r := call(t, c, test.tool, test.arguments)
		if !r.isError || utf8.RuneCountInString(r.text) > 1000 {
			t.Errorf("%s %v: %+v", test.tool, test.arguments, r)
		}
		for _, word := range test.says {
			if !strings.Contains(r.text, word) {
				t.Errorf("%s %v: %q lacks %q", test.tool, test.arguments, r.text, word)
			}
		}
	}
}

// Without a database there are no sessions, and that is no error.
func TestMCPNoDatabase(t *testing.T) {
	w := newWorld(t)
	w.options.Open = noDatabase
	c := w.connect(nil)
	for tool, arguments := range map[string]map[string]any{"list_sessions": nil, "search": {"query": "x"}} {
		if r := must(t, c, tool, arguments); !strings.Contains(r.text, "ptyrec run") {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := call(t, c, "read_session", map[string]any{"session": "last"}); !r.isError ||
		!strings.Contains(r.text, "ptyrec run") {
		t.Errorf("read_session: %+v", r)
	}
}

// A newer or broken database leads to a clear error of each call.
func TestMCPBadDatabase(t *testing.T) {
	for _, bad := range []error{session.ErrNewer, session.ErrCorrupt, session.ErrNotDatabase, session.ErrBusy,
		session.ErrNotWritable} {
		w := newWorld(t)
		w.options.Open = failing(fmt.Errorf("database /x: open: SQL logic error: %w", bad))
		c := w.connect(nil)
		for tool, arguments := range map[string]map[string]any{"list_sessions": nil, "search": {"query": "x"},
			"read_session": {"session": "last"}} {
			if r := call(t, c, tool, arguments); !r.isError || strings.Contains(r.text, "SQL") ||
				strings.Contains(r.text, "session ") {
				t.Errorf("%v: %s: %+v", bad, tool, r)
			}
		}
	}
}

// FuzzMCP2Arguments: whatever the arguments are, the call is answered with a result or an error in
// words.
func FuzzMCP2Arguments(f *testing.F) {
	f.Add("search", []byte(`{"query":"x","limit":1e300}`))
	f.Add("read_session", []byte(`{"session":"last#1","from":-5,"cursor":"a","tools":null}`))
	f.Add("list_sessions", []byte(`{"since":"\u0000","cwd":"~/.."}`))
	w := newWorld(f)
	w.record(session.Session{}, said("user", "one"))
	f.Fuzz(func(t *testing.T, tool string, arguments []byte) {
		if !json.Valid(arguments) || !utf8.Valid(arguments) {
			return
		}
		params, err := json.Marshal(map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, options: w.options}
		answers := w.converse(initialize("2025-11-25"),
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+string(params)+`}`)
		answerTo(t, answers, 2)
	})
}
