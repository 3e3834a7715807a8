package doctor_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/doctor"
)

// What a killed command has left in the folder of temporary files is named.
func TestLeftOverIsNamed(t *testing.T) {
	o, _ := patient(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	left, fresh := filepath.Join(dir, "ptyrec-123"), filepath.Join(dir, "ptyrec-456")
	old := time.Now().AddDate(0, 0, -2)
	if err := errors.Join(os.Mkdir(left, 0o700), os.Mkdir(fresh, 0o700), os.Chtimes(left, old, old)); err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, f := range examine(t, o) {
		if f.What == "left over" && strings.HasPrefix(f.Detail, dir) && f.Verdict == doctor.Note {
			named = append(named, strings.Fields(f.Detail)[0])
		}
	}
	if len(named) != 1 || named[0] != left {
		t.Errorf("named %q, want %q", named, left)
	}
}
