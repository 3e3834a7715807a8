package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// IO is the input and output of a command: the process's streams, and functions that use them.
type IO struct {
	In, Out, Err *os.File
	Environ      []string
	Temps        Temporaries

	Staying bool // the picker is shown again, so the pager waits for the user even if the text fits
}

// Streams returns the process's streams.
func Streams() *IO {
	return &IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Page calls write with stdout or, on a terminal, the user's pager.
func (o *IO) Page(write func(io.Writer) error) error {
	p := Pager{}
	if IsTerminal(o.Out) {
		p = PagerFrom(os.LookupEnv)
	}
	if o.Staying {
		p.Stay()
		if !p.IsLess() {
			defer o.awaitEnter()
		}
	}
	err := p.Page(o.Out, o.Err, o.Environ, write)
	if errors.Is(err, errPager) {
		return failure.New(err, "set PTYREC_PAGER or PAGER to another program, or to cat")
	}
	return err
}

// ReadProgress returns a bar for reading these files.
func (o *IO) ReadProgress(label string, paths []string) *human.Bar {
	var total int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return o.Progress(label, "", total)
}

// Counter returns a bar for a number of things with the name unit.
func (o *IO) Counter(label, unit string, total int) *human.Bar {
	return o.Progress(label, unit, int64(total))
}

// Progress returns a bar that is shown only on a terminal.
func (o *IO) Progress(label, unit string, total int64) *human.Bar {
	var out io.Writer
	if IsTerminal(o.Err) {
		out = o.Err
	}
	return human.NewBar(out, func() int { return terminalWidth(o.Err) }, label, unit, total)
}

// Colours returns the style for stdout. It uses colours only on a terminal, and never with NO_COLOR
// (no-color.org).
func (o *IO) Colours() Style {
	return Style(IsTerminal(o.Out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

// Width returns the width of stdout in columns: $COLUMNS, or the terminal's. 0 means no limit.
func (o *IO) Width() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !IsTerminal(o.Out) {
		return 0
	}
	return terminalWidth(o.Out)
}

// terminalWidth returns the columns of the terminal f; 80 if it does not say.
func terminalWidth(f *os.File) int {
	cols, _, err := term.GetSize(int(f.Fd()))
	if err != nil || cols < 1 {
		return 80
	}
	return cols
}

// Notice prints a notice for the user, which is not an error.
func (o *IO) Notice(format string, args ...any) {
	Notice(o.Err, fmt.Sprintf(format, args...))
}

// Logger returns a logger for messages of at least this level, which writes to stderr.
func (o *IO) Logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(o.Err, &slog.HandlerOptions{Level: level}))
}

// WriteFile is like Temporaries.WriteFile; "-" is stdout.
func (o *IO) WriteFile(path string, write func(io.Writer) error) error {
	if path == "-" || path == "" {
		return WriteBuffered(o.Out, write)
	}
	return o.Temps.WriteFile(path, write)
}

// Interactive reports whether the picker can be shown: it needs a terminal that can move its
// cursor.
func (o *IO) Interactive() bool {
	name := os.Getenv("TERM")
	return IsTerminal(o.In) && IsTerminal(o.Out) && name != "" && name != "dumb" && name != "unknown"
}

// awaitEnter waits for Enter, so that the user can read the terminal before the picker is shown
// again.
func (o *IO) awaitEnter() {
	fmt.Fprint(o.Err, "ptyrec: press Enter to go back to the list ")
	_, _ = bufio.NewReader(o.In).ReadString('\n') // an error counts as an answer
}

// Agreed asks on stderr whether to do what.
func (o *IO) Agreed(what string) error {
	return confirm(o.In, IsTerminal(o.In), o.Err, what)
}

// minPageWidth is the minimum width of a help page, in columns.
const minPageWidth = 40

// HelpWidth returns the width of help pages on stdout.
func (o *IO) HelpWidth() int {
	if n := o.Width(); n > 0 {
		return max(minPageWidth, min(n, PageWidth))
	}
	return PageWidth
}

// Shell returns the user's shell.
func Shell() string {
	if s := os.Getenv("SHELL"); s != "" {
		return s
	}
	return "/bin/sh"
}
