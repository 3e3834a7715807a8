package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// needed returns the path of a program, which may be in a place outside $PATH. Without it the test
// is skipped, and fails where .ci/run has installed it.
func needed(t *testing.T, name string, places ...string) string {
	t.Helper()
	for _, place := range append([]string{name}, places...) {
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	if os.Getenv("PTYREC_NEED_OPERATION") != "" {
		t.Fatalf("there is no %s", name)
	}
	t.Skipf("needs %s", name)
	return ""
}

// Systemd takes the unit as it is.
func TestSystemdUnit(t *testing.T) {
	program := needed(t, "systemd-analyze")
	text, err := os.ReadFile("server/ptyrec.service")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	installed := filepath.Join(dir, "ptyrec") // verify looks for the program
	if err := os.WriteFile(installed, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(dir, "ptyrec.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/bin/ptyrec", installed)),
		0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "verify", "--man=no", "--recursive-errors=no",
		unit).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	bad := filepath.Join(dir, "bad.service")
	if err := os.WriteFile(bad, []byte(strings.Replace(string(text), "RestartSec=2", "RestartSec=soon", 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := exec.CommandContext(t.Context(), program, "verify", "--man=no", "--recursive-errors=no",
		bad).CombinedOutput(); !strings.Contains(string(out), "Failed to parse") {
		t.Errorf("verify finds nothing in a bad unit: %s", out)
	}
}

// The files for operators name flags and variables that there are.
func TestServerFilesAgree(t *testing.T) {
	for file, needed := range map[string][]string{
		"compose.yaml": {"PTYREC_DB: postgres://", "[team, serve, --listen,", "packaging/server/Dockerfile"},
		"nginx.conf":   {"client_max_body_size 5m", "proxy_set_header Host $host", "proxy_buffering off"},
		"Dockerfile":   {"./cmd/ptyrec"},
	} {
		text, err := os.ReadFile(filepath.Join("server", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range needed {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %q", file, part)
			}
		}
		if strings.Contains(string(text), "X-Forwarded") { // nobody reads it
			t.Errorf("%s sets headers that are not trusted", file)
		}
	}
}
