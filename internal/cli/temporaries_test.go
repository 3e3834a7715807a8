package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Half-written files go with the program.
func TestTemporaries(t *testing.T) {
	if name := os.Getenv("PTYREC_TEST_TEMPORARY"); name != "" {
		var temps Temporaries
		temps.Add(filepath.Join(name, "gone"))()
		temps.Add(filepath.Join(name, "half"))
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {} // until the signal has done its work
	}
	dir := t.TempDir()
	for _, name := range []string{"gone", "half"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestTemporaries$")
	cmd.Env = append(os.Environ(), "PTYREC_TEST_TEMPORARY="+dir)
	cmd.WaitDelay = time.Minute
	_ = cmd.Run() // it dies
	if _, err := os.Stat(filepath.Join(dir, "half")); err == nil {
		t.Error("the file that was half written is there")
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); err != nil {
		t.Errorf("the file that was whole is gone: %v", err)
	}
}
