package root

import (
	"context"
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/find"
	"github.com/ptyrec/ptyrec/internal/cmd/find/picker"
	"github.com/ptyrec/ptyrec/internal/cmd/manage"
	"github.com/ptyrec/ptyrec/internal/cmd/record"
	"github.com/ptyrec/ptyrec/internal/cmd/watch"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// pick shows the picker, and does what the user chooses, until the user leaves, attaches or
// resumes. If there is no session, it calls none.
func pick(ctx context.Context, a *factory.Factory, f factory.FilterFlags, none func() error) error {
	f.Folded = f.Sandbox == ""
	found, infos, filter, err := f.Choose(ctx, a.Open, time.Now(), 1)
	if err != nil && (!errors.Is(err, session.ErrCorrupt) || len(infos) == 0) {
		return err
	}
	if len(infos) == 0 {
		return none()
	}
	db, _ := found.(*sqlite.Store) // --team does not come here
	r, err := a.Open.Redaction()
	if err != nil {
		return err
	}
	lib := &library.Library{Store: db, Redact: r} // without warnings: they would disturb the picker
	p := &picker.Picker{
		In: a.IO.In, Out: a.IO.Out, Color: bool(a.IO.Colours()),
		Sessions: func(ctx context.Context, limit int) ([]*store.Info, error) {
			filter.Limit = limit
			return db.Sessions(ctx, filter)
		},
		Sockets: a.Open.Sockets,
		Entries: lib.Beginning,
		Tag: func(ctx context.Context, info *store.Info, add, remove []string) ([]string, error) {
			for _, tag := range add {
				if err := store.CheckTag(tag); err != nil {
					return nil, err
				}
			}
			if peer.Here() != peer.Outside {
				return nil, errPicked
			}
			return db.Tag(ctx, info.ID, add, remove)
		},
		Delete: func(ctx context.Context, info *store.Info) error {
			if peer.Here() != peer.Outside {
				return errPicked
			}
			return manage.DeleteOne(ctx, db, info.ID)
		},
		Export: func(ctx context.Context, info *store.Info, path string) error {
			return export.Exporter{Library: lib}.WriteNew(ctx, path, info, a.IO.WriteFile)
		},
	}
	for {
		choice, err := p.Run(ctx)
		var ended *picker.SignalError
		switch {
		case errors.As(err, &ended):
			return cli.ExitStatus(128 + int(ended.Signal))
		case err != nil:
			return err
		case choice.Action == picker.Leave:
			return nil
		case choice.Action == picker.Attach:
			return watch.AttachTo(ctx, a, choice.Info.ID)
		case choice.Action == picker.Resume:
			return record.Resume(ctx, a, []string{choice.Info.ID}, false)
		}
		p.Note = look(ctx, a, choice)
	}
}

// errPicked refuses to change what is recorded inside a recorded session, where the picker has no
// room to ask.
var errPicked = errors.New("not in a recorded session: `ptyrec rm` and `ptyrec tag` ask you there")

// look shows or plays a session. It returns what went wrong, for the picker to say.
func look(ctx context.Context, a *factory.Factory, choice picker.Choice) string {
	var err error
	switch choice.Action {
	case picker.Show:
		a.IO.Staying = true
		err = find.ShowSession(ctx, a, choice.Info.ID)
		a.IO.Staying = false
	case picker.Play:
		err = find.PlaySession(ctx, a, choice.Info.ID)
	}
	var status cli.ExitStatus
	if err == nil || errors.As(err, &status) {
		return ""
	}
	return err.Error()
}
