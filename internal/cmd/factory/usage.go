package factory

import (
	"context"

	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/store"
)

// Prices returns the prices of models: the user's, or else those built into the program.
func (f *Factory) Prices() (*usage.Prices, error) {
	c, err := f.Config()
	if err != nil {
		return nil, err
	}
	standard, err := config.PricesPath()
	if err != nil && c.Stats.Prices == "" {
		return usage.Listed(), nil // without a home folder there is no file
	}
	return usage.LoadPrices(c.Stats.Prices, standard)
}

// UsageForAPI returns the function for server.Options.Usage.
func (f *Factory) UsageForAPI(db usage.Database) func(ctx context.Context, infos []*store.Info) map[string]any {
	return func(ctx context.Context, infos []*store.Info) map[string]any {
		prices, err := f.Prices()
		if err != nil {
			return nil // the command stats reports errors in the prices
		}
		out := make(map[string]any, len(infos))
		for id, sum := range prices.Sums(ctx, db, infos) {
			out[id] = sum
		}
		return out
	}
}
