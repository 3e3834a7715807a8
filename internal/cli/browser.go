package cli

import (
	"os/exec"
	"runtime"
	"syscall"
)

// OpenBrowser opens a page in the user's browser, which outlives this process.
func OpenBrowser(url string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	cmd := exec.Command(program, url)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
