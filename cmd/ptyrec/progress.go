package main

import (
	"errors"
	"io"
	"os"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/progress"
)

// page lets write write to stdout, on a terminal through the user's pager.
func (a *app) page(write func(io.Writer) error) error {
	p := cli.Pager{}
	if isTerminal(a.stdout) {
		p = cli.PagerFrom(os.LookupEnv)
	}
	if a.staying {
		p.Stay()
		if !p.IsLess() {
			defer a.awaitEnter()
		}
	}
	err := p.Page(a.stdout, a.stderr, a.environ, write)
	if errors.Is(err, cli.ErrPager) {
		return failure.New(err, "set PTYREC_PAGER or PAGER to another one, or to cat")
	}
	return err
}

// newProgress shows how many bytes of these files have been read.
func newProgress(a *app, label string, paths []string) *progress.Bar {
	var total int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return a.progress(label, "", total)
}

// newCounter shows how many of total things have been done; unit names them.
func newCounter(a *app, label, unit string, total int) *progress.Bar {
	return a.progress(label, unit, int64(total))
}

func (a *app) progress(label, unit string, total int64) *progress.Bar {
	var out io.Writer
	if isTerminal(a.stderr) {
		out = a.stderr
	}
	return progress.New(out, func() int { return terminalWidth(a.stderr) }, label, unit, total)
}
