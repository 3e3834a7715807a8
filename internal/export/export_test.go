package export_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
	"github.com/ptyrec/ptyrec/vterm"
)

func TestFormatOf(t *testing.T) {
	for _, tt := range []struct{ path, name, want string }{
		{"-", "", "json"}, {"a.MD", "", "md"}, {"a.htm", "", "html"}, {"a.svg", "", "svg"}, {"a.cast", "", "cast"},
		{"a.md", "cast2", "cast2"}, {"-", "txt", "txt"}, {"a.doc", "", ""}, {"a.md", "doc", ""},
	} {
		got, err := export.FormatOf(tt.path, tt.name)
		var f *failure.Error
		if got != tt.want || (err != nil) != (tt.want == "") || err != nil && (!errors.As(err, &f) || !f.Misuse) {
			t.Errorf("FormatOf(%q, %q) = %q, %v, want %q", tt.path, tt.name, got, err, tt.want)
		}
	}
}

// talk stores a session of two prompts, a second apart.
func talk(t *testing.T) (export.Exporter, *store.Info) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir()+"/test.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	started := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ended := started.Add(3 * time.Second)
	sess := &session.Session{ID: store.NewID(), Command: []string{"claude", "a b"}, StartedAt: started, EndedAt: &ended,
		Cols: 40, Rows: 5}
	raw := store.NewRecording(sess.Cols, sess.Rows)
	var entries []*session.Entry
	for i, text := range []string{"first prompt", "second prompt"} {
		at := time.Duration(i+1) * time.Second
		raw.Write(session.Event{At: at, Kind: session.Output, Data: []byte(text + "\r\n")})
		end := started.Add(at)
		entries = append(entries, &session.Entry{ID: text, Seq: i + 1, Type: session.TypeMessage, Role: session.RoleUser,
			Text: text, Markdown: text,
			At: started.Add(at), EndAt: &end, Status: session.StatusComplete})
	}
	raw.Write(session.Event{At: 3 * time.Second, Kind: session.Exit})
	if err := db.Import(t.Context(), sess, raw, entries); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	return export.Exporter{Library: &library.Library{Store: db, Warn: t.Errorf}}, info
}

func written(t *testing.T, x export.Exporter, format string, info *store.Info) string {
	t.Helper()
	var b bytes.Buffer
	if err := x.Write(t.Context(), &b, format, info); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	x, info := talk(t)
	for _, format := range export.Formats() {
		if out := written(t, x, format, info); format != "diff" && !strings.Contains(out, "prompt") {
			t.Errorf("%s holds no prompt: %s", format, out)
		}
	}
	if err := x.Write(t.Context(), new(bytes.Buffer), "doc", info); err == nil {
		t.Error("an unknown format was written")
	}
}

// Each message has a marker, where it begins.
func TestCastMarks(t *testing.T) {
	x, info := talk(t)
	for format, version := range map[string]int{"cast": cast.Newest, "cast2": 2} {
		r, err := cast.NewReader(strings.NewReader(written(t, x, format, info)))
		if err != nil {
			t.Fatal(err)
		}
		if r.Header.Version != version || r.Header.Command != "claude 'a b'" {
			t.Errorf("%s: header %+v", format, r.Header)
		}
		var got []string
		for e, err := r.Next(); err == nil; e, err = r.Next() {
			if e.Kind == session.Marker {
				got = append(got, e.At.String()+" "+string(e.Data))
			}
		}
		if want := []string{"1s #1 user: first prompt", "2s #2 user: second prompt"}; !slices.Equal(got, want) {
			t.Errorf("%s: markers %q, want %q", format, got, want)
		}
	}
}

func TestScreen(t *testing.T) {
	x, info := talk(t)
	moment := func(text string) (m human.Moment) {
		if err := m.Set(text); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, tt := range []struct {
		at   human.Moment
		want string
	}{{human.Moment{}, "first prompt\nsecond prompt"}, {moment("1.5"), "first prompt"}, {moment("0"),
		""}, {moment("end"), "first prompt\nsecond prompt"}} {
		x.At = tt.at
		s, err := x.Screen(t.Context(), info, vterm.Graphemes)
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, row := range s.Lines {
			rows = append(rows, strings.TrimRight(row.Text, " "))
		}
		if got := strings.TrimRight(strings.Join(rows, "\n"), "\n"); got != tt.want {
			t.Errorf("at %q: %q, want %q", tt.at.String(), got, tt.want)
		}
	}
}

// A part of a session that is not there cannot be exported, in any format.
func TestMissingEntry(t *testing.T) {
	x, info := talk(t)
	x.Ref = archive.Ref{First: 7}
	for _, format := range export.Formats() {
		var missing *archive.MissingError
		if err := x.Write(context.Background(), new(bytes.Buffer), format, info); !errors.As(err, &missing) {
			t.Errorf("%s: %v", format, err)
		}
	}
}
