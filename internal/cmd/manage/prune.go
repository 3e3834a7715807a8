package manage

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/store"
)

// pruneOptions are the options of prune.
type pruneOptions struct {
	IO     *cli.IO
	Open   *opener.Opener
	Config func() (*config.Config, error)

	olderThan, maxSize string
	keep               int
	tagged, yes        bool
	retention          bool // started by Factory.Retain
}

// NewCmdPrune returns the prune command.
func NewCmdPrune(f *factory.Factory) *cobra.Command {
	o := &pruneOptions{IO: f.IO, Open: f.Open, Config: f.Config}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete old sessions",
		Long: `Prune deletes sessions that started before --older-than, all but the newest --keep, and the oldest
ones until the recordings fit into --max-size. It keeps live sessions, and those with a tag unless
you pass --tagged. It shows what it would delete and asks first, unless you pass --yes. The
section [retention] of the configuration does this once a day, without asking.`,
		Example: `  ptyrec prune --older-than 90d
  ptyrec prune --keep 200 --max-size 2GB --yes`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.retention {
				return applyRetention(cmd.Context(), o)
			}
			if !cmd.Flags().Changed("keep") {
				o.keep = -1
			}
			return prune(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.olderThan, "older-than", "", "delete sessions that started before `AGE` (90d, 12w, 1y)")
	cmd.Flags().IntVar(&o.keep, "keep", 0, "delete all but the newest `N` sessions")
	cmd.Flags().StringVar(&o.maxSize, "max-size", "", "delete the oldest until the rest fits into `SIZE` (500MB, 2GiB)")
	cmd.Flags().BoolVar(&o.tagged, "tagged", false, "also delete sessions with a tag")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for confirmation")
	cmd.Flags().BoolVar(&o.retention, "retention", false, "")
	_ = cmd.Flags().MarkHidden("retention") // the flag exists
	return cmd
}

func prune(ctx context.Context, o *pruneOptions) error {
	limits, err := o.limits(time.Now())
	if err != nil {
		return err
	}
	db, err := o.Open.Existing(ctx)
	if errors.Is(err, opener.ErrNoDatabase) {
		o.IO.Notice("nothing to delete")
		return nil
	}
	if err != nil {
		return err
	}
	infos, err := db.Sessions(ctx, store.Filter{})
	if err != nil {
		return err
	}
	victims := limits.Choose(infos)
	if len(victims) == 0 {
		kept := ""
		limits.Tagged = true
		if n := len(limits.Choose(infos)); n > 0 {
			kept = "; --tagged would also delete " + printable.Plural(n, "session") + " with tags"
		}
		o.IO.Notice("nothing to delete%s", kept)
		return nil
	}
	return deleteSessions(ctx, o.IO, db, victims, o.yes)
}

func (o *pruneOptions) limits(now time.Time) (library.RetentionLimits, error) {
	l := library.RetentionLimits{Keep: o.keep, Size: -1, Tagged: o.tagged}
	if o.olderThan == "" && o.maxSize == "" && o.keep < 0 {
		return l, &failure.Error{Err: errors.New("no sessions are selected"),
			Hint: "use --older-than, --keep or --max-size", Misuse: true}
	}
	if o.olderThan != "" {
		age, err := human.ParseAge(o.olderThan)
		if err != nil {
			return l, &failure.Error{Err: err, Hint: "try 90d, 12w or 1y", Misuse: true}
		}
		l.Before = now.Add(-age)
	}
	if o.maxSize != "" {
		size, err := human.ParseSize(o.maxSize)
		if err != nil {
			return l, &failure.Error{Err: err, Hint: "try 500MB or 2GiB", Misuse: true}
		}
		l.Size = size
	}
	return l, nil
}

// applyRetention applies the configured retention, in the process that Factory.Retain starts.
func applyRetention(ctx context.Context, o *pruneOptions) error {
	sys.LowestPriority()
	o.Open.Opened = nil // it would start this process again
	c, err := o.Config()
	if err != nil {
		return err
	}
	policy, err := c.Retention.Policy()
	if err != nil || policy.IsZero() {
		return err
	}
	db, err := o.Open.Existing(ctx)
	if err != nil {
		return err
	}
	_, err = policy.Apply(ctx, db, factory.Now())
	return err
}
