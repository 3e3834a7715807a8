package serve

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A new token was made at each start. It is made once, for its user alone, and stays until it is
// renewed.
func TestTokenStays(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path, err := tokenPath()
	if err != nil {
		t.Fatal(err)
	}
	tokens := make([]string, 8) // servers that start at the same time have the same
	var all sync.WaitGroup
	for i := range tokens {
		all.Go(func() {
			var err error
			if tokens[i], err = readToken(path); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, other := range tokens {
		if len(other) < 26 || other != tokens[0] {
			t.Errorf("tokens = %q", tokens)
		}
	}
	folder, folderErr := os.Stat(filepath.Dir(path))
	file, fileErr := os.Stat(path)
	if err := errors.Join(folderErr, fileErr); err != nil || folder.Mode().Perm() != 0o700 || file.Mode().Perm() != 0o600 {
		t.Errorf("modes %v and %v, %v", folder.Mode(), file.Mode(), err)
	}
	renewed, err := renewToken(path)
	if err != nil || renewed == tokens[0] {
		t.Errorf("renewed = %q, %v", renewed, err)
	}
	if again, err := readToken(path); err != nil || again != renewed {
		t.Errorf("again = %q, %v, want %q", again, err, renewed)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("what is left: %v, %v", left, err)
	}
}

// A file that others can read, or that holds no token, is refused and left as it is.
func TestBadTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct {
		text string
		mode os.FileMode
		want error
	}{
		{"0123456789abcdef\n", 0o600, nil},
		{"0123456789abcdef\n", 0o640, errTokenOpen},
		{"0123456789abcdef\n", 0o604, errTokenOpen},
		{"", 0o600, errTokenBad},
		{"short\n", 0o600, errTokenBad},
		{"0123456789abcdef 0123456789abcdef\n", 0o600, errTokenBad},
		{"0123456789abcdef\x1b[2J\n", 0o600, errTokenBad},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := readToken(path); !errors.Is(err, c.want) {
			t.Errorf("%q, %v: %v, want %v", c.text, c.mode, err, c.want)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.text {
			t.Errorf("%q became %q, %v", c.text, text, err)
		}
	}
}
