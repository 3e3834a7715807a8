package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// newEnding is added to the name of a file that is not ready to be read.
const newEnding = ".new"

// Bytes of a file that serve as locks.
const (
	writerByte = 0 // held by its Writer
	packerByte = 1 // held by the process that stores its events elsewhere
)

// File identifies a journal file.
type File struct {
	Path    string
	Session string // its id
	Number  int    // from 1; a session's files hold its events in this order
}

// List returns the journals in a folder; those of a session are in order. It returns none if the
// folder does not exist, but an error if the folder is a link without a target.
func List(folder string) ([]File, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linkErr := os.Lstat(folder); linkErr == nil {
			return nil, errNowhere(folder)
		}
		return nil, nil
	}
	var files []File
	for _, e := range entries {
		if f, ok := parseName(e.Name()); ok {
			f.Path = filepath.Join(folder, e.Name())
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(strings.Compare(a.Session, b.Session), a.Number-b.Number)
	})
	return files, err
}

// Of returns the files that belong to session id.
func Of(files []File, id string) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Session != id })
}

// parseName reads the name of a journal: the session's id, and the file's number.
func parseName(name string) (File, bool) {
	id, rest, _ := strings.Cut(name, ".")
	number, ok := strings.CutSuffix(rest, ".journal")
	n, err := strconv.Atoi(number)
	f := File{Session: id, Number: n}
	return f, ok && err == nil && n > 0 && f.base() == name && validID(id)
}

// validID reports whether the id may be in the name of a file.
func validID(id string) bool {
	const chars = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
	return id != "" && len(id) <= 64 && strings.Trim(id, chars) == ""
}

func (f File) base() string { return fmt.Sprintf("%s.%d.journal", f.Session, f.Number) }

// ErrForeign reports that a file or folder is not a journal that only this user or root can have
// made: it is a link, not a regular file, or owned by another user.
var ErrForeign = errors.New("not a file of this user's own")

// Open opens the journal for reading. It does not follow links or wait for pipes. The error wraps
// ErrForeign, fs.ErrPermission or fs.ErrNotExist.
func (f File) Open() (*os.File, error) { return f.open(os.O_RDONLY) }

func (f File) open(mode int) (*os.File, error) {
	file, err := os.OpenFile(f.Path, mode|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EISDIR) {
		return nil, fmt.Errorf("%s: %w", f.Path, ErrForeign)
	}
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || !trusted(info) ||
		linkedByOthers(info, filepath.Dir(f.Path)) {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.Path, ErrForeign), err, file.Close())
	}
	return file, nil
}

// trusted reports whether this user or root owns a file. For root, every owner is trusted.
func trusted(info fs.FileInfo) bool {
	owner, user := sys.Owner(info), os.Geteuid()
	return owner == user || owner == 0 || user == 0
}

// linkedByOthers reports whether another user may have linked a file into a folder. A journal may
// have more names, for example in a backup with hard links; but in a folder that only the file's
// owner can write to, only the owner can have linked it.
func linkedByOthers(info fs.FileInfo, folder string) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && stat.Nlink <= 1 {
		return false
	}
	dir, err := os.Stat(folder)
	return err != nil || dir.Mode().Perm()&0o022 != 0 || sys.Owner(dir) != sys.Owner(info)
}

// IsWritten reports whether the journal's Writer still holds it.
func (f File) IsWritten() bool {
	file, err := f.Open()
	if err != nil {
		return false
	}
	defer file.Close()
	return IsWritten(file)
}

// IsWritten reports whether the Writer of an open journal still holds it.
func IsWritten(file *os.File) bool { return sys.ByteLocked(file, writerByte) }

// ErrInUse reports that a journal is still being written, or that another process is storing it.
var ErrInUse = errors.New("in use")

// Claim opens a complete journal in order to store its events elsewhere and remove it. Closing the
// file ends the claim. The error wraps ErrInUse, ErrForeign or fs.ErrNotExist.
func (f File) Claim() (*os.File, error) {
	file, err := f.open(os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if IsWritten(file) || sys.LockByte(file, packerByte) != nil {
		return nil, errors.Join(ErrInUse, file.Close())
	}
	now, err := os.Lstat(f.Path)
	if info, statErr := file.Stat(); err != nil || statErr != nil || !os.SameFile(now, info) {
		return nil, errors.Join(fs.ErrNotExist, file.Close()) // another process has stored and removed it
	}
	return file, nil
}

// Tidy removes the temporary files of killed writers from the folder, or renames them to journals
// if they have events. It skips files that it cannot handle.
func Tidy(folder string) {
	entries, _ := os.ReadDir(folder) // nothing to do if this fails
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), reservePrefix) { // its Writer has it open, and does not need the name
			_ = os.Remove(filepath.Join(folder, e.Name()))
			continue
		}
		name, left := strings.CutSuffix(e.Name(), newEnding)
		if f, ok := parseName(name); ok && left {
			f.Path = filepath.Join(folder, e.Name())
			f.tidy()
		}
	}
}

// tidy handles a file that its Writer has left.
func (f File) tidy() {
	file, err := f.Claim()
	if err != nil {
		return
	}
	defer file.Close()
	r, err := NewReader(file, f.Session)
	if err != nil {
		return
	}
	switch _, err = r.Next(); {
	case err == nil:
		err = fs.ErrExist
		for n := f.Number; errors.Is(err, fs.ErrExist); n++ {
			name := File{Session: f.Session, Number: n}.base()
			err = os.Link(f.Path, filepath.Join(filepath.Dir(f.Path), name)) // unlike a rename, it does not replace a file
		}
	case errors.Is(err, io.EOF):
		err = nil // it has no events
	}
	if err == nil {
		_ = os.Remove(f.Path)
	}
}
