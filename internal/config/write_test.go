package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/config"
)

// What Write writes is read as the same configuration.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	c := config.Default()
	c.Database, c.Run.Input, c.Attach.DetachKey = "/data/\x1b[2Jdb", true, "ctrl+q"
	var b bytes.Buffer
	if err := c.Write(&b, path); err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(b.String(), "\n"); first != "# "+path+" does not exist; these are the defaults" {
		t.Errorf("without a file: %q", first)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("control characters: %q", b.String())
	}
	c.Database = "/data/db"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := c.Write(&b, path); err != nil || !strings.HasPrefix(b.String(), "# "+path+"\n") {
		t.Errorf("with a file: %v, %s", err, b.String())
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got := config.Default()
	if err := config.Read(path, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A new file changes nothing.
func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config.toml")
	if err := config.Create(path); err != nil {
		t.Fatal(err)
	}
	got := config.Default()
	if err := config.Read(path, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Default(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
