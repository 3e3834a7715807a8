package vterm

import "testing"

// TestSameSnapshot reads a screen again that looks as it did, and one that differs in one thing.
func TestSameSnapshot(t *testing.T) {
	for write, same := range map[string]bool{
		"": true, "\x1b[Hone\x1b[2;1Htwo": true, "\x1b[31m": true,
		"o": false, "\x1b[Htoo\x1b[2;4H": false, "\x1b[A": false, "\x1b[D": false, "\x1b[?25l": false,
		"\x1b]2;title\a": false, "\x1b[?1049h": false,
	} {
		term := New(Options{Cols: 20, Rows: 4})
		_, _ = term.Write([]byte("one\r\ntwo")) // never fails
		before := term.Snapshot()
		_, _ = term.Write([]byte(write))
		if got := term.Snapshot() == before; got != same {
			t.Errorf("%q: the same is %v", write, got)
		}
		if before.Lines[0].Text != "one" || len(before.Lines) != 4 {
			t.Errorf("%q: the screen before has changed", write)
		}
	}
	term := New(Options{Cols: 4, Rows: 4})
	_, _ = term.Write([]byte("\x1b[1;4H"))
	before := term.Snapshot()
	if _, _ = term.Write([]byte("\x1b[1;4H ")); term.Snapshot() == before { // the cursor waits behind the edge
		t.Error("the pending wrap is not seen")
	}
	before = term.Snapshot()
	if term.Resize(5, 4); term.Snapshot() == before {
		t.Error("the size is not seen")
	}
}
