package screen_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// sample has a bit of everything, in 20x4 cells with a line of scrollback.
const sample = "gone\r\n\x1b]0;a <title>\x07\x1b[1;31mred\x1b[0;48;2;1;2;3m bg " +
	"\x1b[m\x1b]8;;http://x/?a&b\x07link\x1b]8;;\x07\r\n" +
	"漢字 \x1b[7;3minv\x1b[0m \x1b[4:3;58;5;200mwavy\x1b[0m \x1b[9;2;53md\x1b[m\r\n0123456789012345678901234\x1b[?25l"

func paint(t testing.TB, text string) screen.Screen {
	t.Helper()
	v := vterm.New(vterm.Options{Cols: 20, Rows: 4})
	_, _ = v.Write([]byte(text))
	return screen.Of(v)
}

func write(t testing.TB, format string, s screen.Screen) string {
	t.Helper()
	var b bytes.Buffer
	if err := screen.Write(&b, format, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	type object = map[string]any
	type array = []any
	var got any
	if err := json.Unmarshal([]byte(write(t, "json", paint(t, sample))), &got); err != nil {
		t.Fatal(err)
	}
	run := func(text string, col, width float64, more object) object {
		o := object{"text": text, "col": col, "width": width}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	row := func(text string, wrapped bool, runs ...any) object {
		return object{"text": text, "wrapped": wrapped, "runs": append(array{}, runs...)}
	}
	want := object{
		"cols": 20., "size": object{"cols": 20., "rows": 4.}, "alt": false, "title": "a <title>",
		"cursor": object{"x": 5., "y": 3., "visible": false, "pending_wrap": false},
		"rows": array{
			row("red bg link", false, run("red", 0, 3, object{"bold": true, "fg": 1.}),
				run(" bg ", 3, 4, object{"bg": "#010203"}), run("link", 7, 4, object{"link": "http://x/?a&b"})),
			row("漢字 inv wavy d", false, run("漢字 ", 0, 5, nil), run("inv", 5, 3, object{"inverse": true, "italic": true}),
				run(" ", 8, 1, nil), run("wavy", 9, 4,
					object{"underline": true, "underline_style": "curly", "underline_color": 200.}),
				run(" ", 13, 1, nil), run("d", 14, 1, object{"dim": true, "strikethrough": true, "overline": true})),
			row("01234567890123456789", false, run("01234567890123456789", 0, 20, nil)),
			row("01234", true, run("01234", 0, 5, nil)),
		},
		"scrollback": array{row("gone", false, run("gone", 0, 4, nil))},
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	got := write(t, "text", paint(t, sample))
	want := "red bg link\n漢字 inv wavy d\n01234567890123456789\n01234\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestANSIPaintsTheSame: what the sequences paint is what they were made of.
func TestANSIPaintsTheSame(t *testing.T) {
	for _, text := range []string{sample, "", "\x1b[41m\x1b[2J\x1b[3;4Hx", "👨‍👩‍👧⚠️\x1b[38;5;9m─\x1b[4;21mdouble"} {
		s := paint(t, text)
		again := paint(t, write(t, "ansi", s))
		for y, line := range s.Lines {
			if diff := cmp.Diff(line.Runs, again.Lines[y].Runs); diff != "" {
				t.Errorf("%q: row %d (-want +got):\n%s", text, y, diff)
			}
		}
		if s.CursorX != again.CursorX || s.CursorY != again.CursorY || s.Visible != again.Visible {
			t.Errorf("%q: cursor at %d,%d, want %d,%d", text, again.CursorX, again.CursorY, s.CursorX, s.CursorY)
		}
	}
}

func TestSVG(t *testing.T) {
	got := write(t, "svg", paint(t, sample))
	dec := xml.NewDecoder(strings.NewReader(got))
	var text strings.Builder
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("no XML: %v\n%s", err, got)
		}
		if c, ok := tok.(xml.CharData); ok && strings.TrimSpace(string(c)) != "" {
			text.Write(c)
			text.WriteByte('|')
		}
	}
	if want := "a <title>|text{white-space:pre}|red| bg|link|漢字|inv|wavy|d|" +
		"01234567890123456789|01234|"; text.String() != want {
		t.Errorf("text %q, want %q", text.String(), want)
	}
	for _, want := range []string{`fill="#cd3131" font-weight="bold"`, `fill="#010203"`,
		`text-decoration="line-through overline"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := screen.Write(io.Discard, "png", paint(t, "")); err == nil {
		t.Error("png is written, want an error")
	}
}
