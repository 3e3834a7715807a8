package screen

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// Frame is a screen of a film, and when it appears.
type Frame struct {
	Screen
	At time.Duration
}

// WriteFilm writes frames as an animated SVG, which ends at a time and begins again. It has no
// script: the frames are one below the other, and a CSS animation moves them past a window. Where
// nothing is animated the first frame is seen, and the last one by those who want no motion. There
// is at least one frame.
func WriteFilm(w io.Writer, frames []Frame, end time.Duration) error {
	cols, rows := 0, 0
	for _, f := range frames {
		cols, rows = max(cols, f.Cols), max(rows, f.Rows)
	}
	f := film{ids: map[string]int{}, height: float64(rows) * cellHeight,
		total: max(end, frames[len(frames)-1].At+time.Millisecond)}
	f.draw(frames)
	out := bufio.NewWriter(w)
	writeWindow(out, Size{cols, rows}, frames[len(frames)-1].Title)
	fmt.Fprintf(out, "\n<style>text{white-space:pre}.film{animation:film %.3fs step-end infinite}@keyframes film{%s}\n"+
		"@media (prefers-reduced-motion:reduce){.film{animation:none;transform:translateY(%gpx)}}</style>\n",
		f.total.Seconds(), f.keys.String(), f.top(len(frames)-1))
	fmt.Fprintf(out, "<defs>\n%s</defs>\n", f.defs.String())
	fmt.Fprintf(out, `<svg x="%g" y="%g" width="%g" height="%g" overflow="hidden"><g class="film" xml:space="preserve" `+
		`style="white-space:pre">`+"\n", margin, titleBar, px(float64(cols)*cellWidth), f.height)
	_, _ = out.Write(f.body.Bytes())
	_, _ = out.WriteString("</g></svg>\n</svg>\n")
	return out.Flush()
}

// Size is that of a window, in cells.
type Size struct{ Cols, Rows int }

// film is what is written of frames. Each row is there once.
type film struct {
	ids        map[string]int // of a row, by how it is drawn
	defs, body bytes.Buffer
	keys       strings.Builder
	height     float64 // of a frame, in pixels
	total      time.Duration
}

// top is where the strip is while a frame is shown.
func (f *film) top(i int) float64 { return px(-float64(i) * f.height) }

func (f *film) draw(frames []Frame) {
	for i, frame := range frames {
		fmt.Fprintf(&f.keys, "%.4f%%{transform:translateY(%gpx)}", 100*frame.At.Seconds()/f.total.Seconds(), f.top(i))
		fmt.Fprintf(&f.body, `<g transform="translate(0 %g)">`, -f.top(i))
		for y, row := range frame.Lines {
			var b bytes.Buffer
			drawn := bufio.NewWriter(&b)
			for _, r := range row.Runs {
				drawRun(drawn, r, 0)
			}
			_ = drawn.Flush() // into memory
			if b.Len() == 0 {
				continue
			}
			id, there := f.ids[b.String()]
			if !there {
				id = len(f.ids)
				f.ids[b.String()] = id
				fmt.Fprintf(&f.defs, "<g id=\"r%d\">%s</g>\n", id, b.String())
			}
			fmt.Fprintf(&f.body, `<use href="#r%d" y="%g"/>`, id, float64(y)*cellHeight)
		}
		if frame.Visible {
			drawCursor(&f.body, frame.Screen)
		}
		f.body.WriteString("</g>\n")
	}
}
