package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// page writes text to stdout, on a terminal through a pager, as git does: $PTYREC_PAGER, else $PAGER, else less, which is
// told to quit where one screen is enough (LESS=FRX, unless it is set). The pager begins at the given line, from 1,
// if it is a less.
func (a *app) page(text string, line int) error {
	command := pager()
	if !isTerminal(a.stdout) || command == "" || command == "cat" {
		_, err := io.WriteString(a.stdout, text)
		return err
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), a.stdout, a.stderr
	cmd.Env = append(a.environ, "LESS="+lessFlags(line))
	if os.Getenv("LV") == "" {
		cmd.Env = append(cmd.Env, "LV=-c")
	}
	if err := cmd.Start(); err != nil {
		_, err = io.WriteString(a.stdout, text)
		return err
	}
	signal.Ignore(syscall.SIGINT) // Ctrl+C is the pager's, which outlives it
	defer signal.Reset(syscall.SIGINT)
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() != 127 || errors.Is(err, syscall.EPIPE) {
		return nil // left before the end: as is wanted
	}
	if err != nil {
		return fail(errors.New("the pager "+command+" cannot be run"), "set PTYREC_PAGER or PAGER to another one, or to cat")
	}
	return nil
}

func pager() string {
	for _, name := range []string{"PTYREC_PAGER", "PAGER"} {
		if command, ok := os.LookupEnv(name); ok {
			return strings.TrimSpace(command)
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

func lessFlags(line int) string {
	flags, ok := os.LookupEnv("LESS")
	if !ok {
		flags = "FRX"
	}
	if line > 1 {
		flags += " +" + strconv.Itoa(line) + "g"
	}
	return flags
}
