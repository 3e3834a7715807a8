package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// TestAsciinema has asciinema itself read exported recordings of real agents: it writes the same
// bytes, and plays them. The page's test has asciinema-player read them.
func TestAsciinema(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("asciinema"); err != nil {
		t.Skip("asciinema is not installed")
	}
	version, err := exec.Command("asciinema", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	formats := []string{"cast2"}
	if !bytes.Contains(version, []byte(" 2.")) { // up to version 2 it reads no version 3
		formats = append(formats, "cast")
	}
	casts, err := filepath.Glob("../../testdata/transcripts/*/*-tools*/session.cast.gz")
	if err != nil || len(casts) == 0 {
		t.Fatalf("%d recordings, %v", len(casts), err)
	}
	dir := t.TempDir()
	environ, _ := env(t)
	output := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command("ptyrec", args...)
		cmd.Env = environ
		b, err := cmd.Output()
		if err != nil {
			t.Fatalf("ptyrec %s: %v", strings.Join(args, " "), err)
		}
		return b
	}
	output(append([]string{"import"}, casts...)...)
	var sessions []struct{ ID string }
	if err := json.Unmarshal(output("list", "--json"), &sessions); err != nil || len(sessions) != len(casts) {
		t.Fatalf("%d of %d recordings listed, %v", len(sessions), len(casts), err)
	}
	for _, format := range formats {
		for _, s := range sessions {
			file := filepath.Join(dir, s.ID+"."+format)
			output("export", s.ID, file, "--format", format)
			u := ptytest.New(t) // it wants a terminal, even for cat
			cmd := exec.Command("sh", "-c", "asciinema cat $0 > $0.bytes && asciinema play -s 100000 $0", file)
			u.Start(t, cmd)
			if status := ptytest.Status(t, cmd); status != 0 {
				t.Fatalf("asciinema: status %d\n%s", status, u.Shown())
			}
			got, err := os.ReadFile(file + ".bytes")
			if err != nil {
				t.Fatal(err)
			}
			if want := output("show", s.ID, "--raw"); len(want) == 0 || !bytes.Equal(got, want) {
				t.Errorf("%s: asciinema printed %d bytes, want the recording's %d", filepath.Base(file), len(got), len(want))
			}
		}
	}
}
