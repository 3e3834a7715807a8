package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// minToken is the minimum length of a token, in bytes.
const minToken = 16

// Errors of Load: ErrOpen if other users can read or write the file, ErrBad if it does not contain
// a token.
var (
	errTokenOpen = errors.New("other users can read it")
	errTokenBad  = fmt.Errorf("it has no token of at least %d characters", minToken)
)

// tokenPath returns the default path of the token, in the user's state folder.
func tokenPath() (string, error) {
	state, err := sys.StateFolder()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "ptyrec", "token"), nil
}

// readToken returns the token in the file at path. If there is no such file, it creates one with a
// new token.
func readToken(path string) (string, error) {
	token, err := parseToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	// another server may have created it first
	if err := placeToken(path, os.Link); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return parseToken(path)
}

// renewToken replaces the token at path, if there is one, and returns the new one.
func renewToken(path string) (string, error) {
	if err := placeToken(path, os.Rename); err != nil {
		return "", err
	}
	return parseToken(path)
}

func parseToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe would block
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if info.Mode().Perm()&0o077 != 0 || ok && int(owner.Uid) != os.Geteuid() {
		return "", fmt.Errorf("%s: %w", path, errTokenOpen)
	}
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	token := strings.TrimSpace(string(text))
	if err == nil && (len(token) < minToken ||
		strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f })) {
		err = fmt.Errorf("%s: %w", path, errTokenBad)
	}
	return token, err
}

// placeToken creates a new token. place must move the file from from to to in one step.
func placeToken(path string, place func(from, to string) error) error {
	if err := sys.PrivateFolder(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".token-") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // after a rename it no longer exists
	sys.GiveAs(f, filepath.Dir(path))
	_, err = fmt.Fprintln(f, rand.Text())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}
