package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder"
)

// detachedSize is the window of a session without a terminal, in cells.
const detachedSize = "120x30"

// File descriptors of a session in the background, and of the program that starts it.
const (
	hostedFile      = 3 // it reports on this one that it has begun
	hostedOwnerFile = 4 // whose other end its owner holds, if it has one
	ownerFile       = 3 // the same for the program that starts it
)

// openOwner returns the file whose other end the owner of a session holds. No command inherits it.
func openOwner(fd int) *os.File {
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "owner")
}

// parseSize reads COLSxROWS.
func parseSize(text string) (cols, rows int, err error) {
	left, right, found := strings.Cut(text, "x")
	cols, errCols := strconv.Atoi(left)
	rows, errRows := strconv.Atoi(right)
	if !found || errCols != nil || errRows != nil {
		return 0, 0, usageError(fmt.Errorf("--size %q: it takes COLSxROWS, as %s", text, detachedSize))
	}
	if cols < 2 || rows < 1 || cols > protocol.MaxCols || rows > protocol.MaxRows {
		return 0, 0, usageError(fmt.Errorf("--size %q: the window must be 2x1 to %dx%d cells", text, protocol.MaxCols, protocol.MaxRows))
	}
	return cols, rows, nil
}

// detach starts a session in the background, prints its id, and returns. What goes wrong with its
// start is told here.
func detach(a *app, command []string, f runFlags) error {
	if _, _, err := parseSize(f.size); err != nil {
		return err
	}
	if err := recorder.CheckCommand(command[0]); err != nil {
		return startFailure(err)
	}
	path, err := a.dbPath()
	if err != nil {
		return err
	}
	args := []string{"--db", path}
	if a.redactFlag != nil {
		args = append(args, fmt.Sprintf("--redact=%v", *a.redactFlag))
	}
	args = append(args, "run", "--hosted", "--size", f.size, fmt.Sprintf("--input=%v", f.input))
	var owner []*os.File
	if f.owned {
		args, owner = append(args, "--owned"), append(owner, openOwner(ownerFile))
	}
	return startHosted(a, append(append(args, "--"), command...), owner...)
}

// startHosted starts this program again, in a session of its own, and passes files on to it.
func startHosted(a *app, args []string, files ...*os.File) error {
	told, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer told.Close()
	errs, errTo, err := os.Pipe()
	if err != nil {
		return err
	}
	defer errs.Close()
	cmd := exec.Command(executable(), args...)
	cmd.Args[0] = programName // whatever the file is called
	cmd.Env = withoutSession(a.environ)
	cmd.ExtraFiles = append([]*os.File{tell}, files...)
	cmd.Stderr = errTo
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_, _ = tell.Close(), errTo.Close()
	if err != nil {
		return err
	}
	id, _ := io.ReadAll(told)   // an empty one is the error
	said, _ := io.ReadAll(errs) // what can be had of it
	if len(bytes.TrimSpace(id)) > 0 {
		_, _ = a.stderr.Write(said)
		_, err := fmt.Fprintf(a.stdout, "%s\n", bytes.TrimSpace(id))
		return err
	}
	err = cmd.Wait()
	_, _ = a.stderr.Write(said)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return cli.ExitStatus(exit.ExitCode())
	}
	if err == nil { // it ended before it could report its id
		return nil
	}
	return fail(fmt.Errorf("the session did not start: %w", err), "try it without --detach")
}

// tellStart tells the process that started this session in the background its id, and lets it exit.
func tellStart(id string) {
	f := os.NewFile(hostedFile, "start")
	_, _ = fmt.Fprintln(f, id) // a process that is gone needs no answer
	_ = f.Close()
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		_ = unix.Dup2(int(null.Fd()), 2)
		_ = null.Close()
	}
}
