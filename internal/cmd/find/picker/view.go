package picker

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/internal/cli/listing"
)

// now returns the time, for days such as "yesterday".
var now = time.Now

// Widths from which more is shown, in columns.
const (
	besideWidth = 100 // from this width, the preview is beside the list, otherwise below it
	whenWidth   = 50  // width of a list that shows times
	agentWidth  = 70
	folderWidth = 100
)

// layout is the division of the window, in cells. The query is on the first row.
type layout struct {
	listCols, listRows       int
	previewCols, previewRows int  // 0 if there is none
	beside                   bool // whether the preview is to the right of the list
	help                     []string
}

func (m *model) layout() layout {
	l := layout{help: m.help()}
	body := max(1, m.height-1-len(l.help))
	if m.width >= besideWidth && body >= 4 {
		l.beside = true
		l.listCols, l.listRows = m.width/2, body
		l.previewCols, l.previewRows = m.width-l.listCols-2, body
		return l
	}
	l.listCols, l.listRows = m.width, body
	if body >= 8 {
		l.listRows = max(4, body*2/5)
		l.previewCols, l.previewRows = m.width, body-l.listRows-1
	}
	return l
}

// help returns the last lines of the window: the keys, a question, or a note.
func (m *model) help() []string {
	switch m.asks {
	case tags:
		return []string{"tags (-TAG removes one): " + string(m.answer.text)}
	case file:
		return []string{"export to (.md .html .json .cast …): " + string(m.answer.text)}
	case deletion:
		return []string{m.paint("1;31", "delete it? y/N") + "  " + short(m.about) + " " + m.about.title}
	}
	if m.note != "" {
		if m.bad {
			return []string{m.paint("31", m.note)}
		}
		return []string{m.note}
	}
	var words []string
	for _, b := range bindings {
		if r := m.row(); r != nil && (b.can == nil || b.can(r)) {
			words = append(words, strings.Replace(b.key, "ctrl+", "^", 1)+" "+b.name)
		}
	}
	words = append(words, "esc quit")
	lines := wrap(words, m.width)
	if m.height < 14 {
		lines = lines[:1]
	}
	return lines
}

func short(r *row) string { return listing.ShortID(r.info.ID) }

// wrap arranges words in lines of at most cols columns, separated by two spaces.
func wrap(words []string, cols int) (lines []string) {
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case ansi.StringWidth(line)+2+ansi.StringWidth(word) <= cols:
			line += "  " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// View draws the window.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	if m.width < 1 || m.height < 1 {
		return v
	}
	l := m.layout()
	lines := []string{m.queryLine()}
	list, preview := m.list(l), m.previewPart(l)
	for i, line := range list {
		if l.beside {
			line = fit(line, l.listCols) + m.paint("2", "│") + " " + preview[i]
		}
		lines = append(lines, line)
	}
	if !l.beside && l.previewRows > 0 {
		lines = append(lines, m.paint("2", strings.Repeat("─", m.width)))
		lines = append(lines, preview...)
	}
	for i, line := range l.help {
		if m.asks == tags || m.asks == file {
			line = tailOf(line, m.width-1)
			v.Cursor = tea.NewCursor(ansi.StringWidth(line), m.height-len(l.help)+i)
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "")
	}
	v.SetContent(strings.Join(lines[:min(len(lines), m.height)], "\n"))
	if v.Cursor == nil && m.asks == nothing {
		v.Cursor = tea.NewCursor(min(m.width-1, ansi.StringWidth(tailOf("> "+string(m.query.text), m.queryCols()))), 0)
	}
	return v
}

// tailOf returns the end of a line that is wider than cols columns. The cursor is at its end.
func tailOf(line string, cols int) string {
	if w := ansi.StringWidth(line); w > cols {
		return ansi.TruncateLeft(line, w-max(0, cols), "")
	}
	return line
}

func (m *model) count() string {
	switch {
	case !m.loaded:
		return "…"
	case !m.all:
		return fmt.Sprintf("%d/%d…", len(m.shown), len(m.rows))
	}
	return fmt.Sprintf("%d/%d", len(m.shown), len(m.rows))
}

func (m *model) queryCols() int { return max(1, m.width-len(m.count())-2) }

func (m *model) queryLine() string {
	return fit(tailOf("> "+string(m.query.text), m.queryCols()), m.width-ansi.StringWidth(m.count())) +
		m.paint("2", m.count())
}

// fit pads or cuts a line to exactly cols columns.
func fit(line string, cols int) string {
	line = ansi.Truncate(line, max(0, cols), "…")
	return line + strings.Repeat(" ", max(0, cols-ansi.StringWidth(line)))
}

// list returns the rows of the list.
func (m *model) list(l layout) []string {
	m.top = max(min(m.top, m.cursor), m.cursor-l.listRows+1, 0)
	m.top = max(0, min(m.top, len(m.shown)-l.listRows))
	lines := make([]string, l.listRows)
	for i := range lines {
		if at := m.top + i; at < len(m.shown) {
			lines[i] = m.listLine(m.shown[at], at == m.cursor, l.listCols)
		}
	}
	if len(m.shown) == 0 && m.loaded {
		lines[0] = "  no session matches"
	}
	return lines
}

func (m *model) listLine(r *row, chosen bool, cols int) string {
	mark := "  "
	if chosen {
		mark = "▌ "
	}
	left, right := "", ""
	if cols >= whenWidth {
		left = fit(listing.Day(r.info.StartedAt.Local(), now()), 17)
	}
	if cols >= agentWidth && r.agent != "" {
		right += "  " + r.agent
	}
	if cols >= folderWidth && r.folder != "" {
		right += "  " + r.folder
	}
	if r.status != "" && cols >= whenWidth {
		right += "  " + r.status
	}
	title := r.title
	if r.live {
		title = "● " + title
	}
	room := max(cols-2-ansi.StringWidth(left)-ansi.StringWidth(right)-1, 10)
	line := fit(mark+left+fit(title, room)+right, cols-1)
	if chosen {
		return m.paint("7", line)
	}
	if r.live {
		return m.paint("32", line)
	}
	return line
}

// previewPart returns the rows of the preview.
func (m *model) previewPart(l layout) []string {
	out := make([]string, l.previewRows)
	lines := m.previewLines(l.previewCols)
	m.preview.top = max(0, min(m.preview.top, len(lines)-l.previewRows))
	for i := range out {
		if at := m.preview.top + i; at < len(lines) {
			out[i] = ansi.Truncate(lines[at], l.previewCols, "…")
		}
	}
	return out
}

func (m *model) paint(sgr, text string) string {
	if !m.Color && sgr != "7" || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[m"
}
