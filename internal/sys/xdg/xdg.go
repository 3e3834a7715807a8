// Package xdg finds the folders of the XDG Base Directory Specification, on every system the same.
//
// github.com/adrg/xdg would find other folders on macOS than ptyrec always did, and it reads the
// environment once, before a program or a test can set it.
package xdg

import (
	"errors"
	"os"
	"path/filepath"
)

var errHome = errors.New("$HOME is not set to an absolute path")

// Home returns the user's home folder.
func Home() (string, error) {
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", errHome
	}
	return home, nil
}

// Config returns the folder of configuration files.
func Config() (string, error) { return folder("XDG_CONFIG_HOME", ".config") }

// Data returns the folder of data files.
func Data() (string, error) { return folder("XDG_DATA_HOME", filepath.Join(".local", "share")) }

// State returns the folder of files that are worth keeping, but not worth a backup.
func State() (string, error) { return folder("XDG_STATE_HOME", filepath.Join(".local", "state")) }

// folder returns the folder that a variable names, or else one in the home folder. The
// specification says that relative paths are ignored.
func folder(variable, inHome string) (string, error) {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, inHome), nil
}
