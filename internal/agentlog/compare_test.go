package agentlog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
)

func TestCompare(t *testing.T) {
	want := []message{
		{Role: "user", Text: "Why is it empty?"},
		{Role: "assistant", Text: "# Why\n\nThe **key** is `wrong`:\n\n- one\n- two"},
		{Role: "user", Text: "Fix it"}, {Role: "assistant", Text: "Done: the key is right now."},
	}
	entry := func(seq int, role, text string) *session.Entry {
		return &session.Entry{Seq: seq, Role: role, Text: text, Markdown: text}
	}
	have := []*session.Entry{
		entry(1, "user", "Why is it empty?"), entry(2, "assistant", "Why\nThe key is wrong:\n• one\n• two"),
		entry(4, "assistant", "Done: the kye is right now."), entry(5, "assistant", "Anything else entirely"),
	}
	got := compare(want, have)
	wantDiffers := []Difference{
		{Kind: Missing, Role: "user", Want: "Fix it"},
		{Kind: Differs, Seq: 4, Role: "assistant", Want: "Done: the key is right now.", Have: "Done: the kye is right now."},
		{Kind: More, Seq: 5, Role: "assistant", Have: "Anything else entirely"},
	}
	if diff := cmp.Diff(wantDiffers, got.Differs); diff != "" || got.Exact != 2 {
		t.Errorf("exact = %d, differences (-want +got):\n%s", got.Exact, diff)
	}
	if got := compare(want, nil); got.Chars != 0 || len(got.Differs) != 4 {
		t.Errorf("nothing: %+v", got)
	}
}

// TestCompareCut shows that an interrupted message is no difference: agents log whole ones.
func TestCompareCut(t *testing.T) {
	want := []message{{Role: "user", Text: "Go on"}}
	have := []*session.Entry{{Seq: 1, Role: "user", Text: "Go on"},
		{Seq: 2, Role: "assistant", Text: "It was", Status: session.StatusPartial}}
	if got := compare(want, have); got.Cut != 1 || got.Chars != 1 || len(got.Differs) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestComparePlain has what the words of Markdown are, as agents show it.
func TestComparePlain(t *testing.T) {
	for _, texts := range [][2]string{
		{"See [the guide](https://a.test/b).", "See the guide (https://a.test/b)."},
		{"See (it is at https://a.test) more", "See (it is at https://a.test) more"},
	} {
		if log, screen := plainText(texts[0]), plainText(texts[1]); log != screen {
			t.Errorf("%q and %q", log, screen)
		}
	}
	if plainText("(all of it)") == plainText("all of it") {
		t.Error("brackets are no words")
	}
}

// TestCompareDashes shows that a row of a table which begins with dashes has words: only the line
// below the head has none.
func TestCompareDashes(t *testing.T) {
	const table = "| Option | Default |\n| --- | :-: |\n| --max-conns=64 | 64 |"
	if got, want := plainText(table), "Option Default --max-conns=64 64"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
