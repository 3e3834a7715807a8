package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// An export that is interrupted leaves no file, neither the one that was asked for nor a temporary one.
func TestInterruptedExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "in")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	cmd := exec.Command("ptyrec", "extract", fifo, "-o", out)
	cmd.Env, _ = env(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v, want SIGINT", err)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Half-written files go with the program.
func TestTemporaries(t *testing.T) {
	if name := os.Getenv("PTYREC_TEST_TEMPORARY"); name != "" {
		var temps temporaries
		temps.add(filepath.Join(name, "gone"))()
		temps.add(filepath.Join(name, "half"))
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
