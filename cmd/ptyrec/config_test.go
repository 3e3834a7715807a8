package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestDefaultConfigFile shows that the file that `config edit` makes says what is so without one, and knows every key.
func TestDefaultConfigFile(t *testing.T) {
	read := func(text string) config {
		t.Helper()
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := defaultConfig()
		if err := readConfig(path, &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if got := read(defaultFile); !reflect.DeepEqual(got, defaultConfig()) {
		t.Errorf("the file means %+v, want the defaults", got)
	}
	var lines []string
	for line := range strings.Lines(defaultFile) {
		if !strings.HasPrefix(line, "# ") {
			lines = append(lines, strings.TrimPrefix(line, "#"))
		}
	}
	got, want := read(strings.Join(lines, "")), defaultConfig()
	if got.Database == "" || len(got.Redact.Patterns) != 1 {
		t.Errorf("without its comment marks the file sets no database or no pattern: %+v", got)
	}
	got.Database, got.Redact.Patterns = "", nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("without its comment marks the file means %+v, want %+v", got, want)
	}
	for _, key := range configKeys() {
		if name := key[strings.LastIndex(key, ".")+1:]; !strings.Contains(defaultFile, name) {
			t.Errorf("the file does not explain %s", key)
		}
	}
}
