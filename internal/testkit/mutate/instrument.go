package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// condition is a condition in the code.
type condition struct {
	N       int    // from 1
	File    string // relative to the working directory
	Package string // its import path
	Line    int
	Func    string
	Text    string // the expression, on one line
	Off     bool   // its value when it is switched off

	Returned bool // it is a whole returned expression, not an if, a case or an operand
}

// key identifies a condition in the list of accepted ones. It does not change when lines move.
func (c condition) key() string { return c.File + " " + c.Func + ": " + c.Text }

// pkg is the output of `go list` for a package.
type pkg struct {
	Dir, ImportPath, Name, Export string
	DepOnly                       bool // not matched by the pattern
	GoFiles, Deps                 []string
}

// load returns the packages of a pattern, except those only for tests, and the files with the
// export data of all packages that they import.
func load(pattern string) (targets []pkg, exports map[string]string, err error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Name,Export,DepOnly,GoFiles,Deps", pattern)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, err
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return targets, exports, nil
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && !strings.HasSuffix(p.Name, "test") {
			targets = append(targets, p)
		}
	}
}

// instrumented is the source of packages in which each condition can be switched off.
type instrumented struct {
	conditions []condition
	files      map[string][]byte // by path of the original
}

// instrument wraps each condition of packages in a call of switches.Off.
func instrument(targets []pkg, exports map[string]string) (*instrumented, error) {
	out := &instrumented{files: map[string][]byte{}}
	for _, p := range targets {
		if err := out.add(p, exports); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add instruments a package.
func (out *instrumented) add(p pkg, exports map[string]string) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		return err
	}
	for i, f := range files {
		path := filepath.Join(p.Dir, p.GoFiles[i])
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w := &wrapper{fset: fset, info: info, pkg: p.ImportPath, file: shown(path), all: &out.conditions}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				w.fn = fn.Name.Name
			} else {
				w.fn = "var"
			}
			ast.Inspect(d, w.visit)
		}
		if len(w.edits) > 0 {
			out.files[path] = w.apply(src, f)
		}
	}
	return nil
}

// shown returns a path relative to the working directory.
func shown(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

// wrapper collects the conditions of one file.
type wrapper struct {
	fset  *token.FileSet
	info  *types.Info
	pkg   string
	file  string
	fn    string
	all   *[]condition
	edits []edit
	taken map[ast.Expr]bool
}

// edit is an insertion of text before an offset.
type edit struct {
	at   int
	text string
	seq  int
}

func (w *wrapper) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		w.decides(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					w.decides(e)
				}
			}
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			if n := len(*w.all); w.isBool(e) {
				w.decides(e)
				if len(*w.all) == n+1 {
					(*w.all)[n].Returned = true
				}
			}
		}
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			w.decides(n)
		}
	}
	return true
}

func (w *wrapper) isBool(e ast.Expr) bool {
	t, ok := w.info.Types[e]
	if !ok || t.Value != nil {
		return false // a constant does not decide anything
	}
	b, ok := t.Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// decides adds the conditions of a boolean expression: its operands, if it is a chain of && or ||.
// An operand of && is true when it is switched off, any other condition false.
func (w *wrapper) decides(e ast.Expr) {
	if w.taken[e] {
		return
	}
	if w.taken == nil {
		w.taken = map[ast.Expr]bool{}
	}
	w.taken[e] = true
	w.operands(e, false)
}

func (w *wrapper) operands(e ast.Expr, off bool) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		w.taken[x.X] = true
		w.operands(x.X, off)
		return
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			w.taken[x.X], w.taken[x.Y], w.taken[x] = true, true, true
			w.operands(x.X, x.Op == token.LAND)
			w.operands(x.Y, x.Op == token.LAND)
			return
		}
	}
	if !w.isBool(e) {
		return
	}
	n := len(*w.all) + 1
	pos := w.fset.Position(e.Pos())
	*w.all = append(*w.all, condition{N: n, File: w.file, Package: w.pkg, Line: pos.Line, Func: w.fn, Text: w.text(e),
		Off: off})
	w.edits = append(w.edits,
		edit{pos.Offset, fmt.Sprintf("switches.Off(%d, (", n), n},
		edit{w.fset.Position(e.End()).Offset, fmt.Sprintf("), %t)", off), -n})
}

func (w *wrapper) text(e ast.Expr) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, w.fset, e) // writing to a buffer does not fail
	return strings.Join(strings.Fields(b.String()), " ")
}

// apply returns the file with all insertions, and the import that they need.
func (w *wrapper) apply(src []byte, f *ast.File) []byte {
	at := w.fset.Position(f.Name.End()).Offset
	w.edits = append(w.edits, edit{at, "; import " + strconv.Quote(switchesPath), 0})
	slices.SortStableFunc(w.edits, func(a, b edit) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return order(a) - order(b)
	})
	var out bytes.Buffer
	last := 0
	for _, e := range w.edits {
		out.Write(src[last:e.at])
		out.WriteString(e.text)
		last = e.at
	}
	out.Write(src[last:])
	return out.Bytes()
}

// order sorts closing insertions before opening ones at the same offset; among the closing ones,
// the last opened comes first.
func order(e edit) int {
	if e.seq < 0 {
		return e.seq - 1<<20
	}
	return e.seq
}
