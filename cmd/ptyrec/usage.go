package main

import (
	"context"
	"errors"
	"time"

	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/internal/usage"
	"github.com/ptyrec/ptyrec/store"
)

// prices returns what models cost: as the user says, else as this program knows.
func (a *app) prices() (*usage.Prices, error) {
	c, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	standard, err := config.PricesPath()
	if err != nil && c.Stats.Prices == "" {
		return usage.Listed(), nil // without a home there is no file
	}
	return usage.LoadPrices(c.Stats.Prices, standard)
}

// usageReport sums up what the sessions that the filter chooses used.
func (a *app) usageReport(ctx context.Context, f store.Filter) (*usage.Report, error) {
	prices, err := a.prices()
	if err != nil {
		return nil, err
	}
	db, err := a.openExisting(ctx)
	if err != nil {
		if errors.Is(err, opener.ErrNoDatabase) {
			err = nil
		}
		return nil, err
	}
	used, err := db.Usage(ctx, f)
	if err != nil {
		return nil, err
	}
	r := usage.Of(used, prices, time.Local)
	return &r, nil
}

// usageOf returns what each of some sessions used, by their ids. A database that cannot say it now
// says nothing.
func (a *app) usageOf(ctx context.Context, db *store.Store, infos []*store.Info) (map[string]*usage.Sum, error) {
	prices, err := a.prices()
	if err != nil || db == nil {
		return nil, err
	}
	ids := make([]string, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
	}
	used, err := db.UsageOf(ctx, ids)
	if err != nil {
		return nil, nil //nolint:nilerr // the list itself has said what is wrong
	}
	return usage.BySession(used, prices), nil
}

// usageForAPI returns what server.Options wants of usage.
func (a *app) usageForAPI(db *store.Store) func(ctx context.Context, infos []*store.Info) map[string]any {
	return func(ctx context.Context, infos []*store.Info) map[string]any {
		used, err := a.usageOf(ctx, db, infos)
		if err != nil {
			return nil // stats says what is wrong with the prices
		}
		out := make(map[string]any, len(used))
		for id, sum := range used {
			out[id] = sum
		}
		return out
	}
}
