// Package tail writes what is said in a session while it is recorded: each entry once it is final,
// and of commands with pipes each line.
package tail

import (
	"context"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/live/follow"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Options say what is written, and how.
type Options struct {
	Out    io.Writer
	Format render.Terminal
	JSON   bool // entries as JSON lines, not in Format
	Last   int  // begin with the last so many entries
}

func (o *Options) write(e *session.Entry) error {
	if o.JSON {
		return render.WriteLine(o.Out, e)
	}
	_, err := io.WriteString(o.Out, o.Format.Entry(e))
	return err
}

// shows reports whether write writes anything for an entry.
func (o *Options) shows(e *session.Entry) bool { return o.JSON || o.Format.Entry(e) != "" }

// poll is how often the database is asked for more. A recorder writes into it from another process,
// which cannot call us.
const poll = 250 * time.Millisecond

// Session writes the entries of ref in a session of the database until the session or ref ends, or
// ctx is done. If the session has ended without the entries of ref, the error is an
// *archive.MissingError.
func Session(ctx context.Context, l *library.Library, info *store.Info, ref archive.Ref, o Options) error {
	if info.Status == store.Live && info.Piped() && ref.Whole() && !o.JSON {
		return runningCommand(ctx, l, info, o)
	}
	t := &follower{lib: l, id: info.ID, finalWriter: o.finalWriter()}
	if !ref.Whole() {
		entries, err := l.Store.EntriesAfter(ctx, info.ID, 0)
		if err != nil {
			return err
		}
		if _, _, err := ref.Span(&session.Transcript{Session: info.Session, Entries: entries}); err != nil && info.Status != store.Live {
			return err
		}
		t.seq, t.to, t.Last = ref.First-1, ref.To, -1
	}
	return t.follow(ctx)
}

// follower writes the entries of a session of the database.
type follower struct {
	finalWriter
	lib  *library.Library
	id   string
	said *follow.Entries // of a command that runs
}

func (t *follower) follow(ctx context.Context) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for first := true; ; first = false {
		info, err := t.lib.Store.Find(ctx, t.id) // before the entries: what it ends with is not to be missed
		if err != nil {
			return err
		}
		entries, err := t.entries(ctx, info)
		if err != nil {
			return err
		}
		over := info.Status != store.Live
		if over && (info.Beside || info.Unread) {
			all, err := t.lib.Transcript(ctx, info)
			if err != nil {
				return err
			}
			entries = all.Entries
		}
		if first && t.Last >= 0 {
			t.skip(entries, t.Last)
		}
		if err := t.put(entries, over); err != nil || over {
			return archive.IgnoreEnd(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// entries returns those after the last one that was written. Nobody puts those of a command that
// runs into the database.
func (t *follower) entries(ctx context.Context, info *store.Info) ([]*session.Entry, error) {
	if info.Process == "" || info.Status != store.Live {
		return t.lib.Store.EntriesAfter(ctx, t.id, t.seq)
	}
	if t.said == nil {
		t.said = follow.NewEntries(t.lib.Store, info.ID, archive.NewEntryReader(info.Session, t.lib.Redact))
	}
	_, _, err := t.said.Read(ctx, false)
	return t.said.After(t.seq), err
}
