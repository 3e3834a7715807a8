package screen

import "github.com/ptyrec/ptyrec/vterm"

// ansi16 are the first 16 colours of the palette, as VS Code's dark theme has them.
var ansi16 = [16]string{
	"#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
	"#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
}

// svgColor is c in a picture; the default colour is def.
func svgColor(c vterm.Color, def string) string {
	switch {
	case c.Kind == vterm.ColorRGB:
		return hex(c.R, c.G, c.B)
	case c.Kind == vterm.ColorDefault:
		return def
	case c.Palette < 16:
		return ansi16[c.Palette]
	case c.Palette >= 232: // a ramp of greys
		v := 8 + 10*(c.Palette-232)
		return hex(v, v, v)
	}
	n := c.Palette - 16 // a cube of 6x6x6
	return hex(cube(n/36), cube(n/6%6), cube(n%6))
}

func cube(n uint8) uint8 {
	if n == 0 {
		return 0
	}
	return 55 + 40*n
}
