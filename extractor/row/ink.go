package row

import (
	"slices"

	"github.com/ptyrec/ptyrec/vterm"
)

// Rgb returns the RGB values of a colour, also for the cube and the greys of the 256-colour
// palette. For the default colour and the terminal's own sixteen it returns 0. Only a palette
// colour has a Palette.
func Rgb(c vterm.Color) (r, g, b int) {
	switch n := int(c.Palette) - 16; {
	case n >= 216:
		v := 8 + 10*(n-216)
		return v, v, v
	case n >= 0:
		step := [...]int{0, 95, 135, 175, 215, 255}
		return step[n/36], step[n/6%6], step[n%6]
	}
	return int(c.R), int(c.G), int(c.B)
}

// Shows reports whether a terminal shows colour c, whose RGB values are known, as a: exactly, or as
// the nearest of a palette of 256.
func Shows(a, c vterm.Color) bool {
	if a.Kind != vterm.ColorPalette {
		return a == c
	}
	r, g, b := Rgb(a)
	near := func(a int, b uint8) bool { return max(a-int(b), int(b)-a) <= 32 }
	return near(r, c.R) && near(g, c.G) && near(b, c.B)
}

// isOf reports whether a colour is one of these of the terminal's own sixteen, except for black.
func isOf(c vterm.Color, these ...uint8) bool { return slices.Contains(these, c.Palette) }

// Grey reports whether text is subdued: dim, or in the themes' grey.
func Grey(s vterm.Style) bool {
	r, g, b := Rgb(s.Fg)
	return s.Dim || isOf(s.Fg, 7, 8) || max(r, g, b)-min(r, g, b) < 24 && r > 0x30 && r < 0xd8
}

// Plain reports whether text is in the colour of ordinary text: the default, black or white.
func Plain(c vterm.Color) bool {
	r, g, b := Rgb(c)
	return max(r, g, b)-min(r, g, b) < 16 && (r >= 0xd8 || r <= 0x30) &&
		!isOf(c, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14)
}

// Red reports whether a colour is red, the colour of failed calls.
func Red(c vterm.Color) bool {
	r, g, b := Rgb(c)
	return isOf(c, 1, 9) || r > g+40 && r > b+40
}

// Green reports whether a colour is green, the colour of successful calls.
func Green(c vterm.Color) bool {
	r, g, b := Rgb(c)
	return isOf(c, 2, 10) || g > r+40 && g > b+40
}
