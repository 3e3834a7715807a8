package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxComment is how long a comment line may be, in characters.
const maxComment = 100

// TestCodeStyle checks all Go code: comments have at most maxComment columns, and no exported
// variable but an error can be changed by another package.
func TestCodeStyle(t *testing.T) {
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
		checkStyle(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 400 {
		t.Errorf("only %d files were found", files)
	}
}

func checkStyle(t *testing.T, path string) {
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
				if wide := before + utf8.RuneCountInString(line); before <= 8 && wide > maxComment &&
					!strings.HasPrefix(line, "//go:") {
					t.Errorf("%s:%d: a comment line of %d characters", path, at.Line+i, wide)
				}
			}
		}
	}
	if isTest {
		return
	}
	for _, decl := range f.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				checkVar(t, set, s.(*ast.ValueSpec))
			}
		}
	}
}

// checkVar reports an exported variable that is not an error.
func checkVar(t *testing.T, set *token.FileSet, s *ast.ValueSpec) {
	t.Helper()
	for _, name := range s.Names {
		if name.IsExported() && !strings.HasPrefix(name.Name, "Err") {
			t.Errorf("%s: the exported variable %s can be changed by every package", set.Position(name.Pos()), name.Name)
		}
	}
}
