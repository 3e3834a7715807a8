package record_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ptyrec/ptyrec/internal/cmd/record"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/sys"
)

func TestFailure(t *testing.T) {
	other := errors.New("other")
	if err := record.Failure(other); !errors.Is(err, other) {
		t.Errorf("another error became %v", err)
	}
	for status, hint := range map[int]string{126: "check that it is an executable file",
		127: "check the spelling and $PATH"} {
		var f *failure.Error
		err := record.Failure(&sys.StartError{Command: "x", Status: status, Err: other})
		if !errors.As(err, &f) || f.Status != status || f.Hint != hint || !errors.Is(err, other) {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	for path, status := range map[string]int{filepath.Join(dir, "none"): sys.NotFound, dir: sys.NotExecutable} {
		var f *failure.Error
		if err := record.Replace([]string{path}, nil); !errors.As(err, &f) || f.Status != status {
			t.Errorf("%s: %v, want status %d", path, err, status)
		}
		if err := record.Check(path); !errors.As(err, &f) || f.Status != status {
			t.Errorf("check of %s: %v, want status %d", path, err, status)
		}
	}
}

func TestSession(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	s := record.Session([]string{"true"}, null, null)
	if here, err := filepath.EvalSymlinks(dir); err != nil || s.Cwd != here && s.Cwd != dir {
		t.Errorf("folder %q, want %q, %v", s.Cwd, dir, err)
	}
	if s.ID == "" || s.Cols <= 0 || s.Rows <= 0 || s.StartedAt.IsZero() || s.Command[0] != "true" || s.Agents == nil {
		t.Errorf("%+v", s)
	}
}
