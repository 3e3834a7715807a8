// Package factory provides what commands share: streams, the configuration, and access to sessions.
package factory

import (
	"os"
	"sync"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/redact"
)

// Factory is shared by the commands: it has the process's streams, the values of the root's flags,
// and closes what commands have opened.
type Factory struct {
	IO       *cli.IO
	Open     *opener.Opener // opens the database and what a command's arguments name
	Live     join.Live      // finds live sessions
	Database string         // --db
	Timing   string         // --timing
	Redact   *bool          // --redact; nil if not given
	retained bool           // whether Retain was called

	configMu sync.Mutex     // guards config, because recordings are read in parallel
	config   *config.Config // cached by Config
}

// New returns the factory of a command that uses io.
func New(io *cli.IO) *Factory {
	f := &Factory{IO: io}
	f.Open = newOpener(f)
	f.Live = join.Live{Open: f.Open}
	return f
}

// Close closes everything that was opened.
func (f *Factory) Close() { f.Open.Close() }

// Config returns the configuration. The first call reads it, further calls return the same.
func (f *Factory) Config() (*config.Config, error) {
	f.configMu.Lock()
	defer f.configMu.Unlock()
	if f.config == nil {
		c, err := config.Load()
		if err != nil {
			return nil, err
		}
		f.config = c
	}
	return f.config, nil
}

// FreshConfig reads the configuration again, for a long-running command.
func (f *Factory) FreshConfig() (*config.Config, error) {
	f.configMu.Lock()
	f.config = nil
	f.configMu.Unlock()
	return f.Config()
}

// redaction returns the redaction that the flags, the environment and the configuration configure.
func (f *Factory) redaction() (archive.Redaction, error) {
	c, err := f.Config()
	if err != nil {
		return archive.Redaction{}, err
	}
	rc := c.Redact
	if f.Redact != nil {
		rc.Enabled = *f.Redact
	}
	r, err := rc.Redactor()
	return archive.Redaction{Redactor: r}, err
}

// openRecording opens the recording at path; "-" is stdin. seen is called with the number of bytes
// of each read.
func (f *Factory) openRecording(path string, seen func(n int)) (*archive.Recording, error) {
	r, err := f.redaction()
	if err != nil {
		return nil, err
	}
	return archive.OpenRecording(path, archive.RecordingOptions{Stdin: f.IO.In, Timing: f.Timing, Redact: r, Seen: seen})
}

// SafeConfig returns the configuration with redaction on, whatever it says.
func (f *Factory) SafeConfig() (*config.Config, error) {
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	safe := *c
	safe.Redact.Enabled, safe.Redact.Known = true, true
	return &safe, nil
}

// AgentRedactor returns the Redactor for screens that agents are shown.
func (f *Factory) AgentRedactor() (*redact.Redactor, error) {
	safe, err := f.SafeConfig()
	if err != nil {
		return nil, err
	}
	return safe.Redact.Redactor()
}

// Quiet returns an Opener that always removes secrets, whatever the flags and the configuration
// say. It prints notices only if loud is set. f closes what it opens.
func (f *Factory) Quiet(loud bool) (*opener.Opener, error) {
	safe, err := f.SafeConfig()
	if err != nil {
		return nil, err
	}
	q := New(&cli.IO{In: f.IO.In, Out: f.IO.Out, Err: f.IO.Err, Environ: f.IO.Environ})
	q.Database, q.config = f.Database, safe
	if !loud {
		if q.IO.Err, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return nil, err
		}
		q.Open.CloseLater(q.IO.Err)
	}
	f.Open.CloseLater(opener.Closer(func() error { q.Close(); return nil }))
	return q.Open, nil
}
