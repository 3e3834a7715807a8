package cli_test

import (
	"bytes"
	"testing"

	"github.com/ptyrec/ptyrec/internal/cli"
)

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 sessions", 1: "1 session", 2: "2 sessions"} {
		if got := cli.Plural(n, "session"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestStyle(t *testing.T) {
	for _, tt := range []struct {
		style           cli.Style
		sgr, text, want string
	}{
		{true, cli.Match, "word", "\x1b[1;31mword\x1b[m"},
		{true, "", "word", "word"},
		{true, cli.Red, "", ""},
		{false, cli.Red, "word", "word"},
	} {
		if got := tt.style.Paint(tt.sgr, tt.text); got != tt.want {
			t.Errorf("Style(%v).Paint(%q, %q) = %q, want %q", tt.style, tt.sgr, tt.text, got, tt.want)
		}
	}
}

// What a program has written must not reach the terminal by way of --json.
func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	if err := cli.WriteJSON(&b, map[string]string{"title": "<a>\x1b]0;x\u202e"}); err != nil {
		t.Fatal(err)
	}
	want := "{\n \"title\": \"<a>\\u001b]0;x\\u202e\"\n}\n"
	if b.String() != want {
		t.Errorf("WriteJSON wrote %q, want %q", b.String(), want)
	}
}
