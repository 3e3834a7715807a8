package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/vterm"
)

// A document is a screen in JSON. rows are the screen's rows; size holds the window's height.
type document struct {
	Cols       int    `json:"cols"`
	Size       size   `json:"size"`
	Cursor     cursor `json:"cursor"`
	Alt        bool   `json:"alt"`
	Title      string `json:"title"`
	Rows       []row  `json:"rows"`
	Scrollback []row  `json:"scrollback"`
}

type size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

type cursor struct {
	X           int  `json:"x"`
	Y           int  `json:"y"`
	Visible     bool `json:"visible"`
	PendingWrap bool `json:"pending_wrap"`
}

type row struct {
	Text    string `json:"text"`
	Wrapped bool   `json:"wrapped"`
	Runs    []run  `json:"runs"`
}

// run is a stretch of one style. Colours are a number, 0 to 255, for one of the palette, or
// "#rrggbb"; the default one is left out, as is every attribute that is not set.
type run struct {
	Text           string `json:"text"`
	Col            int    `json:"col"`
	Width          int    `json:"width"`
	Fg             any    `json:"fg,omitempty"`
	Bg             any    `json:"bg,omitempty"`
	Bold           bool   `json:"bold,omitempty"`
	Dim            bool   `json:"dim,omitempty"`
	Italic         bool   `json:"italic,omitempty"`
	Underline      bool   `json:"underline,omitempty"`
	UnderlineStyle string `json:"underline_style,omitempty"` // double, curly, dotted, dashed
	UnderlineColor any    `json:"underline_color,omitempty"`
	Blink          bool   `json:"blink,omitempty"`
	Inverse        bool   `json:"inverse,omitempty"`
	Invisible      bool   `json:"invisible,omitempty"`
	Strikethrough  bool   `json:"strikethrough,omitempty"`
	Overline       bool   `json:"overline,omitempty"`
	Link           string `json:"link,omitempty"`
}

func writeJSON(w io.Writer, s Screen) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(document{
		Cols: s.Cols, Size: size{s.Cols, s.Rows}, Alt: s.Alt, Title: s.Title,
		Cursor: cursor{s.CursorX, s.CursorY, s.Visible, s.PendingWrap},
		Rows:   rowsOf(s.Lines), Scrollback: rowsOf(s.Scrollback),
	})
	if err == nil {
		_, err = w.Write(printable.JSON(nil, b.Bytes()))
	}
	return err
}

func rowsOf(lines []*vterm.Row) []row {
	out := make([]row, len(lines))
	for i, l := range lines {
		out[i] = row{Text: l.Text, Wrapped: l.Wrapped, Runs: make([]run, len(l.Runs))}
		for j, r := range l.Runs {
			out[i].Runs[j] = runOf(r)
		}
	}
	return out
}

func runOf(r vterm.Run) run {
	s := r.Style
	return run{
		Text: r.Text, Col: r.Col, Width: r.Width, Fg: colorOf(s.Fg), Bg: colorOf(s.Bg),
		Bold: s.Bold, Dim: s.Dim, Italic: s.Italic, Blink: s.Blink, Inverse: s.Inverse,
		Invisible: s.Invisible, Strikethrough: s.Strikethrough, Overline: s.Overline,
		Underline: s.Underline != vterm.UnderlineNone, UnderlineStyle: underlineOf(s.Underline),
		UnderlineColor: colorOf(s.UnderlineColor), Link: s.Link,
	}
}

func colorOf(c vterm.Color) any {
	switch c.Kind {
	case vterm.ColorPalette:
		return c.Palette
	case vterm.ColorRGB:
		return hex(c.R, c.G, c.B)
	}
	return nil
}

func hex(r, g, b uint8) string { return fmt.Sprintf("#%02x%02x%02x", r, g, b) }

// underlineOf names the underlines that are not a plain line.
func underlineOf(u vterm.Underline) string {
	return [...]string{
		vterm.UnderlineDouble: "double", vterm.UnderlineCurly: "curly",
		vterm.UnderlineDotted: "dotted", vterm.UnderlineDashed: "dashed",
	}[u]
}
