package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/ptyrec/ptyrec/internal/mutate/switches"
)

// testProgram is the tests of an instrumented package.
type testProgram struct {
	pkg
	path string
}

// buildTests builds the tests of packages with the overlay of build, in dir.
func buildTests(dir string, targets []pkg) ([]testProgram, error) {
	var out []testProgram
	for i, p := range targets {
		t := testProgram{p, filepath.Join(dir, fmt.Sprint("test", i))}
		cmd := exec.Command("go", "test", "-c", "-overlay", filepath.Join(dir, overlayFile), "-o", t.path, p.ImportPath)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, err
		}
		if _, err := os.Stat(t.path); err != nil {
			continue // it has no tests
		}
		if t.fails(0) {
			return nil, fmt.Errorf("the tests of %s fail with all conditions switched on", p.ImportPath)
		}
		out = append(out, t)
	}
	return out, nil
}

// fails reports whether the tests fail with condition n switched off.
func (t testProgram) fails(n int) bool {
	cmd := exec.Command(t.path, "-test.short", "-test.failfast", "-test.timeout=60s")
	cmd.Dir = t.Dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", switches.Variable, n))
	return cmd.Run() != nil
}

// tested reports whether a unit test fails without a condition: one of its own package, or of those
// that import it.
func tested(tests []testProgram, c condition) bool {
	return slices.ContainsFunc(tests, func(t testProgram) bool {
		return (t.ImportPath == c.Package || slices.Contains(t.Deps, c.Package)) && t.fails(c.N)
	})
}
