package picker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func infos(prompts ...string) (out []*store.Info) {
	for i, prompt := range prompts {
		out = append(out, &store.Info{
			Session: session.Session{
				ID: fmt.Sprintf("01a1fd%02x-0000-7000-8000-%012x", i%256, i), Cwd: "/src/ptyrec",
				StartedAt: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC),
				Agents:    []session.Agent{{Name: "claude", Version: "2.1.197"}},
			},
			Prompt: prompt, Status: store.Ended, Tags: []string{},
		})
	}
	return out
}

func rowsOf(prompts ...string) (rows []*row) {
	for _, info := range infos(prompts...) {
		rows = append(rows, newRow(info, nil))
	}
	return rows
}

func TestFilter(t *testing.T) {
	t.Parallel()
	rows := rowsOf("Fix the cache", "write tests for the parser", "teach the printer", "缓存 is broken", "Ünïcode width")
	for query, want := range map[string][]string{
		"": {"Fix the cache", "write tests for the parser", "teach the printer", "缓存 is broken",
			"Ünïcode width"},
		"   ": {"Fix the cache", "write tests for the parser", "teach the printer", "缓存 is broken",
			"Ünïcode width"},
		"cache":         {"Fix the cache"},
		"CACHE fix":     {"Fix the cache"},
		"the":           {"Fix the cache", "write tests for the parser", "teach the printer"},
		"prsr":          {"write tests for the parser"},
		"prsr ptyrec":   {"write tests for the parser"},
		"缓存":            {"缓存 is broken"},
		"ünï":           {"Ünïcode width"},
		"01a1fd02":      {"teach the printer"},
		"xyzzy":         nil,
		"\x00[(*":       nil,
		"ptyrec widths": nil,
	} {
		var got []string
		for _, r := range filter(rows, query) {
			got = append(got, r.title)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// A word in the title comes before characters that are only in sequence.
func TestFilterOrder(t *testing.T) {
	t.Parallel()
	got := filter(rowsOf("to eat something today", "a test", "t e s t"), "test")
	if len(got) != 3 || got[0].title != "a test" {
		t.Errorf("%d rows, the first is %q", len(got), got[0].title)
	}
}

func testModel(t testing.TB, sessions []*store.Info) *model {
	t.Helper()
	p := &Picker{
		Sessions: func(context.Context, int) ([]*store.Info, error) { return sessions, nil },
		Sockets:  func() map[string]string { return nil },
		Entries: func(_ context.Context, info *store.Info, _ int) ([]*session.Entry, error) {
			return []*session.Entry{{Seq: 1, Type: session.TypeMessage, Role: session.RoleUser, Text: info.Prompt}}, nil
		},
		Tag: func(context.Context, *store.Info, []string, []string) ([]string, error) {
			return nil, errors.New("no\x1b[2J")
		},
		Delete: func(context.Context, *store.Info) error { return errors.New("busy") },
		Export: func(context.Context, *store.Info, string) error { return nil },
		Color:  true,
	}
	m := newModel(p, &jobs{ctx: t.Context()})
	m.width, m.height = 80, 24
	settle(m, m.Init())
	return m
}

// settle runs commands, and those that come of them.
func settle(m *model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			settle(m, c)
		}
		return
	}
	if _, ok := msg.(tea.QuitMsg); msg == nil || ok {
		return
	}
	_, next := m.Update(msg)
	settle(m, next)
}

// control matches control characters but for colours.
var control = regexp.MustCompile(`\x1b(?:[^\[]|\[[0-9;]*[^0-9;m])|[^\x20-\x{10ffff}\x1b\n]`)

// The window is drawn within its size, whatever a database has.
func TestViewFits(t *testing.T) {
	t.Parallel()
	evil := "\x1b]0;owned\a\x1b[2J\x1b[31m\u009b2J\x7f\b\r\u202Egnp.exe\u2066\u200b\U000E0041\u00ad\u2028 缓存缓存缓存 " +
		"👩‍👩‍👧‍👦 " + strings.Repeat("long ", 100)
	sessions := infos(evil, "", "plain", strings.Repeat("宽", 300))
	for _, s := range sessions {
		s.Cwd, s.Tags, s.Agents[0].Name, s.Title = evil, []string{evil}, evil, evil
	}
	m := testModel(t, sessions)
	check := func(what string) {
		t.Helper()
		for _, cols := range []int{1, 2, 3, 5, 10, 39, 40, 41, 49, 50, 69, 70, 80, 99, 100, 101, 120, 200, 500} {
			for _, rows := range []int{1, 2, 3, 4, 5, 9, 14, 24, 60} {
				m.Update(tea.WindowSizeMsg{Width: cols, Height: rows})
				content := m.View().Content
				lines := strings.Split(content, "\n")
				if len(lines) > rows {
					t.Fatalf("%s at %dx%d: %d lines", what, cols, rows, len(lines))
				}
				for _, line := range lines {
					if w := ansi.StringWidth(line); w > cols {
						t.Fatalf("%s at %dx%d: a line of %d columns: %q", what, cols, rows, w, line)
					}
				}
				if bad := control.FindString(content); bad != "" {
					t.Fatalf("%s at %dx%d: it has %q", what, cols, rows, bad)
				}
				for _, r := range content {
					if unicode.Is(unicode.Bidi_Control, r) || r == 0x200b || r == 0xad {
						t.Fatalf("%s at %dx%d: it has %U", what, cols, rows, r)
					}
				}
				if c := m.View().Cursor; c != nil && (c.X >= cols || c.Y >= rows || c.X < 0 || c.Y < 0) {
					t.Fatalf("%s at %dx%d: the cursor is at %d, %d", what, cols, rows, c.X, c.Y)
				}
			}
		}
	}
	check("the list")
	for _, key := range []string{"ctrl+e", "ctrl+t", "ctrl+d"} {
		m.press(keyOf(key))
		m.typed(evil)
		check(key)
		settle(m, m.press(keyOf("enter")))
		check("after " + key)
	}
	m.typed(evil)
	check("a query that matches nothing")
}

// keyOf returns the message of a key such as ctrl+e.
func keyOf(name string) tea.KeyPressMsg {
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	switch name {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// Any keys at all neither panic nor delete anything without y.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	m := testModel(t, infos("one", "two", "three"))
	deleted := 0
	m.Delete = func(context.Context, *store.Info) error { deleted++; return nil }
	keys := []string{"ctrl+a", "ctrl+d", "ctrl+e", "ctrl+h", "ctrl+k", "ctrl+n", "ctrl+t", "ctrl+u", "ctrl+w", "enter",
		"down", "a", "o", "n", "é"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		settle(m, m.press(keyOf(keys[random.IntN(len(keys))])))
		m.View()
	}
	if deleted > 0 {
		t.Errorf("%d sessions were deleted", deleted)
	}
	m.asks, m.query = nothing, field{}
	m.refilter(true)
	settle(m, m.press(keyOf("ctrl+d")))
	m.typed("y") // a paste
	if deleted > 0 {
		t.Error("a paste confirmed")
	}
	settle(m, m.press(keyOf("y")))
	if deleted != 1 || len(m.shown) != 2 {
		t.Errorf("%d deleted, %d shown", deleted, len(m.shown))
	}
}

// Typing finds what the whole query finds.
func TestTypedFilter(t *testing.T) {
	t.Parallel()
	m := testModel(t, infos("fix the cache", "the cab chews", "catch the cat", "write tests"))
	for _, query := range []string{"cache", "the ca", "cch", "t c", "wr te"} {
		m.query, m.filtered = field{}, ""
		m.refilter(true)
		for _, r := range query {
			settle(m, m.press(keyOf(string(r))))
		}
		if want := filter(m.rows, query); len(want) == 0 || len(want) != len(m.shown) || want[0] != m.shown[0] {
			t.Errorf("%q: %d rows, want %d", query, len(m.shown), len(want))
		}
	}
}

// BenchmarkFilter measures a key in the filter of 10,000 sessions, and the window drawn after it.
func BenchmarkFilter(b *testing.B) {
	words := strings.Fields("cache test refactor parser terminal width unicode store database migration fix the a " +
		"session agent prompt render export")
	random := rand.New(rand.NewPCG(1, 2))
	var prompts []string
	for range 10_000 {
		var prompt []string
		for range 20 {
			prompt = append(prompt, words[random.IntN(len(words))])
		}
		prompts = append(prompts, strings.Join(prompt, " "))
	}
	m := testModel(b, infos(prompts...))
	m.width, m.height = 200, 50
	for _, query := range []string{"c", "cache te", "trmnl wdth rndr", "zzzz"} {
		b.Run(strings.ReplaceAll(query, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				m.query, m.filtered = field{[]rune(query[:len(query)-1])}, "" // as after a paste: it begins with all
				settle(m, m.press(keyOf(query[len(query)-1:])))
				m.View()
			}
		})
	}
}
