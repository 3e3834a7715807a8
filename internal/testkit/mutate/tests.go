package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/ptyrec/ptyrec/internal/testkit/mutate/switches"
)

// readers are further packages whose tests are run if they import the examined package, and the
// tests to run: those with rows that no recording contains, in any order or without the first half
// of a recording. They show that a condition prevents a panic or invented text. Questions and very
// long calls are in no fixture.
var readers = []struct{ pattern, run string }{
	{"./extractor/transcript", "^Test(AnyBegin|QuestionsAreAsking|LastWords|Long(Tool|Plain))$"},
	{"./extractor/...", "."},
}

// fixed makes rapid draw the same rows in each run, and report a failure without shrinking it.
var fixed = []string{"RAPID_SEED=1", "RAPID_CHECKS=1000", "RAPID_SHRINKTIME=0s", "RAPID_NOFAILFILE=true"}

// testProgram is the test binary of a package, built with instrumented packages.
type testProgram struct {
	pkg
	path, run string
}

// buildTests builds the tests of packages, and of readers that import them, with the overlay of
// build, in dir.
func buildTests(dir string, targets []pkg) (out []testProgram, err error) {
	add := func(p pkg, run string) error {
		t := testProgram{p, filepath.Join(dir, fmt.Sprint("test", len(out))), run}
		cmd := exec.Command("go", "test", "-c", "-overlay", filepath.Join(dir, overlayFile), "-o", t.path, p.ImportPath)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
		if _, err := os.Stat(t.path); errors.Is(err, fs.ErrNotExist) {
			return nil // it has no tests
		}
		if t.fails(0) {
			return fmt.Errorf("the tests of %s fail with all conditions switched on", p.ImportPath)
		}
		out = append(out, t)
		return nil
	}
	for _, p := range targets {
		if err := add(p, "."); err != nil {
			return nil, err
		}
	}
	for _, r := range readers {
		packages, _, err := load(r.pattern)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			given := slices.ContainsFunc(targets, func(t pkg) bool { return t.ImportPath == p.ImportPath }) ||
				slices.ContainsFunc(out, func(t testProgram) bool { return t.ImportPath == p.ImportPath })
			if given || !slices.ContainsFunc(targets, func(t pkg) bool { return slices.Contains(p.Deps, t.ImportPath) }) {
				continue
			}
			if err := add(p, r.run); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// fails reports whether the tests fail if condition n is switched off.
func (t testProgram) fails(n int) bool {
	cmd := exec.Command(t.path, "-test.short", "-test.failfast", "-test.timeout=60s", "-test.run="+t.run)
	cmd.Dir = t.Dir
	cmd.Env = append(append(os.Environ(), fixed...), fmt.Sprintf("%s=%d", switches.Variable, n))
	return cmd.Run() != nil
}

// tested reports whether a test fails without a condition: one of its package, or of a reader that
// imports it.
func tested(tests []testProgram, c condition) bool {
	return slices.ContainsFunc(tests, func(t testProgram) bool {
		return (t.ImportPath == c.Package || slices.Contains(t.Deps, c.Package)) && t.fails(c.N)
	})
}
