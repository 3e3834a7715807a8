package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cmd/record"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// folder has two recordings, a copy of one, and files that are none.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.cast": "one", "sub/two.cast": "two", "sub/copy.cast": "one", "notes.txt": "", "sub/x.json": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		content := `{"version":2,"width":80,"height":24,"title":"a title"}` + "\n" + `[0.5,"o","` + text + `\r\n"]` + "\n"
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// imported runs an import, and returns what it says, without ids, sizes and times.
func imported(t *testing.T, s *sqlite.Store, dry bool, paths ...string) (said string, err error) {
	t.Helper()
	var out bytes.Buffer
	var notices []string
	im := &record.Importer{
		Store: s, DryRun: dry, Out: &out, Progress: new(human.Bar),
		Open: func(path string, seen func(int)) (*archive.Recording, error) {
			return archive.OpenRecording(path, archive.RecordingOptions{Seen: seen})
		},
		Notice: func(format string, args ...any) { notices = append(notices, fmt.Sprintf(format, args...)) },
	}
	err = im.Import(t.Context(), paths)
	said = out.String() + strings.Join(notices, "\n")
	said = regexp.MustCompile(`(?m)(^|as )[0-9a-f]{4}[0-9a-f-]*`).ReplaceAllString(said, "${1}ID")
	return regexp.MustCompile(` \([^)]* in [^)]*\)`).ReplaceAllString(said, ""), err
}

func TestImport(t *testing.T) {
	dir := folder(t)
	one, two := filepath.Join(dir, "one.cast"), filepath.Join(dir, "sub", "two.cast")
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		dry   bool
		store *sqlite.Store
		paths []string
		want  string
	}{
		{true, nil, []string{one}, one + ": -, a title\n1 to be imported, 0 already there"},
		{false, s, []string{one}, "ID  " + one + ": -, a title\n1 imported, 0 already there"},
		{true, s, []string{one}, one + " is already in the database as ID\n0 to be imported, 1 already there"},
		{false, s, []string{filepath.Join(dir, "sub", "copy.cast"), two},
			"ID  " + two + ": -, a title\n" + filepath.Join(dir, "sub", "copy.cast") +
				" is already in the database as ID\n1 imported, 1 already there"},
	} {
		got, err := imported(t, c.store, c.dry, c.paths...)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q, dry %v (-want +got):\n%s", c.paths, c.dry, diff)
		}
	}
	if infos, err := s.Sessions(t.Context(), store.Filter{}); len(infos) != 2 || err != nil {
		t.Errorf("%d sessions, %v, want 2", len(infos), err)
	}
}

// What cannot be read does not stop the others.
func TestImportFails(t *testing.T) {
	dir := folder(t)
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := imported(t, s, false, filepath.Join(dir, "absent"), filepath.Join(dir, "one.cast"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(got, "one.cast: ") ||
		!strings.HasSuffix(got, "1 imported, 0 already there, 1 failed") {
		t.Errorf("said %q, error %v", got, err)
	}
}
