package export_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// words are what the entries of chat say, each of which all screens after it still show.
var words = []string{"alphabetical-prompt", "bravissimo-reply", "charlatan-tool", "deltaplane-prompt",
	"echolocation-reply"}

// chat stores a session of five messages, a second apart.
func chat(t *testing.T) (export.Exporter, *store.Info) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir()+"/test.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	started := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ended := started.Add(9 * time.Second)
	sess := &session.Session{ID: store.NewID(), Command: []string{"claude", "zulu-argument"}, StartedAt: started,
		EndedAt: &ended, Cols: 60, Rows: 12, Git: &session.Git{Start: &session.GitState{Branch: "yankee-branch"}}}
	raw := store.NewRecording(sess.Cols, sess.Rows)
	var entries []*session.Entry
	screen := ""
	for i, role := range []string{session.RoleUser, session.RoleAssistant, session.RoleTool, session.RoleUser,
		session.RoleAssistant} {
		at := time.Duration(i+1) * time.Second
		screen += words[i] + "\r\n"
		raw.Write(session.Event{At: at, Kind: session.Output, Data: []byte("\x1b[H\x1b[2J" + screen)}) // all of it again
		end := started.Add(at + time.Second/2)
		e := &session.Entry{ID: words[i], Seq: i + 1, Type: session.TypeMessage, Role: role, Text: words[i],
			Markdown: words[i], At: started.Add(at), EndAt: &end, Status: session.StatusComplete}
		if role == session.RoleTool {
			e.Tool = &session.Tool{Name: "Edit", Input: words[i], Output: "1 -old\n1 +" + words[i], Status: session.ToolOK}
		}
		entries = append(entries, e)
	}
	raw.Write(session.Event{At: 9 * time.Second, Kind: session.Exit})
	if err := db.Import(t.Context(), sess, raw, entries); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	return export.Exporter{Library: &library.Library{Store: db, Warn: t.Errorf}}, info
}

var encoded = regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`)

// readable returns a text with what is base64 in it decoded behind it.
func readable(text string) string {
	for _, part := range encoded.FindAllString(text, -1) {
		if plain, err := base64.StdEncoding.DecodeString(part); err == nil {
			text += string(plain)
		}
	}
	return text
}

// TestPartsShowNothingElse exports parts in every format. None has a word of another entry.
func TestPartsShowNothingElse(t *testing.T) {
	x, info := chat(t)
	for _, tt := range []struct {
		from, to, only string
		want           []int // the entries
	}{
		{"", "", "", []int{1, 2, 3, 4, 5}},
		{"2", "3", "", []int{2, 3}},
		{"4", "", "", []int{4, 5}},
		{"", "2", "", []int{1, 2}},
		{"2s", "4s", "", []int{2, 3, 4}},
		{"0:03.5", "", "", []int{4, 5}},
		{"", "", "prompts", []int{1, 4}},
		{"", "", "prompts,replies", []int{1, 2, 4, 5}},
		{"2", "4", "replies", []int{2}},
		{"3", "5", "tools,replies", []int{3, 5}},
	} {
		ref, err := archive.Ref{Session: info.ID}.Part(tt.from, tt.to, tt.only)
		if err != nil {
			t.Fatal(err)
		}
		x.Ref = ref
		for _, format := range append(export.Formats(), "film") {
			x.Animate = format == "film"
			name := format
			if x.Animate {
				name = "svg"
			}
			out := readable(written(t, x, name, info))
			for i, word := range words {
				wanted := false
				for _, seq := range tt.want {
					wanted = wanted || seq == i+1
				}
				there := strings.Contains(out, word)
				if there && !wanted {
					t.Errorf("%+v, %s: it has %q of entry %d", tt, format, word, i+1)
				}
				recording := format == "cast" || format == "film" || format == "html"
				if !there && wanted && (recording || format == "json") {
					t.Errorf("%+v, %s: it lacks %q of entry %d", tt, format, word, i+1)
				}
			}
			if whole := tt.from+tt.to+tt.only == ""; !whole &&
				(strings.Contains(out, "zulu-argument") || strings.Contains(out, "yankee-branch")) {
				t.Errorf("%+v, %s: it says more of the session", tt, format)
			}
		}
	}
	x.Animate = false
	for _, bad := range [][2]string{{"1h", ""}, {"9", ""}} {
		ref, err := archive.Ref{}.Part(bad[0], bad[1], "")
		if err != nil {
			t.Fatal(err)
		}
		x.Ref = ref
		var missing *archive.MissingError
		var misuse *failure.Error
		for _, format := range export.Formats() {
			if err := x.Write(t.Context(), new(bytes.Buffer), format, info); !errors.As(err, &missing) &&
				!errors.As(err, &misuse) {
				t.Errorf("%q, %s: %v", bad, format, err)
			}
		}
	}
}

// TestFilmOfAPart bounds a film, which has no script and is well-formed.
func TestFilmOfAPart(t *testing.T) {
	db, err := sqlite.Open(t.Context(), t.TempDir()+"/test.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	ended := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	sess := &session.Session{ID: store.NewID(), Command: []string{"sh"}, Title: `<script>alert("x")</script>`,
		StartedAt: ended.Add(-2 * time.Hour), EndedAt: &ended, Cols: 100, Rows: 40}
	raw := store.NewRecording(sess.Cols, sess.Rows)
	for i := range 20000 { // each shows a new line
		raw.Write(session.Event{At: time.Duration(i) * 300 * time.Millisecond, Kind: session.Output,
			Data: fmt.Appendf(nil, "%d <script> & \x1b[3%dmcolours\x1b[m %s\r\n", i, i%8, strings.Repeat("x", i%60))})
	}
	raw.Write(session.Event{At: 2 * time.Hour, Kind: session.Exit})
	if err := db.Import(t.Context(), sess, raw, nil); err != nil {
		t.Fatal(err)
	}
	info, err := db.Find(t.Context(), sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	x := export.Exporter{Library: &library.Library{Store: db, Warn: t.Errorf}, Animate: true}
	out := written(t, x, "svg", info)
	if len(out) > 8<<20 || strings.Count(out, "translateY") < 100 {
		t.Errorf("%d bytes, %d steps", len(out), strings.Count(out, "translateY"))
	}
	for _, bad := range []string{"<script", "javascript:", "onload", "http://www.w3.org/1999/xlink"} {
		if strings.Contains(out, bad) {
			t.Errorf("it has %q", bad)
		}
	}
	for _, want := range []string{"@keyframes film", "step-end infinite", "prefers-reduced-motion", "19999 "} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	wellFormed(t, out)
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoFilmWithoutARawLog(t *testing.T) {
	for _, name := range []string{"talk.gif", "talk.MP4", "talk.webm"} {
		_, err := export.FormatOf(name, "")
		var f *failure.Error
		if !errors.As(err, &f) || !strings.Contains(f.Hint, "--animate") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{"a.diff": "diff", "a.patch": "diff"} {
		if got, err := export.FormatOf(name, ""); got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
