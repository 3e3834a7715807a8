package archive_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
)

func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one.cast", "sub/two.cast", "sub/copy.cast", "notes.txt", "sub/x.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := archive.Recordings([]string{"-", dir, "absent"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-", filepath.Join(dir, "one.cast"), filepath.Join(dir, "sub/copy.cast"),
		filepath.Join(dir, "sub/two.cast"), "absent"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := archive.Recordings([]string{t.TempDir()}); !errors.Is(err, session.ErrNotRecording) {
		t.Errorf("an empty folder: %v", err)
	}
	for name, want := range map[string]bool{"a.cast": true, "a.cast.gz": true, "typescript": true, "a.ttyrec.zst": true,
		"a.txt": false, "cast": false} {
		if got := archive.IsRecordingName(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
