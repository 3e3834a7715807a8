package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// sessions examines each session.
func (x *examination) sessions(ctx context.Context) error {
	infos, err := x.db.Sessions(ctx, store.Filter{})
	if err != nil {
		x.say(Bad, "sessions", "%v", err)
		return err
	}
	x.say(OK, "sessions", "%d", len(infos))
	bar := x.Progress("checking sessions", "sessions", int64(len(infos)))
	defer bar.Finish()
	return x.sideBySide(len(infos), func(part *examination, i int) error {
		if err := part.session(ctx, infos[i]); err != nil {
			part.sayOf(infos[i].ID, Bad, "session", "%v", err)
		}
		bar.Add(1)
		return ctx.Err()
	})
}

// session examines one session: its raw log, how it ended, and its entries.
func (x *examination) session(ctx context.Context, info *store.Info) error {
	if x.hidden[info.ID] {
		return nil // already reported
	}
	damage, events, err := rawDamage(ctx, x.db, info)
	if err != nil {
		return err
	}
	for _, d := range damage {
		x.sayOf(info.ID, Lost, "raw log", "output bytes %d to %d, from %s to %s: %v", d.StartByte, d.EndByte,
			d.StartAt.Round(time.Millisecond), d.EndAt.Round(time.Millisecond), reason(d))
	}
	if info.Status == store.Interrupted {
		x.sayOf(info.ID, Lost, "interrupted", "its recorder was stopped; recorded up to %s, output byte %d",
			info.StartedAt.Add(info.Duration).Local().Format(time.DateTime), info.RawBytes)
	}
	return x.entries(ctx, info, len(damage) > 0, events == 0)
}

func reason(d *store.Damage) string {
	if d.Err == nil {
		return "missing"
	}
	return printable.OneLine(d.Err.Error())
}

// rawDamage reads a whole raw log and returns its damage.
func rawDamage(ctx context.Context, db *sqlite.Store, info *store.Info) (damage []*store.Damage, events int,
	err error) {
	source := archive.NewRawLog(ctx, db, info.ID, 0)
	defer source.Stop()
	for {
		if _, err := source.Next(); err != nil {
			source.Missing(info)
			return source.Damage, events, archive.IgnoreEnd(err)
		}
		events++
	}
}

// entries examines a session's entries, and extracts them from the raw log again if that improves
// them.
func (x *examination) entries(ctx context.Context, info *store.Info, damaged, empty bool) error {
	old, err := x.db.Entries(ctx, info.ID) // unreadable entries have no ids to keep
	if err != nil && !errors.Is(err, session.ErrCorrupt) {
		return err
	}
	whole := err == nil && messages(old) == info.Messages
	cut := info.Status == store.Interrupted
	unread := info.Unread && !cut
	wanted := !whole || unread || x.Repair && (cut || x.All) && !damaged
	if info.Status == store.Live || !wanted || empty {
		return nil
	}
	if x.Repair {
		if err := x.rebuild(ctx, info, old); err != nil {
			return err
		}
	}
	x.sayEntries(info.ID, err, whole, unread)
	return nil
}

// sayEntries reports why a session's entries were extracted again, or have to be. err is the error
// of reading them.
func (x *examination) sayEntries(id string, err error, whole, unread bool) {
	switch {
	case err != nil:
		x.sayOf(id, x.mended(), "entries", "damaged: %v", err)
	case !whole:
		x.sayOf(id, x.mended(), "entries", "some are missing")
	case unread:
		verdict := Note
		if x.Repair {
			verdict = Mended
		}
		x.sayOf(id, verdict, "entries",
			"the end of the conversation is not extracted yet; show, export and search extract it")
	default:
		x.sayOf(id, Mended, "entries", "extracted again")
	}
}

// messages returns the number of messages among entries.
func messages(entries []*session.Entry) (n int) {
	for _, e := range entries {
		if e.Type == session.TypeMessage {
			n++
		}
	}
	return n
}

// rebuild extracts a session's entries from its raw log again. Unchanged entries keep their ids.
func (x *examination) rebuild(ctx context.Context, info *store.Info, old []*session.Entry) error {
	lib, err := x.Library(x.db)
	if err != nil {
		return err
	}
	t, _, err := lib.Reread(ctx, info)
	if err != nil {
		return err
	}
	session.KeepIDs(old, t.Entries)
	return errors.Join(x.db.ReplaceEntries(ctx, info.ID, store.List(t.Entries)), x.db.UpdateSession(ctx, &t.Session))
}
