package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/screen"
)

// display draws screens on the user's terminal, of which it takes the alternate screen. Only lines that changed are written.
type display struct {
	out        *os.File
	cols, rows int
	drawn      []string
}

func newDisplay(out *os.File) *display {
	_, _ = out.WriteString("\x1b[?1049h\x1b[?7l\x1b[2J")
	return &display{out: out}
}

// close gives the terminal back as it was.
func (d *display) close() { _, _ = d.out.WriteString("\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l") }

// clear makes the next draw write everything.
func (d *display) clear() { d.drawn = nil }

func (d *display) draw(p *player) error {
	cols, rows, err := term.GetSize(int(d.out.Fd()))
	if err != nil {
		cols, rows = 80, 24
	}
	if cols != d.cols || rows != d.rows {
		d.cols, d.rows, d.drawn = cols, rows, nil
	}
	s := screen.Of(p.term)
	lines, err := screenLines(s)
	if err != nil {
		return err
	}
	status := rows > len(lines) || p.paused || p.note != ""
	want := make([]string, rows)
	for i := range want {
		if i < len(lines) {
			want[i] = ansi.Truncate(lines[i], cols, "")
		}
	}
	if status && rows > 0 {
		want[rows-1] = statusLine(p, cols)
	}
	var b strings.Builder
	b.WriteString("\x1b[?2026h\x1b[?25l")
	if d.drawn == nil {
		b.WriteString("\x1b[2J")
		d.drawn = make([]string, rows)
	}
	for i, line := range want {
		if line != d.drawn[i] {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[m%s\x1b[m\x1b[K", i+1, line)
			d.drawn[i] = line
		}
	}
	fmt.Fprintf(&b, "\x1b[%d;%dH", min(s.CursorY+1, rows), min(s.CursorX+1, cols))
	if s.Visible && s.CursorY < rows && s.CursorX < cols {
		b.WriteString("\x1b[?25h")
	}
	b.WriteString("\x1b[?2026l")
	_, err = d.out.WriteString(b.String())
	return err
}

// screenLines gives the rows of a screen with their styles.
func screenLines(s screen.Screen) ([]string, error) {
	var b bytes.Buffer
	if err := screen.Write(&b, "ansi", s); err != nil {
		return nil, err
	}
	text := b.String()
	if at := strings.LastIndex(text, fmt.Sprintf("\x1b[%d;%dH", s.CursorY+1, s.CursorX+1)); at >= 0 {
		text = text[:at]
	}
	return strings.Split(text, "\r\n"), nil
}

func statusLine(p *player, cols int) string {
	mark := "▶"
	if p.paused {
		mark = "‖"
	}
	line := fmt.Sprintf(" %s %s / %s", mark, clockOf(p.now), clockOf(p.end()))
	if p.speed != 1 {
		line += fmt.Sprintf("  ×%.4g", p.speed)
	}
	switch {
	case p.note != "":
		line += "  " + p.note
	case p.paused:
		line += "  space: go on, ← → seek, n p messages, + - speed, q leave"
	default:
		line += "  " + p.title
	}
	line = ansi.Truncate(line, cols, "…")
	return "\x1b[7m" + line + strings.Repeat(" ", max(0, cols-ansi.StringWidth(line))) + "\x1b[m"
}

func clockOf(d time.Duration) string {
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
