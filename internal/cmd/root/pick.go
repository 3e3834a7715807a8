package root

import (
	"context"
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
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

// picking has the dependencies of the picker.
type picking struct {
	IO   *cli.IO
	Open *opener.Opener

	Show, Play, Attach, Resume func(ctx context.Context, id string) error
}

func newPicking(f *factory.Factory) *picking {
	with := func(do func(context.Context, *factory.Factory, string) error) func(context.Context, string) error {
		return func(ctx context.Context, id string) error { return do(ctx, f, id) }
	}
	return &picking{
		IO: f.IO, Open: f.Open,
		Show: with(find.ShowSession), Play: with(find.PlaySession), Attach: with(watch.AttachTo), Resume: with(record.Resume),
	}
}

// pick shows the picker and performs the chosen actions, until the user leaves, attaches or
// resumes. If there is no session, it calls none.
func (o *picking) pick(ctx context.Context, f factory.FilterFlags, none func() error) error {
	f.Folded = f.Sandbox == ""
	found, infos, filter, err := f.Choose(ctx, o.Open, time.Now(), 1)
	if err != nil && (!errors.Is(err, session.ErrCorrupt) || len(infos) == 0) {
		return err
	}
	if len(infos) == 0 {
		return none()
	}
	db, _ := found.(*sqlite.Store) // the picker is never used with --team
	r, err := o.Open.Redaction()
	if err != nil {
		return err
	}
	lib := &library.Library{Store: db, Redact: r} // without warnings, which would disturb the picker
	p := o.picker(db, lib, filter)
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
			return o.Attach(ctx, choice.Info.ID)
		case choice.Action == picker.Resume:
			return o.Resume(ctx, choice.Info.ID)
		}
		p.Note = o.look(ctx, choice)
	}
}

// picker returns a picker of the sessions in a database.
func (o *picking) picker(db *sqlite.Store, lib *library.Library, filter store.Filter) *picker.Picker {
	return &picker.Picker{
		In: o.IO.In, Out: o.IO.Out, Color: bool(o.IO.Colours()),
		Sessions: func(ctx context.Context, limit int) ([]*store.Info, error) {
			filter.Limit = limit
			return db.Sessions(ctx, filter)
		},
		Sockets: o.Open.Sockets,
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
			return export.Exporter{Library: lib}.WriteNew(ctx, path, info, o.IO.WriteFile)
		},
	}
}

// errPicked refuses to change records inside a recorded session, where the picker has no space to
// ask for confirmation.
var errPicked = errors.New("not allowed in a recorded session; use `ptyrec rm` or `ptyrec tag`, which ask you")

// look shows or plays a session. It returns an error message for the picker.
func (o *picking) look(ctx context.Context, choice picker.Choice) string {
	var err error
	switch choice.Action {
	case picker.Show:
		o.IO.Staying = true
		err = o.Show(ctx, choice.Info.ID)
		o.IO.Staying = false
	case picker.Play:
		err = o.Play(ctx, choice.Info.ID)
	}
	var status cli.ExitStatus
	if err == nil || errors.As(err, &status) {
		return ""
	}
	return err.Error()
}
