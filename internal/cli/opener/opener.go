// Package opener opens what the arguments of a command name: the database, a session in it, a part
// of one, or a recording's file. The errors have hints.
package opener

import (
	"io"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human"
)

// Opener opens what a command needs. Its functions are required. The caller must Close it.
type Opener struct {
	Database  func() (path string, err error)
	Recording func(path string, seen func(n int)) (*archive.Recording, error) // opens a recording's file
	Progress  func(label, unit string, total int64) *human.Bar
	Notice    func(format string, args ...any) // prints a notice to the user
	Temps     *cli.Temporaries
	Redaction func() (archive.Redaction, error) // the redaction of what is shown
	Team      func() (Sessions, error)          // the sessions on the team's server
	Opened    func()                            // called by Store, Existing and Session; may be nil
	Named     bool                              // the session was named with --session, so it is not a file

	Hidden error // set by Existing: the reason why some sessions cannot be read; nil if all can

	closers []io.Closer
}

// CloseLater makes Close close c. If errors matter, close c before.
func (o *Opener) CloseLater(c io.Closer) { o.closers = append(o.closers, c) }

// Close closes what was opened, in reverse order.
func (o *Opener) Close() {
	for i := len(o.closers) - 1; i >= 0; i-- {
		_ = o.closers[i].Close() // best effort: the command's errors were already reported
	}
	o.closers = nil
}

func (o *Opener) opened() {
	if o.Opened != nil {
		o.Opened()
	}
}

// Closer is a function that Close calls.
type Closer func() error

// Close calls c.
func (c Closer) Close() error { return c() }
