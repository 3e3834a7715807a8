// Package doctor examines a database and the environment of ptyrec, and repairs the database.
package doctor

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Verdicts. Lost data cannot be restored, so it is reported, but does not count as a failure.
const (
	OK     = "ok"
	Note   = "note"
	Lost   = "lost"
	Bad    = "bad"
	Mended = "mended"
)

// Finding is one result of an examination.
type Finding struct {
	Verdict string `json:"verdict"`
	What    string `json:"what"`
	Session string `json:"session,omitempty"` // id of the session
	Detail  string `json:"detail"`
}

// Options are the options of Examine. All functions are required.
type Options struct {
	Path   string // path of the database; if empty, only the environment is examined
	Repair bool
	All    bool // with Repair: extract all sessions again

	Open     func(ctx context.Context) (*sqlite.Store, error) // opens the database at Path
	OpenNew  func(ctx context.Context) (*sqlite.Store, error) // opens it after Repair has replaced it
	Library  func(db *sqlite.Store) (*library.Library, error)
	Progress func(label, unit string, total int64) *human.Bar

	Stdin, Stdout *os.File // one of them may be the terminal
	Session       string   // id of the recorded session in which this process runs, or empty
	Agents        []string // names of programs
}

// examination is the state of an examination.
type examination struct {
	Options
	db       *sqlite.Store
	hidden   map[string]bool // sessions with an unreadable journal
	findings []Finding
}

// Examine examines the database, then the environment, and makes repairs if requested. It does not
// close databases. It returns an error if it could not continue, together with the findings so far.
func Examine(ctx context.Context, o Options) (Report, error) {
	x := &examination{Options: o, hidden: map[string]bool{}}
	var err error
	if o.Path != "" {
		err = x.database(ctx)
	}
	x.folders()
	x.left()
	x.terminal()
	x.agents()
	return x.findings, err
}

// Report is the list of findings, in order.
type Report []Finding

// Bad returns the number of problems that remain.
func (r Report) Bad() (n int) {
	for _, f := range r {
		if f.Verdict == Bad {
			n++
		}
	}
	return n
}

// WriteJSON writes the report for programs.
func (r Report) WriteJSON(w io.Writer) error {
	return printable.WriteJSON(w, map[string]any{"findings": r})
}

// Write writes the report for people, one finding a line.
func (r Report) Write(w io.Writer) error {
	for _, f := range r {
		what := f.What
		if f.Session != "" {
			what += " " + f.Session
		}
		if _, err := fmt.Fprintf(w, "%-6s  %s: %s\n", f.Verdict, printable.Line(what), printable.Line(f.Detail)); err != nil {
			return err
		}
	}
	return nil
}

func (x *examination) say(verdict, what, format string, args ...any) {
	x.sayOf("", verdict, what, format, args...)
}

func (x *examination) sayOf(id, verdict, what, format string, args ...any) {
	x.findings = append(x.findings, Finding{Verdict: verdict, What: what, Session: id,
		Detail: fmt.Sprintf(format, args...)})
}

// mended returns the verdict for a problem that Repair fixes.
func (x *examination) mended() string {
	if x.Repair {
		return Mended
	}
	return Bad
}

// sideBySide runs n parts of an examination on all cores, and reports their findings in order.
func (x *examination) sideBySide(n int, examine func(part *examination, i int) error) error {
	parts := make([]examination, n)
	err := sys.OnAllCores(n, func(i int) error {
		parts[i] = examination{Options: x.Options, db: x.db, hidden: x.hidden}
		return examine(&parts[i], i)
	})
	for i := range parts {
		x.findings = append(x.findings, parts[i].findings...)
	}
	return err
}

// showSeconds shows on a terminal how long work of unknown length is taking, until done is called.
func (x *examination) showSeconds(label string) (done func()) {
	shown := x.Progress(label, "s", 0)
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		defer shown.Finish()
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-tick.C:
				shown.Add(1)
			case <-over:
				tick.Stop()
				return
			}
		}
	}()
	return func() { close(over); <-stopped }
}
