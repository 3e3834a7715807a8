// Package agentimport imports conversations from agents' own logs into the database, as sessions
// without a recording. It recognises and skips what ptyrec has recorded.
package agentimport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Importer imports logs into a database. All fields except Store and DryRun are required.
type Importer struct {
	Store    *sqlite.Store // nil in a dry run without a database
	DryRun   bool          // only report what would be imported
	Private  bool          // exclude imported sessions from sync
	Redact   archive.Redaction
	Out      io.Writer                        // receives a line for each session
	Notice   func(format string, args ...any) // prints a notice to the user
	Progress *human.Bar                       // counts the bytes read; its total grows

	known     map[[2]string]store.KnownLog
	present   map[string]bool            // paths of the existing logs
	parts     map[string]bool            // paths of the files that belong to another log
	holders   map[name]string            // paths of the logs that were imported under the agent's id alone
	ofPath    map[name]map[string]string // ids of stored sessions whose logs exist, by path
	gone      map[moved][]string         // ids of stored sessions whose logs are gone
	relatives map[beginning]*relatives
	recorded  []*recording
	looked    int // number of entries and prompts that were compared
	done      []imported
	tally     tally
	bytes     int64
}

// imported is a session to report.
type imported struct {
	sess  session.Session
	title string
	added bool
}

type tally struct{ added, updated, known, recorded, lone, failed int }

// Import imports the logs of agents. An unreadable log does not stop the others, and is named in
// the error. Each log is one transaction, so an interrupted import can be continued.
func (im *Importer) Import(ctx context.Context, agents []string) error {
	begun := time.Now()
	var problems []error
	report := func(err error) { problems = append(problems, err) }
	var logs []agentlog.Log
	for _, agent := range agents {
		logs = append(logs, agentlog.Find(agent, report)...)
	}
	if len(logs) == 0 {
		return cmp.Or(few(problems), nothing(agents))
	}
	im.present, im.parts = map[string]bool{}, map[string]bool{}
	for _, l := range logs {
		im.present[l.Path] = true
		for _, path := range l.Files[1:] {
			im.parts[path] = true
		}
		im.Progress.Grow(l.Size)
	}
	if err := im.load(ctx); err != nil {
		return err
	}
	im.tally.failed = len(problems)
	for i := range logs {
		err := im.one(ctx, &logs[i])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			im.tally.failed++
			report(fmt.Errorf("%s: %w", logs[i].Path, err))
		}
	}
	im.Progress.Finish()
	return errors.Join(few(problems), im.tell(ctx, begun))
}

// nothing prints that there are no logs.
func nothing(agents []string) error {
	var looked []string
	for _, agent := range agents {
		looked = append(looked, agentlog.Folders(agent)...)
	}
	return failure.New(errors.New("no logs of agents found"), "looked in "+strings.Join(looked, ", "))
}

// few joins errors. Of many it keeps only the first ones.
func few(errs []error) error {
	const most = 10
	if more := len(errs) - most; more > 0 {
		errs = append(slices.Clone(errs[:most]), fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}

// load reads what is already in the database.
func (im *Importer) load(ctx context.Context) (err error) {
	im.holders, im.relatives = map[name]string{}, map[beginning]*relatives{}
	im.ofPath, im.gone = map[name]map[string]string{}, map[moved][]string{}
	if im.Store == nil {
		return nil
	}
	if im.known, err = im.Store.KnownLogs(ctx); err != nil {
		return err
	}
	for key, l := range im.known {
		im.holders[name{key[0], l.ID}] = key[1]
	}
	infos, err := im.Store.Sessions(ctx, store.Filter{})
	for _, info := range infos {
		switch {
		case !info.Recorded():
			if !im.parts[info.Source.Path] {
				im.note(&info.Session)
			}
		case len(info.Agents) > 0:
			im.recorded = append(im.recorded, recordingOf(info))
		}
	}
	return err
}

// one imports a log, unless it has not changed since the last import.
func (im *Importer) one(ctx context.Context, l *agentlog.Log) error {
	if l.Lone {
		im.tally.lone++
		im.Progress.Add(int(l.Size))
		return nil
	}
	if old, ok := im.known[[2]string{l.Agent, l.Path}]; ok && old.State == l.State {
		im.tally.known++
		im.Progress.Add(int(l.Size))
		return nil
	}
	c, err := im.read(ctx, l)
	if c == nil {
		return err
	}
	defer func() { _ = c.spool.Close() }()
	if c.facts.Broken+c.facts.Long > 0 {
		im.Notice("%s: %s", printable.Line(l.Path), leftOut(c.facts))
	}
	if !slices.ContainsFunc(c.order, func(p place) bool { return !p.side }) {
		return err // it is empty
	}
	c.arrange()
	if matchErr := im.match(ctx, c); matchErr != nil {
		return errors.Join(err, matchErr)
	}
	return errors.Join(err, im.put(ctx, c))
}

// leftOut describes what could not be read in a log.
func leftOut(f agentlog.Facts) string {
	var parts []string
	if f.Broken > 0 {
		parts = append(parts, printable.Plural(f.Broken, "line")+" cannot be read")
	}
	if f.Long > 0 {
		parts = append(parts, printable.Plural(f.Long, "line")+" too long")
	}
	return strings.Join(parts, ", ") + ": left out"
}

// read reads a log into a spool. It returns nil if the spool cannot be created.
func (im *Importer) read(ctx context.Context, l *agentlog.Log) (*conversation, error) {
	folder := os.TempDir()
	if im.Store != nil {
		folder = filepath.Dir(im.Store.Path())
	}
	s, err := library.NewSpool(folder, os.TempDir())
	if err != nil {
		return nil, err
	}
	c := &conversation{log: l, spool: s, usage: map[string]session.Usage{}, starts: map[int32]int32{}}
	redact, _ := im.Redact.Of([]string{l.Agent})
	seen := int64(0)
	c.facts, err = l.Read(agentlog.Sink{
		Entry: func(e *session.Entry, _ string) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return c.add(redact.Entry(e, nil))
		},
		Usage: func(u session.Usage) error {
			c.usage[u.Key] = u
			return nil
		},
		Seen: func(n int) error {
			im.bytes += int64(n)
			if n = int(min(int64(n), l.Size-seen)); n > 0 {
				seen += int64(n)
				im.Progress.Add(n)
			}
			return ctx.Err()
		},
	})
	if im.Redact.Redactor != nil {
		c.facts.Title, c.facts.Cwd = redact.Text(c.facts.Title, nil), redact.Text(c.facts.Cwd, nil)
	}
	return c, err
}

// put stores a conversation.
func (im *Importer) put(ctx context.Context, c *conversation) error {
	sess := c.session()
	sess.Private = sess.Private || im.Private
	l := store.AgentLog{Agent: c.log.Agent, ID: im.logID(c), Path: c.log.Path, State: c.log.State}
	if old := im.known[[2]string{l.Agent, l.Path}]; old.ID != l.ID {
		l.Was = old.ID
	}
	own := im.ownSession(c, sess.StartedAt)
	if sess.ID = sessionID(sess.StartedAt, l.Agent, l.ID); own != "" {
		sess.ID = own
	}
	if err := im.findCopies(ctx, c, sess); err != nil {
		return err
	}
	l.Of, l.Recorded = c.used(), c.elsewhere()
	for _, path := range c.log.Files[1:] {
		if _, known := im.known[[2]string{l.Agent, path}]; known {
			l.Parts = append(l.Parts, path)
		}
	}
	switch recorded := c.recordedAs() != ""; {
	case c.left() > 0 || !recorded && own != "":
		l.Session, l.Active, l.Entries = sess, c.active(), c.entries()
	case recorded:
		im.tally.recorded++
	default: // other logs' sessions contain all of it
		im.tally.known++
	}
	if !im.DryRun {
		if err := im.Store.PutAgentLog(ctx, l); err != nil {
			return err
		}
	}
	if l.Session != nil {
		im.keep(c, sess)
		im.count(imported{*sess, c.title(), own == ""})
	}
	return nil
}

func (im *Importer) count(d imported) {
	im.done = append(im.done, d)
	if d.added {
		im.tally.added++
	} else {
		im.tally.updated++
	}
}

// tell prints the imported sessions with their ids, and totals.
func (im *Importer) tell(ctx context.Context, begun time.Time) error {
	var short listing.ShortIDs
	if im.Store != nil {
		ids, err := im.Store.IDs(ctx)
		if err != nil {
			return err
		}
		short = listing.NewShortIDs(ids)
	}
	for _, d := range im.done {
		line := fmt.Sprintf("%s: %s", printable.Line(d.sess.Source.Agent), printable.Clip(d.title, 60))
		if !im.DryRun {
			line = short.Of(d.sess.ID) + "  " + line
		}
		if !d.added {
			line += " (updated)"
		}
		fmt.Fprintln(im.Out, line)
	}
	t := im.tally
	verb := "imported"
	if im.DryRun {
		verb = "to be imported"
	} else if t.added+t.updated > 0 {
		verb += fmt.Sprintf(" (%s in %v)", human.FormatSize(im.bytes), time.Since(begun).Round(100*time.Millisecond))
	}
	text := fmt.Sprintf("%d %s", t.added, verb)
	for _, part := range []struct {
		n    int
		what string
	}{{t.updated, "updated"}, {t.known, "already there"}, {t.recorded, "recorded by ptyrec"}, {t.failed, "failed"}} {
		if part.n > 0 || part.what == "already there" {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	im.Notice("%s", text)
	if t.lone > 0 {
		im.Notice("skipped %s of subagents: their conversations are missing",
			printable.Plural(t.lone, "log"))
	}
	return nil
}

// sessionID returns the id of a log's session. It is the same for each import.
func sessionID(started time.Time, agent, id string) string {
	sum := sha256.Sum256([]byte("agent-log\x00" + agent + "\x00" + id))
	return archive.SessionID(started, sum[:])
}
