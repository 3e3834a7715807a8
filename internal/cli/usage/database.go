package usage

import (
	"context"
	"time"

	"github.com/ptyrec/ptyrec/store"
)

// Report sums up what the sessions of a database used that a filter chooses. Days are those of the
// local time.
func (p *Prices) Report(ctx context.Context, db Database, f store.Filter) (*Report, error) {
	used, err := db.Usage(ctx, f)
	if err != nil {
		return nil, err
	}
	r := Of(used, p, time.Local)
	return &r, nil
}

// Database has what sessions used. *sqlite.Store, *postgres.Store and *team.Reader are some.
type Database interface {
	Usage(ctx context.Context, f store.Filter) ([]store.Used, error)
	UsageOf(ctx context.Context, ids []string) ([]store.Used, error)
}

// Sums returns what each of some sessions of a database used, by their ids. A database that cannot
// be read now returns nothing.
func (p *Prices) Sums(ctx context.Context, db Database, infos []*store.Info) map[string]*Sum {
	ids := make([]string, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
	}
	used, err := db.UsageOf(ctx, ids)
	if err != nil {
		return nil // the list of the sessions has said what is wrong
	}
	return BySession(used, p)
}
