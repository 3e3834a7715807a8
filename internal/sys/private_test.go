package sys_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/testkit/usertest"
)

// check reports if a path has not this mode or owner.
func check(t *testing.T, path string, mode fs.FileMode, owner int) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != mode || sys.Owner(info) != owner {
		t.Errorf("%s has mode %v and owner %d, want %v and %d", path, info.Mode(), sys.Owner(info), mode, owner)
	}
}

// create makes a file in a folder that is missing, with the one above it.
func create(t *testing.T, top string) {
	t.Helper()
	dir := filepath.Join(top, "a", "b")
	err := sys.PrivateFolder(dir)
	if err == nil {
		err = sys.PrivateFolder(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := sys.PrivateFile(filepath.Join(dir, "file"), 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := sys.PrivateFile(f.Name(), 0); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file: %v", err)
	}
	if err := sys.PrivateFolder(f.Name() + "/x"); err == nil {
		t.Error("a folder in a file")
	}
}

func checkAll(t *testing.T, top string, owner int) {
	t.Helper()
	check(t, filepath.Join(top, "a"), fs.ModeDir|0o700, owner)
	check(t, filepath.Join(top, "a/b"), fs.ModeDir|0o700, owner)
	check(t, filepath.Join(top, "a/b/file"), 0o600, owner)
}

func TestWhateverTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o777} {
		top := t.TempDir()
		before := syscall.Umask(mask)
		create(t, top)
		syscall.Umask(before)
		checkAll(t, top, os.Geteuid())
	}
}

// After sudo with the user's HOME, root creates what belongs to the user.
func TestRootInAUsersFolder(t *testing.T) {
	top := usertest.Folder(t)
	create(t, top)
	checkAll(t, top, usertest.ID)
	own := t.TempDir()
	create(t, own)
	checkAll(t, own, 0)
}
