package cli_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/sys"
)

// What a command that was killed has left beside a file goes when the file is written the next
// time; what another command writes just now stays, and so do the user's own files.
func TestLeftOverFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	const left, empty, begun, written = ".talk.html1234567890123", ".talk.html2234567890123", ".talk.html3234567890123",
		".talk.html4234567890123"
	others := []string{".talk.html2", ".talk.html", ".other.html1234567890123", "talk.html1234567890123"}
	for _, name := range append([]string{left, written}, others...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	err := errors.Join(os.WriteFile(filepath.Join(dir, empty), nil, 0o600),
		os.Chtimes(filepath.Join(dir, empty), old, old),
		os.WriteFile(filepath.Join(dir, begun), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, written), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := sys.LockByte(f, 0); err != nil {
		t.Fatal(err)
	}
	var temps cli.Temporaries
	err = temps.WriteFile(filepath.Join(dir, "talk.html"), func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range files {
		names = append(names, e.Name())
	}
	want := append([]string{begun, written, "talk.html"}, others...)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("there are %q, want %q", names, want)
	}
}
