package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// Login is a machine's login at a server.
type Login struct {
	Server string `json:"server"`
	Token  string `json:"token"`
}

// LoginPath returns the path of the login file in the user's state folder.
func LoginPath() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "ptyrec", "team.json"), nil
}

// ErrNoLogin reports that there is no login.
var ErrNoLogin = errors.New("this machine has no login")

// LoadLogin reads the login at path. The error wraps ErrNoLogin if there is none.
func LoadLogin(path string) (l Login, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, ErrNoLogin
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Save writes the login to path, which only its user can read.
func (l Login) Save(path string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := sys.PrivateFolder(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".team-*") // 0600
	if err != nil {
		return err
	}
	sys.GiveAs(f, filepath.Dir(path))
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
