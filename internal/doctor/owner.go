package doctor

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/kballard/go-shellquote"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// advice explains how this user gets access to the file at path, if err means that the user has
// none, or only another user has. It begins with "; ", or is empty.
func advice(path string, err error) string {
	top, owner := foreign(path)
	switch {
	case top == "" && errors.Is(err, syscall.EACCES):
		return "; its permissions, or those of a folder above it, keep you out: see `ls -ld " + shellquote.Join(path) + "`"
	case top == "":
		return ""
	}
	return fmt.Sprintf("; %s belongs to %s, as after sudo with your HOME. To get it back: sudo chown -R %d:%d %s",
		top, userName(owner), os.Getuid(), os.Getgid(), shellquote.Join(top))
}

// foreign returns the highest file or folder in the path, below a folder of this user's, that
// belongs to another user. top is "" if there is none.
func foreign(path string) (top string, owner int) {
	path, err := filepath.Abs(path)
	if err != nil || os.Geteuid() == 0 {
		return "", 0
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		switch {
		case at == filepath.Dir(at):
			return "", 0 // this user owns nothing above it
		case err != nil: // it is below a folder that this user cannot access
		case sys.Owner(info) == os.Geteuid():
			return top, owner
		default:
			top, owner = at, sys.Owner(info)
		}
	}
}

// ofAnother reports whether a folder, or the one above it, belongs to another user.
func ofAnother(dir string) bool {
	for _, path := range []string{dir, filepath.Dir(dir)} {
		if info, err := os.Stat(path); err == nil && sys.Owner(info) != os.Geteuid() {
			return true
		}
	}
	return false
}

func userName(id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return u.Username
	}
	return "user " + strconv.Itoa(id)
}
