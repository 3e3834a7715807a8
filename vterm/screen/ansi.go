package screen

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/vterm"
)

// writeANSI writes what paints the same screen in an empty terminal of the same size: the rows with
// their styles, then the cursor.
func writeANSI(w *bufio.Writer, s Screen) {
	for y, row := range s.Lines {
		if y > 0 {
			_, _ = w.WriteString("\r\n")
		}
		for _, r := range row.Runs {
			writeRun(w, r)
		}
	}
	fmt.Fprintf(w, "\x1b[%d;%dH", s.CursorY+1, s.CursorX+1)
	if !s.Visible {
		_, _ = w.WriteString("\x1b[?25l")
	}
}

// Row returns what paints a row with its styles, from the column where the cursor is.
func Row(row *vterm.Row) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	for _, r := range row.Runs {
		writeRun(w, r)
	}
	_ = w.Flush() // a Builder does not fail
	return b.String()
}

func writeRun(w *bufio.Writer, r vterm.Run) {
	codes := sgr(r.Style)
	link := printable.Link(r.Style.Link)
	if link {
		fmt.Fprintf(w, "\x1b]8;;%s\x1b\\", r.Style.Link)
	}
	if codes != "" {
		fmt.Fprintf(w, "\x1b[%sm", codes)
	}
	_, _ = w.WriteString(printable.Text(r.Text))
	if codes != "" {
		_, _ = w.WriteString("\x1b[m")
	}
	if link {
		_, _ = w.WriteString("\x1b]8;;\x1b\\")
	}
}

// sgr is the parameters of the SGR that sets s, from the default style.
func sgr(s vterm.Style) string {
	var out []string
	for _, f := range []struct {
		on   bool
		code string
	}{
		{s.Bold, "1"}, {s.Dim, "2"}, {s.Italic, "3"}, {s.Underline == vterm.UnderlineSingle, "4"},
		{s.Underline > vterm.UnderlineSingle, "4:" + strconv.Itoa(int(s.Underline))},
		{s.Blink, "5"}, {s.Inverse, "7"}, {s.Invisible, "8"}, {s.Strikethrough, "9"}, {s.Overline, "53"},
	} {
		if f.on {
			out = append(out, f.code)
		}
	}
	for _, c := range []struct {
		base  int
		color vterm.Color
	}{{38, s.Fg}, {48, s.Bg}, {58, s.UnderlineColor}} {
		if code := colorCode(c.base, c.color); code != "" {
			out = append(out, code)
		}
	}
	return strings.Join(out, ";")
}

func colorCode(base int, c vterm.Color) string {
	switch {
	case c.Kind == vterm.ColorRGB:
		return fmt.Sprintf("%d;2;%d;%d;%d", base, c.R, c.G, c.B)
	case c.Kind == vterm.ColorPalette && c.Palette < 8 && base < 58:
		return strconv.Itoa(base - 8 + int(c.Palette))
	case c.Kind == vterm.ColorPalette:
		return fmt.Sprintf("%d;5;%d", base, c.Palette)
	}
	return ""
}
