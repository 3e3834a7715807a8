package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxComment is how long a comment line may be, in characters.
const maxComment = 100

// stiff are words by which a sentence of ours is usually one that needs a second reading.
var stiff = regexp.MustCompile(`\btells (whether|that)\b|\bgives\b|\bstands\b|\banew\b|where there is (no|none)\b`)

// TestItem22House checks what issue 22 asks of all Go code: no exported variable that could be
// changed, and comments of a readable width. In code that is no test, the stiff words are gone.
func TestItem22House(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		files++
		checkHouse(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 400 {
		t.Errorf("only %d files were found", files)
	}
}

func checkHouse(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	isTest := strings.HasSuffix(path, "_test.go")
	for _, group := range f.Comments {
		for _, c := range group.List {
			for i, line := range strings.Split(c.Text, "\n") {
				at := set.Position(c.Pos())
				before := 0
				if i == 0 {
					before = at.Column - 1
				}
				if wide := before + utf8.RuneCountInString(line); before <= 8 && wide > maxComment && !strings.HasPrefix(line, "//go:") {
					t.Errorf("%s:%d: a comment line of %d characters", path, at.Line+i, wide)
				}
			}
		}
	}
	if isTest {
		return
	}
	for i, line := range strings.Split(string(text), "\n") {
		if word := stiff.FindString(line); word != "" {
			t.Errorf("%s:%d: %q", path, i+1, word)
		}
	}
	for _, decl := range f.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				checkVar(t, set, s.(*ast.ValueSpec))
			}
		}
	}
}

// checkVar refuses an exported variable that is no error.
func checkVar(t *testing.T, set *token.FileSet, s *ast.ValueSpec) {
	t.Helper()
	for _, name := range s.Names {
		if name.IsExported() && !strings.HasPrefix(name.Name, "Err") {
			t.Errorf("%s: the exported variable %s can be changed by every package", set.Position(name.Pos()), name.Name)
		}
	}
}
