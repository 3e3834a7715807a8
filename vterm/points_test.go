package vterm

import "testing"

// Text laid out by code points takes as many cells as its program counted, so that what it writes
// at a column further right leaves no gap and covers nothing.
func TestPoints(t *testing.T) {
	for _, tt := range []struct {
		text              string
		points, graphemes int
	}{
		{"ทำงาน", 5, 4},     // SARA AM has a cell of its own
		{"परीक्षण", 6, 5},   // vowel signs and letters behind a virama, too
		{"e\u0301te", 3, 3}, // accents have none
		{"한글", 4, 4},        // wide
		{"👨‍👩‍👧‍👦🇯🇵", 4, 4}, // emoji are counted as a whole
	} {
		for by, want := range map[Widths]int{Points: tt.points, Graphemes: tt.graphemes} {
			if got := TextWidth(tt.text, by); got != want {
				t.Errorf("TextWidth(%q, %d) = %d, want %d", tt.text, by, got, want)
			}
			term := New(Options{Cols: 40, Rows: 2})
			term.SetWidths(by)
			if _, err := term.Write([]byte(tt.text)); err != nil {
				t.Fatal(err)
			}
			s := term.Snapshot()
			if s.CursorX != want || s.Lines[0].Text != tt.text {
				t.Errorf("%q: the cursor is at column %d, want %d; the row says %q", tt.text, s.CursorX, want, s.Lines[0].Text)
			}
		}
	}
}

// TestPointsBlanked writes a blank in the second cell of emoji, as Codex does on the alternate
// screen where that cell has changed: the character on the right stays whole. On the main screen,
// Codex writes text as it is.
func TestPointsBlanked(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[?1049h❤️  と\x1b[1;6H 1️⃣  で\x1b[1;12Hす": "❤️ と 1️⃣ です",
		"\x1b[?1049h⚠\b⚠️ \x1b[1mWarning":             "⚠️ Warning",
		"\x1b[?1049h⚠️ \x1b[1;3Hx":                    "⚠️x",
		"\x1b[?1049h❤️\x1b[1;3H と":                    "❤️ と",
		"\x1b[?1049hは  と":                             "は  と",
		"❤️ と 1️⃣ です":                                 "❤️ と 1️⃣ です",
	} {
		term := New(Options{Cols: 40, Rows: 2, Widths: Points})
		for i := range len(text) {
			if _, err := term.Write([]byte{text[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if got := term.Snapshot().Lines[0].Text; got != want {
			t.Errorf("%q: the row says %q, want %q", text, got, want)
		}
	}
}
