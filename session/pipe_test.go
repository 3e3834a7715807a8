package session_test

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/session"
)

// U+FFFD for each maximal invalid part (Unicode 16, table 3-8 and the examples around it).
func TestPipeText(t *testing.T) {
	for data, want := range map[string]string{
		"":                                     "",
		"a\xffb":                               "a\uFFFDb",
		"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41": "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA",
		"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41": "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA",
		"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42": "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB",
		"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41": "\uFFFD\uFFFD\uFFFD\uFFFDA",
		"\uFFFD\xE2\x82":                       "\uFFFD\uFFFD",
	} {
		if got := session.Text([]byte(data)); got != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
		if n := session.TextSize([]byte(data)); n != int64(len(want)) {
			t.Errorf("%q: %d bytes, want %d", data, n, len(want))
		}
	}
}

// The text does not depend on how its bytes arrive.
func TestPipeTextOfPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]byte("a\x80\xbf\xc2\xe0\xe2\x82\xac\xed\xa0\xf0\x9f\x98\x80\xf4\x90\xff"))
		data := rapid.SliceOfN(letters, 0, 40).Draw(t, "data")
		text, held := "", []byte{}
		for rest := data; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			held = append(held, rest[:n]...)
			rest = rest[n:]
			whole := session.Whole(held)
			if len(held)-whole >= utf8.UTFMax {
				t.Fatalf("%q is held back", held[whole:])
			}
			text += session.Text(held[:whole])
			held = held[whole:]
		}
		text += session.Text(held)
		if want := session.Text(data); text != want || !utf8.ValidString(text) || session.TextSize(data) != int64(len(text)) {
			t.Fatalf("%q: %q, want %q", data, text, want)
		}
	})
}
