// Package doctor examines a database and the surroundings of ptyrec, and repairs the database.
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

// Verdicts of an examination. What is lost cannot be brought back: it is reported, and no failure.
const (
	OK     = "ok"
	Note   = "note"
	Lost   = "lost"
	Bad    = "bad"
	Mended = "mended"
)

// Finding is one thing that an examination found.
type Finding struct {
	Verdict string `json:"verdict"`
	What    string `json:"what"`
	Session string `json:"session,omitempty"` // its id
	Detail  string `json:"detail"`
}

// Options say what to examine. All functions are required.
type Options struct {
	Path   string // of the database; if it is empty, only the surroundings are examined
	Repair bool
	All    bool // with Repair: read all sessions again

	Open     func(ctx context.Context) (*sqlite.Store, error) // opens the database at Path
	OpenNew  func(ctx context.Context) (*sqlite.Store, error) // opens it after Repair has replaced it
	Library  func(db *sqlite.Store) (*library.Library, error)
	Progress func(label, unit string, total int64) *human.Bar

	Stdin, Stdout *os.File // one of them may be the terminal
	Session       string   // id of the recorded session that this process runs in, if any
	Agents        []string // names of programs
}

// examination is an examination at work.
type examination struct {
	Options
	db       *sqlite.Store
	hidden   map[string]bool // the sessions of which a journal cannot be read
	findings []Finding
}

// Examine examines the database, then the surroundings, and repairs what it can if that is wanted.
// It closes no database. The error says why it could not go on; there may be findings all the same.
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

// Report is what an examination found, in order.
type Report []Finding

// Bad counts what is still wrong.
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

// Write writes the report for people, a finding a line.
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
	x.findings = append(x.findings, Finding{Verdict: verdict, What: what, Session: id, Detail: fmt.Sprintf(format, args...)})
}

// mended returns the verdict on something that Repair takes care of.
func (x *examination) mended() string {
	if x.Repair {
		return Mended
	}
	return Bad
}

// sideBySide runs n parts of an examination on all cores, and reports what they find in order.
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

// showSeconds shows on a terminal how long work of unknown length has taken, until done is called.
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
