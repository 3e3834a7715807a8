// Package token keeps a server's token for its clients in a file that only its user can read.
package token

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

// minLength is the minimum length of a token, in bytes.
const minLength = 16

// Errors of Load: ErrOpen if other users can read or write the file, ErrBad if it does not contain
// a token.
var (
	ErrOpen = errors.New("others can read it")
	ErrBad  = fmt.Errorf("it holds no token of %d letters or more", minLength)
)

// Path returns the default path of the token, in the user's state folder.
func Path() (string, error) {
	state, err := sys.StateFolder()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "ptyrec", "token"), nil
}

// Load returns the token in the file at path. If there is no such file, it creates one with a new
// token.
func Load(path string) (string, error) {
	token, err := read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := write(path, os.Link); err != nil && !errors.Is(err, fs.ErrExist) { // another server may have created it first
		return "", err
	}
	return read(path)
}

// Renew replaces the token at path, if there is one, and returns the new one.
func Renew(path string) (string, error) {
	if err := write(path, os.Rename); err != nil {
		return "", err
	}
	return read(path)
}

func read(path string) (string, error) {
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
		return "", fmt.Errorf("%s: %w", path, ErrOpen)
	}
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	token := strings.TrimSpace(string(text))
	if err == nil && (len(token) < minLength || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f })) {
		err = fmt.Errorf("%s: %w", path, ErrBad)
	}
	return token, err
}

// write creates a new token. place must move the file from from to to in one step.
func write(path string, place func(from, to string) error) error {
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
