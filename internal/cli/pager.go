package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
)

// errPager reports that cannot run the pager.
var errPager = errors.New("cannot run the pager")

// Pager is the program that shows long output on a terminal.
type Pager struct {
	Command string   // command for sh -c; empty: write without a pager
	Env     []string // added to the pager's environment
}

// PagerFrom selects the pager as git does: $PTYREC_PAGER, else $PAGER, else less if it is
// installed. It selects none for a terminal that cannot move its cursor (TERM is unset, dumb or
// unknown).
//
// less is told to exit if the text fits on one screen (LESS=FRX), to show colours (R, which the
// user's own LESS may lack), and to print UTF-8 unchanged; in the C locale it would print the bytes
// in hexadecimal. The user's other settings are kept.
func PagerFrom(lookup func(name string) (string, bool)) Pager {
	if term, _ := lookup("TERM"); term == "" || term == "dumb" || term == "unknown" {
		return Pager{}
	}
	p := Pager{Command: pagerCommand(lookup)}
	switch flags, ok := lookup("LESS"); {
	case !ok:
		p.Env = append(p.Env, "LESS=FRX")
	case !strings.ContainsAny(flags, "RrP"): // what follows P is a prompt
		p.Env = append(p.Env, "LESS="+flags+" -R")
	}
	for _, v := range []struct{ name, value string }{{"LESSCHARSET", "utf-8"}, {"LV", "-c"}} {
		if text, _ := lookup(v.name); text == "" {
			p.Env = append(p.Env, v.name+"="+v.value)
		}
	}
	return p
}

func pagerCommand(lookup func(string) (string, bool)) string {
	command := "less"
	for _, name := range []string{"PAGER", "PTYREC_PAGER"} {
		if text, ok := lookup(name); ok {
			command = strings.TrimSpace(text)
		}
	}
	if command == "cat" {
		return ""
	}
	if _, err := exec.LookPath("less"); command == "less" && err != nil {
		return ""
	}
	return command
}

// IsLess reports whether the pager is less.
func (p Pager) IsLess() bool {
	name, _, _ := strings.Cut(p.Command, " ")
	return name == "less" || strings.HasSuffix(name, "/less")
}

// Stay makes less wait for the user even if the text fits on one screen.
func (p *Pager) Stay() {
	for i, v := range p.Env {
		if flags, ok := strings.CutPrefix(v, "LESS="); ok {
			p.Env[i] = "LESS=" + flags + " -+F"
			return
		}
	}
	if flags := os.Getenv("LESS"); p.IsLess() && !strings.Contains(flags, "P") { // what follows P is a prompt
		p.Env = append(p.Env, "LESS="+flags+" -+F")
	}
}

// Page shows in the pager on the terminal out what write writes. Its error is returned, unless the
// user has left the pager before the end. The error wraps errPager if cannot run the pager.
func (p Pager) Page(out, stderr *os.File, environ []string, write func(io.Writer) error) error {
	if p.Command == "" {
		return buffered(out, write)
	}
	cmd := exec.Command("sh", "-c", p.Command)
	cmd.Stdout, cmd.Stderr = out, stderr
	cmd.Env = append(environ[:len(environ):len(environ)], p.Env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return buffered(out, write)
	}
	signal.Ignore(syscall.SIGINT) // Ctrl+C is for the pager
	defer signal.Reset(syscall.SIGINT)
	written := errors.Join(buffered(in, write), in.Close())
	if errors.Is(written, syscall.EPIPE) || errors.Is(written, os.ErrClosed) { // the user left the pager early
		written = nil
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() != 127 {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%w: %s", errPager, p.Command)
	}
	return written
}

// Text returns a function for Page that writes text.
func Text(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := write(b); err != nil {
		return errors.Join(b.Flush(), err)
	}
	return b.Flush()
}
