package picker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// firstSessions is the number of sessions to show before all of them are loaded.
const firstSessions = 200

// previewEntries is the number of entries in a preview.
const previewEntries = 60

// asking is the question in the last line of the window.
type asking int

const (
	nothing asking = iota
	tags
	file     // the file to export to
	deletion // a confirmation
)

// model is the state of a running picker. Only bubbletea's event loop uses it.
type model struct {
	*Picker
	jobs *jobs

	width, height int
	query         field
	rows          []*row // all sessions
	shown         []*row // sessions that match the query
	filtered      string // the query for which shown is valid
	cursor        int    // index in shown
	top           int    // index in shown of the first row of the list
	all           bool   // rows contains all sessions
	loaded        bool
	wanted        string // id of the session to select once it is loaded
	moved         bool   // whether the user moved the cursor or typed

	preview preview
	asks    asking
	about   *row // session that the question is about
	answer  field
	note    string
	bad     bool // note is an error

	choice Choice
	failed error
}

// preview is the preview of a session's conversation.
type preview struct {
	id      string
	entries []*session.Entry
	err     error
	ready   bool
	top     int // first visible line
	stop    context.CancelFunc
	width   int // of the lines, in columns
	lines   []string
}

type (
	sessionsMsg struct {
		rows []*row
		all  bool
		err  error
	}
	entriesMsg struct {
		id      string
		entries []*session.Entry
		err     error
	}
	taggedMsg struct {
		row  *row
		tags []string
		err  error
	}
	deletedMsg struct {
		row *row
		err error
	}
	exportedMsg struct {
		path string
		err  error
	}
)

func newModel(p *Picker, j *jobs) *model {
	m := &model{Picker: p, jobs: j, wanted: p.chosen}
	m.query.add(p.query)
	m.note, m.bad = printable.Line(p.Note), true
	return m
}

// Init loads the newest sessions.
func (m *model) Init() tea.Cmd { return m.load(firstSessions) }

func (m *model) load(limit int) tea.Cmd {
	return m.jobs.do(func(ctx context.Context) tea.Msg {
		infos, err := m.Sessions(ctx, limit)
		sockets := m.Sockets()
		rows := make([]*row, len(infos))
		for i, info := range infos {
			rows[i] = newRow(info, sockets)
			rows[i].at = i
		}
		return sessionsMsg{rows, limit == 0 || len(infos) < limit, err}
	})
}

// Update handles a message from the terminal or from a job.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case syscall.Signal:
		m.failed = &SignalError{msg}
		return m, tea.Quit
	case sessionsMsg:
		return m, m.take(msg)
	case entriesMsg:
		if msg.id == m.preview.id && !errors.Is(msg.err, context.Canceled) {
			m.preview.entries, m.preview.err, m.preview.ready, m.preview.lines = msg.entries, msg.err, true, nil
		}
	case taggedMsg:
		m.say("", msg.err)
		if msg.err == nil {
			info := *msg.row.info // others may be reading it
			info.Tags = msg.tags
			at := msg.row.at
			*msg.row = *newRow(&info, m.Sockets())
			msg.row.at = at
			m.say("tags: "+strings.Join(msg.tags, ", "), nil)
		}
	case deletedMsg:
		m.say("deleted", msg.err)
		if msg.err == nil {
			m.rows = slices.DeleteFunc(m.rows, func(r *row) bool { return r == msg.row })
			return m, m.refilter(false)
		}
	case exportedMsg:
		m.say("written to "+printable.Line(msg.path), msg.err)
	case tea.PasteMsg:
		return m, m.typed(msg.Content)
	case tea.KeyPressMsg:
		return m, m.press(msg)
	}
	return m, nil
}

// say shows a note or an error in the last line until the next key.
func (m *model) say(note string, err error) {
	m.note, m.bad = note, err != nil
	if err != nil {
		m.note = printable.Line(err.Error())
	}
}

// take shows the sessions that were loaded.
func (m *model) take(msg sessionsMsg) tea.Cmd {
	if msg.err != nil && len(msg.rows) == 0 {
		m.failed = msg.err
		return tea.Quit
	}
	if msg.err != nil {
		m.say("", msg.err)
	}
	if m.all { // a late result of the first load
		return nil
	}
	keep := m.chosenID()
	if !m.moved && m.wanted != "" {
		keep = m.wanted
	}
	m.rows, m.all, m.loaded = msg.rows, msg.all, true
	m.choose(m.rows)
	if i := slices.IndexFunc(m.shown, func(r *row) bool { return r.info.ID == keep }); i >= 0 &&
		(m.moved || keep == m.wanted) {
		m.cursor = i
	}
	m.cursor = max(0, min(m.cursor, len(m.shown)-1))
	next := m.look()
	if !m.all {
		return tea.Batch(next, m.load(0))
	}
	return next
}

// choose shows the rows that match the query.
func (m *model) choose(from []*row) {
	m.filtered = string(m.query.text)
	m.shown = filter(from, m.filtered)
}

// refilter applies the query. If first is set, the cursor moves to the best match.
func (m *model) refilter(first bool) tea.Cmd {
	from := m.rows
	if query := string(m.query.text); first && m.filtered != "" && strings.HasPrefix(query, m.filtered) {
		// A longer query matches a subset.
		from = slices.SortedFunc(slices.Values(m.shown), func(a, b *row) int { return a.at - b.at })
	}
	m.choose(from)
	if first {
		m.cursor, m.top = 0, 0
	}
	m.cursor = max(0, min(m.cursor, len(m.shown)-1))
	return m.look()
}

// row returns the row under the cursor, or nil.
func (m *model) row() *row {
	if m.cursor >= len(m.shown) {
		return nil
	}
	return m.shown[m.cursor]
}

func (m *model) chosenID() string {
	if r := m.row(); r != nil {
		return r.info.ID
	}
	return ""
}

// look loads the preview of the session under the cursor, unless it is loaded.
func (m *model) look() tea.Cmd {
	id := m.chosenID()
	if id == m.preview.id {
		return nil
	}
	if m.preview.stop != nil {
		m.preview.stop()
	}
	m.preview = preview{id: id}
	if id == "" {
		return nil
	}
	ctx, stop := context.WithCancel(m.jobs.ctx)
	m.preview.stop = stop
	info := m.row().info
	return m.jobs.do(func(context.Context) tea.Msg {
		if ctx.Err() != nil {
			return nil // the cursor has moved on
		}
		entries, err := m.Entries(ctx, info, previewEntries)
		return entriesMsg{id, entries, err}
	})
}

// previewLines returns the lines of the preview, at most width columns wide.
func (m *model) previewLines(width int) []string {
	p := &m.preview
	switch {
	case m.row() == nil:
		return nil
	case !p.ready:
		return []string{"…"}
	case p.lines != nil && p.width == width:
		return p.lines
	}
	t := &render.Terminal{Width: width, Color: m.Color}
	info := m.row().info
	var b strings.Builder
	for _, e := range p.entries {
		b.WriteString(t.Entry(e))
	}
	p.width, p.lines = width, strings.Split(strings.Trim(b.String(), "\n"), "\n")
	if b.Len() == 0 {
		p.lines = []string{"no messages"}
	}
	if p.err != nil {
		p.lines = append(p.lines, printable.Line(p.err.Error()))
	}
	if len(p.entries) == previewEntries {
		p.lines = append(p.lines, "", "…")
	}
	about := []string{listing.ShortID(info.ID), listing.Day(info.StartedAt.Local(), now()),
		listing.Length(info.Duration)}
	if m.row().folder != "" {
		about = append(about, m.row().folder)
	}
	head := []string{m.paint("2", printable.Line(strings.Join(about, "  ")))}
	p.lines = append(head, p.lines...)
	return p.lines
}

// act leaves the picker with an action on the session under the cursor.
func (m *model) act(a Action) tea.Cmd {
	m.choice = Choice{a, m.row().info}
	return tea.Quit
}

// ask asks a question about the session under the cursor.
func (m *model) ask(what asking, answer string) {
	m.asks, m.about, m.answer = what, m.row(), field{}
	m.answer.add(answer)
}

// answered executes the action after its question was answered.
func (m *model) answered() tea.Cmd {
	r, text := m.about, strings.TrimSpace(string(m.answer.text))
	asked := m.asks
	m.asks = nothing
	switch asked {
	case tags:
		add, remove := splitTags(text)
		return m.jobs.do(func(ctx context.Context) tea.Msg {
			tags, err := m.Tag(ctx, r.info, add, remove)
			return taggedMsg{r, tags, err}
		})
	case file:
		if text == "" {
			return nil
		}
		m.say("writing "+text+" …", nil)
		return m.jobs.do(func(ctx context.Context) tea.Msg { return exportedMsg{text, m.Export(ctx, r.info, text)} })
	case deletion:
		m.say("deleting …", nil)
		return m.jobs.do(func(ctx context.Context) tea.Msg { return deletedMsg{r, m.Delete(ctx, r.info)} })
	}
	return nil
}

// splitTags splits the input into tags to add and, after a minus sign, tags to remove.
func splitTags(text string) (add, remove []string) {
	for _, word := range strings.Fields(text) {
		if rest, ok := strings.CutPrefix(word, "-"); ok && rest != "" {
			remove = append(remove, rest)
		} else {
			add = append(add, word)
		}
	}
	return add, remove
}

// fileName returns the suggested file name for an export.
func fileName(info *store.Info) string {
	return fmt.Sprintf("session-%s.md", listing.ShortID(info.ID))
}
