package usage

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/store"
)

// Report sums up the usage of the sessions that a filter selects. Days are in local time.
func (p *Prices) Report(ctx context.Context, db Database, f store.Filter) (*Report, error) {
	used, err := db.Usage(ctx, f)
	if err != nil {
		return nil, err
	}
	r := Of(used, p, time.Local)
	return &r, nil
}

// Database is a source of usage. *sqlite.Store, *postgres.Store and *team.Reader implement it.
type Database interface {
	Usage(ctx context.Context, f store.Filter) ([]store.Used, error)
	UsageOf(ctx context.Context, ids []string) ([]store.Used, error)
}

// Sums returns the usage of some sessions of a database by id. It returns nothing if the database
// cannot be read now.
func (p *Prices) Sums(ctx context.Context, db Database, infos []*store.Info) map[string]*Sum {
	ids := make([]string, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
	}
	used, err := db.UsageOf(ctx, ids)
	if err != nil {
		return nil // listing the sessions has reported the error
	}
	return BySession(used, p)
}
