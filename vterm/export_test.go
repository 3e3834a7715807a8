package vterm

import (
	"fmt"
	"strings"
)

// RefAttrs and RefWidths tell the rows' styles and cell widths in xtref.mjs's words, from the cells
// themselves: what a Row leaves out as invisible is compared, too.
func (t *Term) RefAttrs() (screen, scrollback []string) {
	return t.refRows(t.refAttrs)
}

// RefWidths is empty for a row whose cells are all one column wide.
func (t *Term) RefWidths() (screen, scrollback []string) {
	return t.refRows(t.refWidths)
}

func (t *Term) refRows(of func(*line) string) (screen, scrollback []string) {
	screen, scrollback = []string{}, []string{}
	for _, l := range t.scr.rows {
		screen = append(screen, of(l))
	}
	for i := range t.sb.n {
		scrollback = append(scrollback, of(t.sb.at(i)))
	}
	return screen, scrollback
}

func (t *Term) refAttrs(l *line) string {
	var out []string
	n, last := 0, ""
	for x := range t.cols {
		s := refStyle(t.styles.styles[l.at(x).attr&styleMask])
		if n > 0 && s != last {
			out = append(out, fmt.Sprintf("%d*%s", n, last))
			n = 0
		}
		n, last = n+1, s
	}
	if last != "-/-/" {
		out = append(out, fmt.Sprintf("%d*%s", n, last))
	}
	return strings.Join(out, " ")
}

// refStyle is a style as xtref.mjs writes it. xterm.js underlines links.
func refStyle(s Style) string {
	var b strings.Builder
	b.WriteString(refColor(s.Fg) + "/" + refColor(s.Bg) + "/")
	for _, f := range []struct {
		on   bool
		name string
	}{
		{s.Bold, "b"}, {s.Dim, "d"}, {s.Italic, "i"}, {s.Underline != 0 || s.Link != "", "u"}, {s.Blink, "k"},
		{s.Inverse, "v"}, {s.Invisible, "h"}, {s.Strikethrough, "s"}, {s.Overline, "o"},
	} {
		if f.on {
			b.WriteString(f.name)
		}
	}
	return b.String()
}

func refColor(c Color) string {
	switch c.Kind {
	case ColorPalette:
		return fmt.Sprintf("p%d", c.Palette)
	case ColorRGB:
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return "-"
}

func (t *Term) refWidths(l *line) string {
	var b strings.Builder
	last, odd := 0, false
	for x := range t.cols {
		c := l.at(x)
		w := c.width()
		b.WriteByte(byte('0' + w))
		odd = odd || w != 1
		if c.ch != 0 && c.ch != ' ' {
			last = x + max(w, 1)
		}
	}
	if !odd {
		return ""
	}
	return b.String()[:min(last, t.cols)]
}
