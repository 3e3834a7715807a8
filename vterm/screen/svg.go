package screen

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/vterm"
)

// The picture's measures, in pixels.
const (
	fontSize   = 14.0
	cellWidth  = 8.4
	cellHeight = 18.0
	baseline   = 13.5 // of a row's text, below its top
	margin     = 14.0
	titleBar   = 30.0
)

const (
	defaultFg = "#d4d4d4"
	defaultBg = "#1e1e1e"
)

// writeSVG draws the screen as a window with a title, for a web page or a README. Text stays text.
func writeSVG(w *bufio.Writer, s Screen) {
	writeWindow(w, Size{s.Cols, s.Rows}, s.Title)
	_, _ = w.WriteString("\n<style>text{white-space:pre}</style>") // browsers' own rule for text goes before what g says
	fmt.Fprintf(w, "\n<g transform=\"translate(%g %g)\" xml:space=\"preserve\" style=\"white-space:pre\">\n", margin,
		titleBar)
	for y, row := range s.Lines {
		for _, r := range row.Runs {
			drawRun(w, r, y)
		}
	}
	if s.Visible {
		drawCursor(w, s)
	}
	_, _ = w.WriteString("</g>\n</svg>\n")
}

func drawCursor(w io.Writer, s Screen) {
	fmt.Fprintf(w, `<rect x="%g" y="%g" width="%g" height="%g" fill="%s" opacity="0.5"/>`+"\n",
		px(float64(s.CursorX)*cellWidth), float64(s.CursorY)*cellHeight, cellWidth, cellHeight, defaultFg)
}

// writeWindow begins a picture with a window, and its title.
func writeWindow(w *bufio.Writer, s Size, title string) {
	width := 2*margin + float64(s.Cols)*cellWidth
	height := titleBar + margin + float64(s.Rows)*cellHeight
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %[1]g %[2]g" `+
		`font-family="%s" font-size="%g">`+"\n",
		px(width), px(height), "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK "+
			"SC',monospace", fontSize)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", defaultBg)
	for i, c := range []string{"#ff5f56", "#ffbd2e", "#27c93f"} {
		fmt.Fprintf(w, `<circle cx="%d" cy="15" r="5.5" fill="%s"/>`, 18+18*i, c)
	}
	if title != "" {
		fmt.Fprintf(w, `<text x="%g" y="19" fill="#9d9d9d" text-anchor="middle">%s</text>`, px(width/2), escape(title))
	}
}

// px rounds a measure so that it is short.
func px(v float64) float64 { return float64(int(v*100+0.5)) / 100 }

func drawRun(w *bufio.Writer, r vterm.Run, y int) {
	fg, bg := svgColors(r.Style)
	x, top, width := float64(r.Col)*cellWidth, float64(y)*cellHeight, float64(r.Width)*cellWidth
	if bg != "" {
		fmt.Fprintf(w, `<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>`, px(x), top, px(width), cellHeight, bg)
	}
	text := strings.TrimRight(r.Text, " ")
	lined := r.Style.Underline != 0 || r.Style.Strikethrough || r.Style.Overline
	if lined {
		text = r.Text
	}
	if r.Style.Invisible || text == "" {
		return
	}
	// A run without blanks at its end is as many columns narrower.
	width -= float64(len(r.Text)-len(text)) * cellWidth
	fmt.Fprintf(w, `<text x="%g" y="%g" textLength="%g" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
		px(x), top+baseline, px(width), fg, svgStyle(r.Style), escape(text))
}

// svgColors returns the colours of the text and of its background. bg is empty if it is the
// window's.
func svgColors(s vterm.Style) (fg, bg string) {
	fg, bg = svgColor(s.Fg, defaultFg), svgColor(s.Bg, "")
	if s.Inverse {
		fg, bg = svgColor(s.Bg, defaultBg), fg
	}
	return fg, bg
}

func svgStyle(s vterm.Style) string {
	var b strings.Builder
	if s.Bold {
		b.WriteString(` font-weight="bold"`)
	}
	if s.Italic {
		b.WriteString(` font-style="italic"`)
	}
	if s.Dim {
		b.WriteString(` opacity="0.6"`)
	}
	var lines []string
	if s.Underline != vterm.UnderlineNone {
		lines = append(lines, "underline")
	}
	if s.Strikethrough {
		lines = append(lines, "line-through")
	}
	if s.Overline {
		lines = append(lines, "overline")
	}
	if len(lines) > 0 {
		fmt.Fprintf(&b, ` text-decoration="%s"`, strings.Join(lines, " "))
	}
	return b.String()
}

// escape makes s the text of an element: XML's special characters, and none that XML forbids.
func escape(s string) string {
	return xmlEscaper.Replace(strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, printable.Text(s)))
}

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
