package printable_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// What could drive a terminal or deceive a reader was printed, by some ways and not by others.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext":                       "plain\n\ttext",
		"\x1b[31mred\x07\x9b2J\u009b2J\x7f\r": "[31mred\uFFFD2J2J",
		"a\u202eb\u202cc\u2066d\u2069":        "a{U+202E}b{U+202C}c{U+2066}d{U+2069}",
		"hidden\U000E0068\U000E0069":          "hidden{U+E0068}{U+E0069}",
		"zero\u200bwidth\ufeff\u00ad\u2060":   "zero{U+200B}width{U+FEFF}{U+00AD}{U+2060}",
		"left\u200eto\u200fright\u061c":       "left{U+200E}to{U+200F}right{U+061C}",
		"pay\u200dpal":                        "pay{U+200D}pal",
		"two\u2028lines\u2029here":            "two\nlines\nhere",
		"filler\u3164\uffa0\u115f":            "filler{U+3164}{U+FFA0}{U+115F}",
		"data\ufe00\ufe01\U000E0100":          "data{U+FE00}{U+FE01}{U+E0100}",
		"❤\ufe0f\ufe0f":                       "❤\ufe0f{U+FE0F}",
		"👩\u200d💻 ❤\ufe0f 👨\u200d👩\u200d👧 1\ufe0f⃣ 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈": "👩\u200d💻 ❤\ufe0f 👨\u200d👩\u200d👧 1\ufe0f⃣ " +
			"👩🏽\u200d🚀 🏳\ufe0f\u200d🌈",
		"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F": "🏴\U000E0067\U000E0062\U000E0065\U000E006E" +
			"\U000E0067\U000E007F",
		"می\u200cخواهم क्\u200dष 葛\U000E0100": "می\u200cخواهم क्\u200dष 葛\U000E0100",
		"שלום עולם e\u0301 漢字 ½ ✓":            "שלום עולם e\u0301 漢字 ½ ✓",
	} {
		if got := printable.Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
}

// Nothing that Text and JSON return can drive a terminal, and JSON keeps the value.
func TestNothingDrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") +
			string(rapid.SliceOf(rapid.SampledFrom([]rune("a\x1b\u009b\x7f\u202e\u200d\ufe0f👩\U000E0041\n\u2028"))).Draw(t,
				"evil"))
		got := printable.Text(text)
		if again := printable.Text(got); again != got {
			t.Errorf("%q becomes %q and then %q", text, got, again)
		}
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		escaped := printable.JSON(nil, raw)
		var back string
		if err := json.Unmarshal(escaped, &back); err != nil ||
			back != strings.ToValidUTF8(text, "\uFFFD") && utf8.ValidString(text) {
			t.Errorf("%s becomes %s: %v", raw, escaped, err)
		}
		for _, s := range []string{got, string(escaped)} {
			for _, r := range s {
				if r != '\n' && r != '\t' && unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) {
					t.Errorf("%q holds %U", s, r)
				}
			}
		}
	})
}

func TestLink(t *testing.T) {
	for url, want := range map[string]bool{
		"http://a/b": true, "HTTPS://a": true, "mailto:a@b": true, "file:///tmp/x": true,
		"javascript:alert(1)": false, "data:text/html,x": false, "vscode://x": false, "//host": false,
		"java\nscript:x": false,
		" javascript:x":  false, "http://a/\u202e": false, "http://a b": false, "": false, "JaVaScRiPt:x": false,
		"\x01javascript:x": false,
	} {
		if got := printable.Link(url); got != want {
			t.Errorf("Link(%q) = %v", url, got)
		}
	}
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("The slowest run in a real terminal: see recorder — 漢字 ✓\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		printable.Text(text)
	}
}
