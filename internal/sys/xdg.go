package sys

import (
	"errors"
	"os"
	"path/filepath"
)

// The folders of the XDG Base Directory Specification, on every system the same.
// github.com/adrg/xdg would find other folders on macOS than ptyrec always did, and it reads the
// environment once, before a program or a test can set it.

var errHome = errors.New("$HOME is not set to an absolute path")

// HomeFolder returns the user's home folder.
func HomeFolder() (string, error) {
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", errHome
	}
	return home, nil
}

// ConfigFolder returns the folder of configuration files.
func ConfigFolder() (string, error) { return folder("XDG_CONFIG_HOME", ".config") }

// DataFolder returns the folder of data files.
func DataFolder() (string, error) { return folder("XDG_DATA_HOME", filepath.Join(".local", "share")) }

// StateFolder returns the folder of files that are worth keeping, but not worth a backup.
func StateFolder() (string, error) { return folder("XDG_STATE_HOME", filepath.Join(".local", "state")) }

// folder returns the folder in a variable, or else one in the home folder. According to the
// specification, relative paths are ignored.
func folder(variable, inHome string) (string, error) {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := HomeFolder()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, inHome), nil
}
