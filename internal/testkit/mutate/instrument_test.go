package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `package sample

type flag bool

var set = len("x") > 0 && true

func judge(a, b, c bool, f flag, n int) (bool, flag) {
	if a && (b || !c) {
		return n > 1, f
	}
	switch {
	case n == 2, n == 3 && a:
		return true, false
	}
	switch n {
	case 4:
	}
	for a || b {
		a = b && c
	}
	return f && flag(c) == f, f
}
`

// Each condition is found once, knows its value when it is switched off, and is wrapped so that the
// file is still Go.
func TestInstrument(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(sample, "f && flag(c) == f, f",
		"bool(f) && flag(c) == f, f")), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := instrument([]pkg{{Dir: dir, ImportPath: "sample", GoFiles: []string{"a.go"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range in.conditions {
		name := fmt.Sprintf("%s %s %t", c.Func, c.Text, c.Off)
		if c.Returned {
			name += " returned"
		}
		got = append(got, name)
	}
	want := []string{
		"judge a true", "judge b false", "judge !c false", "judge n > 1 false returned", "judge f false returned",
		"judge n == 2 false", "judge n == 3 true", "judge a true",
		"judge a false", "judge b false", "judge b true", "judge c true",
		"judge bool(f) true", "judge flag(c) == f true", "judge f false returned",
	}
	if !slices.Equal(got, want) {
		t.Errorf("conditions:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text := string(in.files[path])
	if _, err := format.Source([]byte(text)); err != nil {
		t.Errorf("%v in:\n%s", err, text)
	}
	for _, want := range []string{
		`package sample; import "` + switchesPath + `"`,
		"if switches.Off(1, (a), true) && (switches.Off(2, (b), false) || switches.Off(3, (!c), false)) {",
		"case switches.Off(6, (n == 2), false), switches.Off(7, (n == 3), true) && switches.Off(8, (a), true):",
		"	case 4:",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func TestReadAccepted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "accepted.txt")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# comment\n\n= only saves time\na.go judge: n > 1\nb.go read: i < len(ls)\n")
	got, err := readAccepted(path)
	if err != nil || !got[(condition{File: "a.go", Func: "judge", Text: "n > 1"}).key()] || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	write("a.go judge: n > 1\n= \nb.go read: i < len(ls)\n")
	if _, err := readAccepted(path); err == nil {
		t.Error("a condition without a reason was accepted")
	}
}
