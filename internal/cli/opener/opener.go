// Package opener opens what the arguments of a command name: the database, a session of it, a part
// of one, or a recording's file. The errors have hints.
package opener

import (
	"io"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human"
)

// Opener opens what one command needs. Its functions are needed. Close must be called.
type Opener struct {
	Database  func() (path string, err error)
	Recording func(path string, seen func(n int)) (*archive.Recording, error) // opens a recording's file
	Progress  func(label, unit string, total int64) *human.Bar
	Notice    func(format string, args ...any) // tells the user what is no failure
	Temps     *cli.Temporaries
	Redaction func() (archive.Redaction, error) // what is taken out of what is shown
	Team      func() (Sessions, error)          // the sessions on the server of the team
	Opened    func()                            // called by Store, Existing and Session; nil: nothing
	Named     bool                              // the session was named with --session: no file is meant

	Hidden error // set by Existing: why some sessions cannot be read; nil: all can

	closers []io.Closer
}

// CloseLater has Close close c. To see errors that matter, close c earlier.
func (o *Opener) CloseLater(c io.Closer) { o.closers = append(o.closers, c) }

// Close closes what was opened, the last first.
func (o *Opener) Close() {
	for i := len(o.closers) - 1; i >= 0; i-- {
		_ = o.closers[i].Close() // best effort: the command's own errors have been told
	}
	o.closers = nil
}

func (o *Opener) opened() {
	if o.Opened != nil {
		o.Opened()
	}
}

// Closer is a function to be called by Close.
type Closer func() error

// Close calls c.
func (c Closer) Close() error { return c() }
