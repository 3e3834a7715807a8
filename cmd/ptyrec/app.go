package main

import (
	"io"
	"log/slog"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/config"
)

// app is what the commands share: the process's streams, the flags of the root, and what was opened
// on their behalf.
type app struct {
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	environ []string
	dbFlag  string // --db
	timing  string // --timing

	open  *opener.Opener
	temps cli.Temporaries

	staying bool // the picker comes back: the pager waits for the user also if the text fits the window

	configMu   sync.Mutex     // guards config: recordings are read side by side
	config     *config.Config // as loadConfig read it
	redactFlag *bool          // --redact; nil if not given
	retained   bool           // retain was called
}

func newApp() *app {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ()}
	a.open = newOpener(a)
	return a
}

// closeLater closes c when the command is over. To see errors that matter, close c earlier.
func (a *app) closeLater(c io.Closer) { a.open.CloseLater(c) }

func (a *app) close() { a.open.Close() }

// logger returns a log of what is at least of this level, on stderr.
func (a *app) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// loadConfig returns the configuration. The first call reads it, further calls return the same.
func (a *app) loadConfig() (*config.Config, error) {
	a.configMu.Lock()
	defer a.configMu.Unlock()
	if a.config == nil {
		c, err := config.Load()
		if err != nil {
			return nil, err
		}
		a.config = c
	}
	return a.config, nil
}

// freshConfig reads the configuration again, for a command that runs for long.
func (a *app) freshConfig() (*config.Config, error) {
	a.configMu.Lock()
	a.config = nil
	a.configMu.Unlock()
	return a.loadConfig()
}

// redaction returns the redaction that the flags, the environment and the configuration ask for.
func (a *app) redaction() (archive.Redaction, error) {
	c, err := a.loadConfig()
	if err != nil {
		return archive.Redaction{}, err
	}
	rc := c.Redact
	if a.redactFlag != nil {
		rc.Enabled = *a.redactFlag
	}
	r, err := rc.Redactor()
	return archive.Redaction{Redactor: r}, err
}

// openRecording opens the recording at path, "-" being stdin. seen is called with the number of
// bytes at each read.
func (a *app) openRecording(path string, seen func(n int)) (*archive.Recording, error) {
	r, err := a.redaction()
	if err != nil {
		return nil, err
	}
	return archive.OpenRecording(path, archive.RecordingOptions{Stdin: a.stdin, Timing: a.timing, Redact: r, Seen: seen})
}

// writeFile is Temporaries.WriteFile, with "-" for stdout.
func (a *app) writeFile(path string, write func(io.Writer) error) error {
	if path == "-" || path == "" {
		return cli.WriteBuffered(a.stdout, write)
	}
	return a.temps.WriteFile(path, write)
}
