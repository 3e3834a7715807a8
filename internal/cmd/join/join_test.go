package join_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/internal/testkit/livetest"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

func TestSession(t *testing.T) {
	s := livetest.New(t, "make")
	s.Write("hello")
	o := client.AttachOptions{Name: "screen", Kind: protocol.Agent, Mode: protocol.ModeScreen}
	stream, hello, err := join.Session(t.Context(), s.Client, livetest.ID, o)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if hello.Session.ID != livetest.ID {
		t.Errorf("joined %q", hello.Session.ID)
	}
	term, err := join.Screen(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	if got := term.Snapshot().Lines[0].Text; strings.TrimRight(got, " ") != "hello" {
		t.Errorf("the first row is %q", got)
	}
	if _, _, err := join.Session(t.Context(), s.Client, "01ffffff", o); err == nil ||
		err.Error() != `no live session "01ffffff"` {
		t.Errorf("another session: %v", err)
	}
}

func TestURLIsChecked(t *testing.T) {
	for _, url := range []string{"https://", "ftp://host/s/x"} {
		_, _, err := join.URL(t.Context(), url, join.Token{}, client.AttachOptions{})
		var f *failure.Error
		if !errors.As(err, &f) || f.Hint == "" {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url, variable string
		token         join.Token
		want          string
	}{
		{"https://host/s/x#token=from-url", "from-variable", join.Token{Text: "from-flag", File: file}, "from-url"},
		{"https://host/s/x", "from-variable", join.Token{Text: "from-flag", File: file}, "from-flag"},
		{"https://host/s/x", "from-variable", join.Token{File: file}, "from-variable"},
		{"https://host/s/x", "", join.Token{File: file}, "from-file"},
		{"https://host/s/x", "", join.Token{}, ""},
	} {
		t.Setenv("PTYREC_TOKEN", c.variable)
		if got, err := c.token.For(c.url); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.url, got, err, c.want)
		}
	}
	t.Setenv("PTYREC_TOKEN", "")
	if _, err := (join.Token{File: file + "x"}).For("https://host"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
}

// Each error has a hint of its own, and stays what it was.
func TestErrors(t *testing.T) {
	const id = "01a1fd63-e33f"
	for _, c := range []struct {
		got    error
		cause  error
		status int
		hint   string
	}{
		{join.Error(&client.ManyAgents{Agents: []string{"a1", "a2"}}), nil, 1, "name one of them: ws://HOST:PORT/a1"},
		{join.Error(&client.NoSession{}), session.ErrNotFound, 1,
			"`ptyrec attach --control` starts the session main if it does not exist"},
		{join.Error(&client.NoSession{Names: []string{"x", "y"}}), session.ErrNotFound, 1, "its sessions are x, y"},
		{join.Error(fmt.Errorf("dial: %w", client.ErrToken)), client.ErrToken, 1, "pass the token that"},
		{join.Error(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF, 1, "`ptyrec list --live`"},
		{join.Over(io.EOF), nil, 1, "`ptyrec show last`"},
		{join.Refused(&protocol.Error{Code: protocol.CodeNoControl}, id), nil, 1,
			"the session's user can let programs type: ptyrec grant d63-e33f"},
		{join.Refused(&protocol.Error{Code: protocol.CodeNotAllowed}, id), nil, 1,
			"run this in a terminal outside"},
		{join.Refused(&protocol.Error{Code: protocol.CodeAsking}, id), nil, cli.StatusAsking,
			"`ptyrec screen d63-e33f` shows the question"},
		{join.Prompt(&prompt.AskingError{Question: "Run it?"}, "last"), nil, cli.StatusAsking,
			"answer it, or type the key with `ptyrec send last --keys KEY`"},
		{join.Prompt(prompt.ErrBusy, "last"), prompt.ErrBusy, 1, "`ptyrec wait last --idle` waits"},
		{join.Prompt(prompt.ErrNoControl, "last"), prompt.ErrNoControl, 1, "the session's user can let programs type"},
		{join.Prompt(prompt.ErrNoAgent, "last"), prompt.ErrNoAgent, 1, "`ptyrec screen last` shows its screen"},
		{join.Prompt(prompt.ErrEnded, "last"), prompt.ErrEnded, 1, "`ptyrec show last`"},
		{join.Prompt(session.ErrNotFound, "x"), nil, 1, "`ptyrec list --live`"},
	} {
		var f *failure.Error
		if !errors.As(c.got, &f) || cmp.Or(f.Status, 1) != c.status || !strings.HasPrefix(f.Hint, c.hint) {
			t.Errorf("%v: %+v, want status %d and the hint %q", c.got, f, c.status, c.hint)
		}
		if c.cause != nil && !errors.Is(c.got, c.cause) {
			t.Errorf("%v is not %v any more", c.got, c.cause)
		}
	}
	for _, got := range []error{join.Over(io.ErrClosedPipe), join.Refused(io.ErrClosedPipe, id),
		join.Prompt(io.ErrClosedPipe, "last")} {
		if !errors.Is(got, io.ErrClosedPipe) || errors.As(got, new(*failure.Error)) {
			t.Errorf("another error became %v", got)
		}
	}
	if err := join.Prompt(nil, "last"); err != nil {
		t.Error(err)
	}
}
