package library

import (
	"context"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Renew extracts a session's raw log again, as Reread does, and replaces the stored entries.
// Entries that did not change keep their ids. It replaces nothing while the session is live, if
// damage to the raw log would lose entries, or if the store is read-only.
func (l *Library) Renew(ctx context.Context, info *store.Info) (*session.Transcript, []*store.Damage, error) {
	old, err := collect(l.Store.Each(ctx, info.ID))
	if err != nil {
		return nil, nil, err
	}
	t, damage, err := l.Reread(ctx, info)
	if err != nil {
		return nil, damage, err
	}
	session.KeepIDs(old, t.Entries)
	lossy := len(damage) > 0 && len(t.Entries) < len(old)
	k, keeps := l.Store.(keeper)
	if info.Status == store.Live || lossy || !keeps {
		return t, damage, nil
	}
	err = k.PutExtracted(ctx, info.ID, store.Extracted{Entries: store.List(t.Entries), Usage: t.Usage})
	return t, damage, err
}
