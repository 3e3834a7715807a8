package row

import (
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

// Grey reports whether text is subdued: dim, or in the themes' grey.
func Grey(s vterm.Style) bool {
	if s.Dim {
		return true
	}
	if s.Fg.Kind == vterm.ColorPalette && s.Fg.Palette < 16 {
		return s.Fg.Palette == 8 || s.Fg.Palette == 7
	}
	r, g, b, ok := Rgb(s.Fg)
	return ok && max(r, g, b)-min(r, g, b) < 24 && r > 0x30 && r < 0xd8
}

// Plain reports whether text is in the colour of ordinary text: the default, black or white.
func Plain(c vterm.Color) bool {
	if c.Kind == vterm.ColorPalette && c.Palette < 16 {
		return c.Palette == 0 || c.Palette == 7 || c.Palette == 15
	}
	r, g, b, ok := Rgb(c)
	return !ok || max(r, g, b)-min(r, g, b) < 16 && (r >= 0xd8 || r <= 0x30)
}

// Red and greenish tell a marker that says how a call ended.
func Red(c vterm.Color) bool {
	if c.Kind == vterm.ColorPalette && c.Palette < 16 {
		return c.Palette == 1 || c.Palette == 9
	}
	r, g, b, ok := Rgb(c)
	return ok && r > g+40 && r > b+40
}
