package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWindowsBuildSaysWSL: a build for Windows ended in compiler errors (issue 12, 3.11).
func TestWindowsBuildSaysWSL(t *testing.T) {
	cmd := exec.Command("go", "build", "-o", os.DevNull, ".")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "ptyrec needs WSL on Windows") {
		t.Errorf("error %v, output:\n%s", err, out)
	}
}
