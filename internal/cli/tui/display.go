package tui

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// display draws screens on the alternate screen of the user's terminal. It writes only lines that
// changed.
type display struct {
	out        *os.File
	cols, rows int
	drawn      []string
}

func newDisplay(out *os.File) *display {
	_, _ = out.WriteString("\x1b[?1049h\x1b[?7l\x1b[2J")
	return &display{out: out}
}

// close restores the terminal.
func (d *display) close() { _, _ = d.out.WriteString("\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l") }

// clear makes the next draw write everything.
func (d *display) clear() { d.drawn = nil }

// size reads the size of the user's terminal, in cells.
func (d *display) size() (cols, rows int) {
	cols, rows = sys.WindowSize(d.out)
	if cols != d.cols || rows != d.rows {
		d.cols, d.rows, d.drawn = cols, rows, nil
	}
	return cols, rows
}

func (d *display) draw(p *player) error {
	cols, rows := d.size()
	s := screen.Of(p.term)
	status := ""
	if rows > len(s.Lines) || p.paused || p.note != "" {
		status = statusLine(p, cols)
	}
	return d.paint(s, 0, status)
}

// paint writes what has changed: the rows of the screen from row top on, and, if status is not
// empty, a status line over the last row. size must have been called just before.
func (d *display) paint(s screen.Screen, top int, status string) error {
	want := make([]string, d.rows)
	for i := range want {
		if top+i < len(s.Lines) {
			want[i] = ansi.Truncate(screen.Row(s.Lines[top+i]), d.cols, "")
		}
	}
	if status != "" && d.rows > 0 {
		want[d.rows-1] = status
	}
	var b strings.Builder
	b.WriteString("\x1b[?2026h\x1b[?25l")
	if d.drawn == nil {
		b.WriteString("\x1b[2J")
		d.drawn = make([]string, d.rows)
	}
	for i, line := range want {
		if line != d.drawn[i] {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[m%s\x1b[m\x1b[K", i+1, line)
			d.drawn[i] = line
		}
	}
	x, y := s.CursorX, s.CursorY-top
	fmt.Fprintf(&b, "\x1b[%d;%dH", min(y+1, d.rows), min(x+1, d.cols))
	if s.Visible && y < d.rows && x < d.cols {
		b.WriteString("\x1b[?25h")
	}
	b.WriteString("\x1b[?2026l")
	_, err := d.out.WriteString(b.String())
	return err
}

func statusLine(p *player, cols int) string {
	mark := "▶"
	if p.paused {
		mark = "‖"
	}
	line := fmt.Sprintf(" %s %s / %s", mark, clockOf(p.now), clockOf(p.End()))
	if p.speed != 1 {
		line += fmt.Sprintf("  ×%.4g", p.speed)
	}
	switch {
	case p.note != "":
		line += "  " + p.note
	case p.paused:
		line += "  space: resume, ← → seek, n p messages, + - speed, q quit"
	default:
		line += "  " + p.Title
	}
	return statusText(line, cols)
}

// statusText formats a status line.
func statusText(line string, cols int) string {
	line = ansi.Truncate(printable.Text(strings.ReplaceAll(line, "\n", " ")), cols, "…")
	return "\x1b[7m" + line + strings.Repeat(" ", max(0, cols-ansi.StringWidth(line))) + "\x1b[m"
}

func clockOf(d time.Duration) string {
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
