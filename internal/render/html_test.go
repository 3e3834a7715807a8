package render_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/sebdah/goldie/v2"

	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
)

func page(t testing.TB, tr *session.Transcript, rec *render.Recording) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.HTML(&b, tr, rec); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenHTML(t *testing.T) {
	g := goldie.New(t, goldie.WithFixtureDir("testdata"), goldie.WithNameSuffix(""))
	g.Assert(t, "example.html", []byte(page(t, example(), nil)))
}

// With a recording the page holds the player, its license, and for each message the moment.
func TestHTMLRecording(t *testing.T) {
	tr := example()
	got := page(t, tr, &render.Recording{Cast: strings.NewReader("cast"),
		Time: func(e *session.Entry) time.Duration { return e.At.Sub(tr.Session.StartedAt) }})
	for _, want := range []string{`data-at="4.000"`, "AsciinemaPlayer.create", "Apache License", `id="cast"`, "Y2FzdA=="} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// Nothing in a session becomes a script, a picture or a tag.
func TestHTMLIsSafe(t *testing.T) {
	evil := "<script>alert(1)</script> ![p](https://e.org/p.png) ![q](javascript:alert(2)) [x](javascript:alert(3)) " +
		"<img src=x onerror=alert(4)>\n\n<div onclick=alert(5)>\n\n`</pre>`"
	tr := &session.Transcript{Session: session.Session{ID: "x", Title: "</title><script>alert(0)</script>",
		Command: []string{"<b>"}}}
	for i, role := range []string{session.RoleUser, session.RoleAssistant, session.RoleThinking, session.RoleTool,
		session.RoleShell, session.RoleSystem, session.RoleCommand} {
		e := &session.Entry{ID: role, Seq: i + 1, Type: session.TypeMessage, Role: role, Text: evil, Markdown: evil,
			Output: evil}
		if role == session.RoleTool {
			e.Tool = &session.Tool{Name: evil, Input: evil, Output: evil, Status: evil}
		}
		tr.Entries = append(tr.Entries, e)
	}
	got := strings.ToLower(page(t, tr, nil))
	_, body, _ := strings.Cut(got, "<header>")
	body, _, _ = strings.Cut(body, "<script>(async") // ours
	for _, bad := range []string{"<script", "<img", "<div onclick", `href="javascript`, "<b>"} {
		if strings.Contains(body, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}
