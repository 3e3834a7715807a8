package watch

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

// tailOutput is what tail writes, and where.
type tailOutput struct {
	Out    io.Writer
	Format render.Terminal
	JSON   bool // write JSON lines instead of Format
	Last   int  // number of entries to begin with
}

func (o *tailOutput) write(e *session.Entry) error {
	if o.JSON {
		return render.WriteLine(o.Out, e)
	}
	_, err := io.WriteString(o.Out, o.Format.Entry(e))
	return err
}

// shows reports whether anything is written for an entry.
func (o *tailOutput) shows(e *session.Entry) bool { return o.JSON || o.Format.Entry(e) != "" }

// tailPoll is the interval at which the database is polled. The recorder is another process, which
// cannot call us.
const tailPoll = 250 * time.Millisecond

// tailStored writes the entries of ref in a session of the database until the session or ref ends,
// or ctx is cancelled. If the session has ended without the entries of ref, the error is an
// *archive.MissingError.
func tailStored(ctx context.Context, l *library.Library, info *store.Info, ref archive.Ref, o tailOutput) error {
	if info.Status == store.Live && info.Piped() && ref.Whole() && !o.JSON {
		return runningCommand(ctx, l, info, o)
	}
	t := &tailFollower{lib: l, id: info.ID, finalWriter: o.finalWriter()}
	if !ref.Whole() {
		entries, err := l.Store.EntriesAfter(ctx, info.ID, 0)
		if err != nil {
			return err
		}
		if _, _, err := ref.Span(&session.Transcript{Session: info.Session, Entries: entries}); err != nil &&
			info.Status != store.Live {
			return err
		}
		t.seq, t.to, t.Last = ref.First-1, ref.To, -1
	}
	return t.follow(ctx)
}

// tailFollower writes the entries of a session of the database.
type tailFollower struct {
	finalWriter
	lib  *library.Library
	id   string
	said *follow.Entries // for a running command
}

func (t *tailFollower) follow(ctx context.Context) error {
	tick := time.NewTicker(tailPoll)
	defer tick.Stop()
	for first := true; ; first = false {
		info, err := t.lib.Store.Find(ctx, t.id) // before reading entries, so that none is missed at the end
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

// entries returns the entries after the last one that was written. Those of a running command are
// not in the database.
func (t *tailFollower) entries(ctx context.Context, info *store.Info) ([]*session.Entry, error) {
	if info.Process == "" || info.Status != store.Live {
		return t.lib.Store.EntriesAfter(ctx, t.id, t.seq)
	}
	if t.said == nil {
		t.said = follow.NewEntries(t.lib.Store, info.ID, archive.NewEntryReader(info.Session, t.lib.Redact))
	}
	_, _, err := t.said.Read(ctx, false)
	return t.said.After(t.seq), err
}
