package row

import (
	"slices"

	"github.com/ptyrec/ptyrec/vterm"
)

// Rgb returns a colour's parts where it has them; the 256-colour palette's cube and greys count.
func Rgb(c vterm.Color) (r, g, b int, ok bool) {
	if c.Kind == vterm.ColorPalette && c.Palette >= 16 {
		if c.Palette >= 232 {
			v := 8 + 10*(int(c.Palette)-232)
			return v, v, v, true
		}
		n := int(c.Palette) - 16
		step := [...]int{0, 95, 135, 175, 215, 255}
		return step[n/36], step[n/6%6], step[n%6], true
	}
	return int(c.R), int(c.G), int(c.B), c.Kind == vterm.ColorRGB
}

// basic reports whether a colour is one of the terminal's own sixteen, and in whether it is one of
// these.
func basic(c vterm.Color, these ...uint8) (in, ok bool) {
	ok = c.Kind == vterm.ColorPalette && c.Palette < 16
	return ok && slices.Contains(these, c.Palette), ok
}

// Grey reports whether text is subdued: dim, or in the themes' grey.
func Grey(s vterm.Style) bool {
	if s.Dim {
		return true
	}
	if in, ok := basic(s.Fg, 7, 8); ok {
		return in
	}
	r, g, b, ok := Rgb(s.Fg)
	return ok && max(r, g, b)-min(r, g, b) < 24 && r > 0x30 && r < 0xd8
}

// Plain reports whether text is in the colour of ordinary text: the default, black or white.
func Plain(c vterm.Color) bool {
	if in, ok := basic(c, 0, 7, 15); ok {
		return in
	}
	r, g, b, ok := Rgb(c)
	return !ok || max(r, g, b)-min(r, g, b) < 16 && (r >= 0xd8 || r <= 0x30)
}

// Red reports whether a colour is red, as what says that a call failed.
func Red(c vterm.Color) bool {
	if in, ok := basic(c, 1, 9); ok {
		return in
	}
	r, g, b, ok := Rgb(c)
	return ok && r > g+40 && r > b+40
}
