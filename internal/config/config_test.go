package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The file that `config edit` makes sets nothing, and explains every key.
func TestDefaultConfigFile(t *testing.T) {
	read := func(text string) Config {
		t.Helper()
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := Default()
		if err := Read(path, &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if got := read(template); !reflect.DeepEqual(got, Default()) {
		t.Errorf("the file means %+v, want the defaults", got)
	}
	var lines []string
	for line := range strings.Lines(template) {
		if !strings.HasPrefix(line, "# ") {
			lines = append(lines, strings.TrimPrefix(line, "#"))
		}
	}
	got, want := read(strings.Join(lines, "")), Default()
	if got.Database == "" || len(got.Redact.Patterns) != 1 {
		t.Errorf("without its comment marks the file sets no database or no pattern: %+v", got)
	}
	got.Database, got.Redact.Patterns = "", nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("without its comment marks the file means %+v, want %+v", got, want)
	}
	for _, key := range keys() {
		if name := key[strings.LastIndex(key, ".")+1:]; !strings.Contains(template, name) {
			t.Errorf("the file does not explain %s", key)
		}
	}
}
