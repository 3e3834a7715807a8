package main

import (
	"bytes"
	"database/sql"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact/shapes"
)

// Whatever its shape, a secret that was shown is in no entry, no index and no export.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	environ, path := env(t)
	dir := t.TempDir()
	ptyrec := func(args ...string) string {
		cmd := exec.Command("ptyrec", args...)
		cmd.Env, cmd.Dir = environ, dir
		out, err := cmd.CombinedOutput()
		if err != nil && args[0] != "search" {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
		return string(out)
	}
	var shown strings.Builder
	for _, s := range shapes.All() {
		for _, style := range []string{"", "\x1b[1m", "\x1b[38;5;153m"} {
			shown.WriteString(s.Before + style + s.Secret + strings.TrimRight(s.After, "\r\n") + "\x1b[m\nand so on\n")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "shown"), []byte(shown.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ptyrec("run", "--", "cat", "shown")
	clean := func(where, text string) {
		t.Helper()
		for _, s := range shapes.All() {
			if piece := pieceOf(text, s.Secret); piece != "" {
				t.Errorf("%s: %s: %q is left", where, s.Rule, piece)
			}
		}
	}
	for _, ending := range []string{"json", "jsonl", "md", "txt", "html", "svg", "cast"} {
		file := filepath.Join(dir, "out."+ending)
		ptyrec("export", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		clean(ending, string(text))
	}
	for _, args := range [][]string{{"export", "--format", "cast2"}, {"show", "last"}, {"list", "--json"},
		{"screen", "--session", "last"}, {"search", "password", "--json"}, {"extract", "--session", "last"}} {
		clean(args[0], ptyrec(args...))
	}
	words := map[string]string{} // of the secrets, and their rules
	for _, s := range shapes.All() {
		word := strings.FieldsFunc(s.Secret, func(r rune) bool {
			return r == '_' || r == '-' || r == '.' || r == ' ' ||
				r == '\n'
		})
		if long := word[len(word)-1]; len(long) > 12 {
			words[`"`+long+`"`] = s.Rule
		}
	}
	found := func(query string) (string, bool) {
		out := ptyrec("search", query, "--json")
		return out, !strings.HasPrefix(strings.TrimSpace(out), "[]") && strings.Contains(out, `"session"`)
	}
	if _, ok := found(strings.Join(append(slices.Collect(maps.Keys(words)), "so"), " OR ")); !ok {
		t.Error("the search of all finds nothing, not even what is no secret")
	}
	if _, ok := found(strings.Join(slices.Collect(maps.Keys(words)), " OR ")); ok {
		for word, rule := range words {
			if out, ok := found(word); ok {
				t.Errorf("%s is in the index: %s", rule, out)
			}
		}
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var all sql.NullString
	if err := db.QueryRowContext(t.Context(),
		"SELECT group_concat(text || coalesce(markdown, '') || output || coalesce(tool, '') || coalesce(data, '')) FROM "+
			"entries").Scan(&all); err != nil {
		t.Fatal(err)
	}
	clean("the database", all.String)
	ptyrec("redact", "last", "--yes")
	for _, ending := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + ending)
		if err != nil && ending == "" {
			t.Fatal(err)
		}
		clean("the database's file", string(bytes.ToValidUTF8(data, nil)))
	}
}

// pieceOf returns a part of a secret that is in text and would reveal it: all of a short one.
func pieceOf(text, secret string) string {
	const size = 14
	for i := 0; i == 0 || i+size <= len(secret); i++ {
		if piece := secret[i:min(len(secret), i+size)]; strings.ContainsAny(piece, "0123456789") &&
			!strings.ContainsAny(piece, "\n ") && strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}
