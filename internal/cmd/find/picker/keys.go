package picker

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ptyrec/ptyrec/store"
)

// binding is a key, its label in the last lines of the window, and its action.
type binding struct {
	key, name string
	// can reports whether the key can be used for a session; nil means for all.
	can func(r *row) bool
	// why explains why it cannot.
	why string
	do  func(m *model) tea.Cmd
}

func live(r *row) bool      { return r.live }
func resumable(r *row) bool { return ended(r) && r.agent != "" }
func ended(r *row) bool     { return r.info.Status != store.Live }

// bindings are the keys that act on a session. Alt+letter does the same as Ctrl+letter.
var bindings = []binding{
	{"enter", "show", nil, "", func(m *model) tea.Cmd { return m.act(Show) }},
	{"ctrl+p", "play", nil, "", func(m *model) tea.Cmd { return m.act(Play) }},
	{"ctrl+a", "attach", live, "attach: this session is not running here",
		func(m *model) tea.Cmd { return m.act(Attach) }},
	{"ctrl+r", "resume", resumable, "resume: this session is still running, or has no agent",
		func(m *model) tea.Cmd { return m.act(Resume) }},
	{"ctrl+e", "export", nil, "", func(m *model) tea.Cmd { m.ask(file, fileName(m.row().info)); return nil }},
	{"ctrl+t", "tag", nil, "", func(m *model) tea.Cmd { m.ask(tags, ""); return nil }},
	{"ctrl+d", "delete", ended, "delete: this session is being recorded; end it first",
		func(m *model) tea.Cmd { m.ask(deletion, ""); return nil }},
}

// press handles a key.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == "ctrl+c" {
		return tea.Quit
	}
	if key == "ctrl+z" {
		return tea.Suspend
	}
	m.note = ""
	if m.asks != nothing {
		return m.pressAnswer(key, msg.Text)
	}
	if m.query.press(key) {
		m.moved = true
		return m.refilter(true)
	}
	if msg.Text != "" {
		return m.typed(msg.Text)
	}
	if rest, ok := strings.CutPrefix(key, "alt+"); ok {
		key = "ctrl+" + rest
	}
	if i := slices.IndexFunc(bindings, func(b binding) bool { return b.key == key }); i >= 0 {
		return m.use(bindings[i])
	}
	return m.move(key)
}

// use executes a binding, or shows why it cannot.
func (m *model) use(b binding) tea.Cmd {
	switch r := m.row(); {
	case r == nil:
		return nil
	case b.can != nil && !b.can(r):
		m.note, m.bad = b.why, true
		return nil
	}
	return b.do(m)
}

// move moves the cursor, or leaves the picker.
func (m *model) move(key string) tea.Cmd {
	page := max(1, m.layout().listRows-1)
	switch key {
	case "esc":
		if len(m.query.text) == 0 {
			return tea.Quit
		}
		m.query = field{}
		return m.refilter(true)
	case "up", "ctrl+k":
		m.cursor--
	case "down", "ctrl+j", "ctrl+n":
		m.cursor++
	case "pgup":
		m.cursor -= page
	case "pgdown":
		m.cursor += page
	case "home":
		m.cursor = 0
	case "end":
		m.cursor = len(m.shown) - 1
	case "shift+up", "ctrl+up":
		m.preview.top--
		return nil
	case "shift+down", "ctrl+down":
		m.preview.top++
		return nil
	case "tab":
		m.preview.top += max(1, m.layout().previewRows-1)
		return nil
	case "shift+tab":
		m.preview.top -= max(1, m.layout().previewRows-1)
		return nil
	default:
		return nil
	}
	m.moved = true
	m.cursor = max(0, min(m.cursor, len(m.shown)-1))
	return m.look()
}

// typed adds text to the field with the cursor.
func (m *model) typed(text string) tea.Cmd {
	switch m.asks {
	case nothing:
		m.query.add(text)
		m.moved = true
		return m.refilter(true)
	case tags, file:
		m.answer.add(text)
	}
	return nil // a paste is not a confirmation
}

// pressAnswer handles a key while a question is shown.
func (m *model) pressAnswer(key, text string) tea.Cmd {
	if key == "esc" {
		m.asks = nothing
		return nil
	}
	if m.asks == deletion {
		if strings.EqualFold(key, "y") {
			return m.answered()
		}
		m.asks = nothing
		m.say("not deleted", nil)
		return nil
	}
	switch {
	case key == "enter":
		return m.answered()
	case m.answer.press(key):
	case text != "":
		m.answer.add(text)
	}
	return nil
}
