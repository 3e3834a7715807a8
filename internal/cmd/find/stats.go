package find

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// statsOptions are the options of stats.
type statsOptions struct {
	IO     *cli.IO
	Open   *opener.Opener
	Prices func() (*usage.Prices, error)

	factory.TableFlags
	days int
}

// NewCmdStats returns the stats command.
func NewCmdStats(f *factory.Factory) *cobra.Command {
	o := &statsOptions{IO: f.IO, Open: f.Open, Prices: f.Prices}
	cmd := &cobra.Command{
		Use:        "stats",
		SuggestFor: []string{"stat", "status"},
		Short:      "Count sessions, turns, hours, tokens and cost",
		Long: `Stats counts sessions, turns (your prompts) and hours by agent, folder and day; and the tokens
that agents used, with their cost, by model. Tokens from imported agents' logs are exact; those
that agents printed are a lower bound. You can set your own prices (docs/usage.md).`,
		Example: `  ptyrec stats
  ptyrec stats --since 2026-11-01 --agent codex
  ptyrec stats --json | jq .agents
  ptyrec stats --since 30d --json | jq '.usage.models[] | {name, total, cost}'`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return stats(cmd.Context(), o) },
	}
	o.Register(o.Open, cmd)
	o.RegisterTeam(cmd.Flags())
	cmd.Flags().IntVar(&o.days, "days", 14, "show the last `N` days in the chart")
	return cmd
}

func stats(ctx context.Context, o *statsOptions) error {
	if o.days < 0 || o.days > 3660 {
		return failure.Usage(fmt.Errorf("--days must be 0 to 3660, not %d", o.days))
	}
	now := time.Now()
	db, infos, filter, err := countedSessions(ctx, o, now)
	if err != nil {
		return err
	}
	if len(infos) == 0 && !o.AsJSON {
		o.NoticeNone(o.Open)
		return nil
	}
	end := now
	if !filter.Until.IsZero() && filter.Until.Before(now) {
		end = filter.Until.Add(-time.Nanosecond)
	}
	s := summaryOf(infos, end.Local(), o.days)
	prices, err := o.Prices()
	if err != nil {
		return err
	}
	if db != nil {
		if s.Usage, err = prices.Report(ctx, db, filter); err != nil {
			return err
		}
	}
	return cli.WriteBuffered(o.IO.Out, func(w io.Writer) error {
		if o.AsJSON {
			return printable.WriteJSON(w, s)
		}
		return s.Write(w, o.IO.Colours(), o.IO.Width())
	})
}

// countedSessions returns the sessions that the flags select. It first extracts those that are not
// completely extracted.
func countedSessions(ctx context.Context, o *statsOptions, now time.Time) (opener.Sessions, []*store.Info,
	store.Filter, error) {
	db, infos, filter, err := o.Choose(ctx, o.Open, now, 0)
	if err != nil || db == nil {
		return db, infos, filter, err
	}
	lib, err := o.Open.Library(db)
	if err == nil {
		err = lib.ReadOutAll(ctx, filter)
	}
	if err != nil {
		return nil, nil, filter, err
	}
	infos, err = db.Sessions(ctx, filter)
	return db, infos, filter, err
}
