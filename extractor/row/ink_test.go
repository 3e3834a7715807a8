package row

import (
	"testing"

	"github.com/ptyrec/ptyrec/vterm"
)

// TestInk reads colours: of the terminal's sixteen, of the palette's cube and greys, and of three
// parts.
func TestInk(t *testing.T) {
	palette := func(n uint8) vterm.Color { return vterm.Color{Kind: vterm.ColorPalette, Palette: n} }
	rgb := func(r, g, b uint8) vterm.Color { return vterm.Color{Kind: vterm.ColorRGB, R: r, G: g, B: b} }
	for _, tt := range []struct {
		name             string
		c                vterm.Color
		grey, plain, red bool
	}{
		{"default", vterm.Color{}, false, true, false},
		{"black", palette(0), false, true, false},
		{"red", palette(1), false, false, true},
		{"green", palette(2), false, false, false},
		{"white", palette(7), true, true, false},
		{"bright black", palette(8), true, false, false},
		{"red of the cube", palette(160), false, false, true},
		{"grey of the palette", palette(244), true, false, false},
		{"lightest grey", palette(255), false, true, false},
		{"pink", rgb(255, 100, 100), false, false, true},
		{"orange", rgb(255, 220, 0), false, false, false},
		{"magenta", rgb(255, 0, 255), false, false, false},
		{"blue", rgb(40, 60, 220), false, false, false},
		{"grey", rgb(150, 150, 150), true, false, false},
	} {
		if g, p, r := Grey(vterm.Style{Fg: tt.c}), Plain(tt.c), Red(tt.c); g != tt.grey || p != tt.plain || r != tt.red {
			t.Errorf("%s: grey %v, plain %v, red %v", tt.name, g, p, r)
		}
	}
}

// TestShows compares colours with what a palette of 256 makes of them.
func TestShows(t *testing.T) {
	green := vterm.Color{Kind: vterm.ColorRGB, R: 0x7f, G: 0xd8, B: 0x8f}
	for _, tt := range []struct {
		c    vterm.Color
		want bool
	}{
		{green, true},
		{vterm.Color{Kind: vterm.ColorRGB, R: 0x7f, G: 0xd8, B: 0x90}, false},
		{vterm.Color{Kind: vterm.ColorPalette, Palette: 114}, true},
		{vterm.Color{Kind: vterm.ColorPalette, Palette: 150}, false}, // more red
		{vterm.Color{Kind: vterm.ColorPalette, Palette: 108}, false}, // less green
		{vterm.Color{Kind: vterm.ColorPalette, Palette: 116}, false}, // more blue
		{vterm.Color{Kind: vterm.ColorPalette, Palette: 2}, false},
		{vterm.Color{}, false},
	} {
		if got := Shows(tt.c, green); got != tt.want {
			t.Errorf("%v is shown for %v: %v", tt.c, green, got)
		}
	}
}

// TestSpanBounds cuts nothing, and asks for what is not there.
func TestSpanBounds(t *testing.T) {
	spans := []Span{{Text: "some text", Width: 9}}
	if got := Cut(spans, 5, 3); len(got) > 0 {
		t.Errorf("cut %q from 5 to 3", Text(got))
	}
	if Blanks(-1) != "" || len(Blanks(100)) != 100 {
		t.Errorf("%q, %q", Blanks(-1), Blanks(100))
	}
	for _, tt := range [][3]string{{"é", "è", ""}, {"aé", "aè", "a"}, {"ab", "a", "a"}, {"a", "ab", "a"}, {"", "a", ""}} {
		if got := CommonStart(tt[0], tt[1]); got != tt[2] {
			t.Errorf("in common of %q and %q: %q", tt[0], tt[1], got)
		}
	}
	// a terminal with the widths of Unicode 11 takes a newer sign to be narrow
	if got := Text(Cut([]Span{{Text: "a🥲b", Width: 3}}, 1, 2)); got != "🥲" {
		t.Errorf("cut %q", got)
	}
	// a letter behind a virama has a cell of its own
	if got := Text(Cut([]Span{{Text: "  परीक्षण", Width: 7}}, 2, 7)); got != "परीक्षण" {
		t.Errorf("cut %q", got)
	}
	if IsRule("────────x") {
		t.Error("a row with a letter is a rule")
	}
	apart := &vterm.Row{Text: "  a  b", Runs: []vterm.Run{{Text: "a", Col: 2, Width: 1,
		Style: vterm.Style{Bg: vterm.Color{Kind: vterm.ColorPalette}}}, {Text: "b", Col: 5, Width: 1}}}
	if got := Text(Spans(apart, 0, -1, nil)); got != apart.Text || HasBackground(Line{Row: apart}) {
		t.Errorf("spans %q", got)
	}
}
