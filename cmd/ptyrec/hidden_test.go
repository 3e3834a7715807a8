package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// A password typed with the echo off, into a session that records its input, is in nothing that
// serve answers: entries, raw events, exports, search, the stream of events, and what clients of
// the live session receive, then and later.
func TestTypedPasswordOverServe(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	const secret, shown = "hunter2.Xy", "anna.Qz"
	environ, db := env(t)
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "run", "--input", "--", bash, "-c",
		`read -s -e -p "Password: " a; echo; read -p "Name: " b; echo "name of ${#b}"; read -s -n 10 -p "Again: " c; `+
			`echo; echo "both of ${#a} and ${#c}"; read d`)
	cmd.Env = environ
	u.Start(t, cmd)
	u.Await(t, "Password: ")

	url, token, _ := served(t, environ)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c, err := client.Dial(ctx, url, client.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := c.Sessions(ctx)
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%v, %v", sessions, err)
	}
	id := sessions[0].ID
	var mu sync.Mutex // guards said
	var said strings.Builder
	note := func(where string, what any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&said, "%s %+v\n", where, what)
	}
	for _, mode := range []protocol.Mode{protocol.ModeBytes, protocol.ModeScreen, protocol.ModeText} {
		from, entries := int64(0), 0
		s, err := c.Attach(ctx, id, client.AttachOptions{Name: "watcher", Mode: mode, From: &from, Entries: &entries,
			OnEvent: func(e client.Event) { note(string(mode), e) }})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		go func() { _, _ = io.Copy(io.Discard, s) }()
	}
	get := func(path string) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v, %.200s", path, resp.Status, err, body)
		}
		note(path, string(body))
	}
	ask := func() {
		for _, path := range []string{"/api/sessions", "/api/search?q=name", "/api/sessions/" + id,
			"/api/sessions/" + id + "/entries", "/api/sessions/" + id + "/raw",
			"/api/sessions/" + id + "/screen"} {
			get(path)
		}
		for _, format := range []string{"json", "jsonl", "md", "txt", "html", "cast"} {
			get("/api/sessions/" + id + "/export?format=" + format)
		}
	}
	var streams sync.WaitGroup
	streams.Go(func() { get("/api/sessions/" + id + "/events?screen=true") }) // ends with the session

	u.Type(t, secret+"\r")
	u.Await(t, "Name: ")
	u.Type(t, shown)
	u.Await(t, shown) // as a person sees it, before Enter
	u.Type(t, "\r")
	u.Await(t, "Again: ")
	u.Type(t, secret)
	u.Await(t, "both of 10 and 10")
	ask()
	u.Type(t, "\r")
	ptytest.Status(t, cmd)
	ask()
	streams.Wait()
	_, events := rawLog(t, db)
	if got := string(bytesOf(session.Input, events)); !strings.Contains(got, shown) || strings.Contains(got, secret) {
		t.Errorf("the input is recorded as %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if n := strings.Count(said.String(), shown); n < 10 {
		t.Errorf("what was shown is in %d places", n)
	}
	for _, part := range []string{secret, "hunter2", "r2.Xy"} {
		if at := strings.Index(said.String(), part); at >= 0 {
			t.Errorf("%q in …%.300q", part, said.String()[max(0, at-100):])
		}
	}
}
