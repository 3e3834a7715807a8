package printable_test

import (
	"bytes"
	"testing"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 sessions", 1: "1 session", 2: "2 sessions"} {
		if got := printable.Plural(n, "session"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
}

// What a program has written must not reach the terminal by way of --json.
func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	if err := printable.WriteJSON(&b, map[string]string{"title": "<a>\x1b]0;x\u202e"}); err != nil {
		t.Fatal(err)
	}
	want := "{\n \"title\": \"<a>\\u001b]0;x\\u202e\"\n}\n"
	if b.String() != want {
		t.Errorf("WriteJSON wrote %q, want %q", b.String(), want)
	}
}
