package export

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/find/explain"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/timespan"
)

// explainOptions are what explain needs.
type explainOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	at   timespan.Moment
	json bool
}

// NewCmdExplain returns the command explain.
func NewCmdExplain(f *factory.Factory) *cobra.Command {
	o := &explainOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:        "explain S#N|FILE#N | explain S|FILE --at SECONDS",
		SuggestFor: []string{"why", "debug"},
		Short:      "Explain how an entry or a screen was read",
		Long: `Explain reads a session, or a recording's file, again and says why its transcript is as it is.

For S#12 it prints the history of entry 12, a line for each change: when, the frame, what happened
(new, grew, changed, repaired, details, ignored, dropped), the rows of the screen that it was read from,
the agent's look and version, the rule that read the rows, their place on the document, how that place was
found, and what changed.

With --at it prints the last frame up to that moment: for each row of the screen its line on the document,
the entry that it belongs to, what it was taken for and by which rule. Chrome is what is not part of the
conversation; a row marked - was read by no rule. Rows and lines count from 1.

docs/debugging.md shows how to find the fault in a wrong transcript with it.`,
		Example: `  ptyrec explain last#12
  ptyrec explain bug.cast#12 --json
  ptyrec explain bug.cast --at 12.5`,
		Args:              cli.Operands(1, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			return explainSession(cmd.Context(), o, args)
		},
	}
	cmd.Flags().Var(&o.at, "at", "explain the screen at this moment, in `SECONDS` from the start, or at the end")
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	return cmd
}

func explainSession(ctx context.Context, o *explainOptions, args []string) error {
	db, info, ref, err := o.Open.Session(ctx, args)
	if err != nil {
		return err
	}
	switch {
	case ref.Whole() && !o.at.Given:
		return failure.Usage(errors.New("which entry, or which moment? Name S#N, or add --at SECONDS"))
	case !ref.Whole() && o.at.Given:
		return failure.Usage(errors.New("an entry and --at exclude each other"))
	case ref.To != 0 && ref.To != ref.First:
		return failure.Usage(errors.New("explain takes one entry: S#N"))
	}
	redaction, err := o.Open.Redaction()
	if err != nil {
		return err
	}
	r := explain.Recording{Session: info.Session, Open: func() (archive.EventSource, func(), error) {
		m, err := archive.NewMasked(ctx, db, info, redaction)
		if err != nil {
			return nil, nil, err
		}
		return m, m.Stop, nil
	}}
	var report explain.Report
	if o.at.Given {
		report, err = explain.Screen(r, o.at.Duration())
	} else {
		report, err = explain.Entry(r, ref.First)
	}
	switch {
	case errors.Is(err, explain.ErrPiped):
		return failure.New(fmt.Errorf("session %s: %w", info.ID, err), "its output is its transcript: ptyrec show "+info.ID)
	case errors.Is(err, explain.ErrNoFrame):
		return failure.New(fmt.Errorf("session %s: %w", info.ID, err), "name a later moment")
	case err != nil:
		return opener.Missing(err)
	case o.json:
		return o.IO.WriteFile("-", report.WriteJSON)
	}
	return o.IO.WriteFile("-", report.WriteText)
}
