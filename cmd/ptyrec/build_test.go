package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestWindowsBuildSaysWSL: a build for Windows ended in compiler errors.
func TestWindowsBuildSaysWSL(t *testing.T) {
	cmd := exec.Command("go", "build", "-o", os.DevNull, ".")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	said := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(out)), "\n"), func(l string) bool {
		return strings.HasPrefix(l, "go: downloading ") // modules that only Windows needs
	})
	if err == nil || len(said) != 1 || !strings.Contains(said[0], "ptyrec needs WSL on Windows") {
		t.Errorf("error %v, output:\n%s", err, out)
	}
}
