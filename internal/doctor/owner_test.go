package doctor_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/doctor"
	"github.com/ptyrec/ptyrec/internal/testkit/usertest"
)

// Where root's files are in a user's folder, the user is told what is whose, and how to get it
// back.
func TestRootsFilesInAUsersFolder(t *testing.T) {
	o, _ := patient(t)
	folder := filepath.Join(usertest.Folder(t), ".local")
	o.Path = filepath.Join(folder, "share", "db")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Mkdir(filepath.Dir(o.Path), 0o700),
		os.WriteFile(o.Path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var r doctor.Report
	usertest.Run(t, func() { r, _ = doctor.Examine(t.Context(), o) })
	want := folder + " belongs to root, as after sudo with your HOME. To get it back: sudo chown -R "
	for _, f := range r {
		if f.What == "database" && f.Verdict == doctor.Bad && strings.Contains(f.Detail, want) {
			return
		}
	}
	t.Errorf("no %q in %v", want, r)
}
