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
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// explainOptions are the options of explain.
type explainOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	at   human.Moment
	json bool
}

// NewCmdExplain returns the explain command.
func NewCmdExplain(f *factory.Factory) *cobra.Command {
	o := &explainOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:        "explain S#N|FILE#N | explain S|FILE --at SECONDS",
		SuggestFor: []string{"why", "debug"},
		Short:      "Explain how an entry or a screen was extracted",
		Long: `Explain extracts a session or a recording again, and shows why its transcript is as it is.

S#12 prints the history of entry 12, one line for each change: the time, the frame, what happened
(new, grew, changed, repaired, details, ignored, dropped), the rows of the screen, the agent's
look and version, the rule that matched, the lines of the document, how they were found, and what
changed.

--at prints the last frame before that moment: for each row its line in the document, its entry,
and what it was taken for by which rule. Chrome is outside of the conversation; no rule matched
rows marked -. Rows and lines count from 1.

docs/debugging.md shows how to find the cause of a wrong transcript.`,
		Example: `  ptyrec explain last#12
  ptyrec explain bug.cast#12 --json
  ptyrec explain bug.cast --at 12.5`,
		Args:              cli.Operands(1, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			return explainSession(cmd.Context(), o, args)
		},
	}
	cmd.Flags().Var(&o.at, "at", "explain the screen at `SECONDS` from the start, or end")
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
		return failure.Misuse("name an entry (S#N), or a moment (--at SECONDS)", "explain requires an entry or --at")
	case !ref.Whole() && o.at.Given:
		return failure.Usage(errors.New("an entry and --at cannot be combined"))
	case ref.To != 0 && ref.To != ref.First:
		return failure.Usage(errors.New("explain requires a single entry, S#N"))
	}
	redaction, err := o.Open.Redaction()
	if err != nil {
		return err
	}
	r := traced{Session: info.Session, Open: func() (archive.EventSource, func(), error) {
		m, err := archive.NewMasked(ctx, db, info, redaction)
		if err != nil {
			return nil, nil, err
		}
		return m, m.Stop, nil
	}}
	var report report
	if o.at.Given {
		report, err = traceScreen(r, o.at.Duration())
	} else {
		report, err = traceEntry(r, ref.First)
	}
	switch {
	case errors.Is(err, errPiped):
		return failure.New(fmt.Errorf("session %s: %w", info.ID, err), "its output is its transcript: ptyrec show "+info.ID)
	case errors.Is(err, errNoFrame):
		return failure.New(fmt.Errorf("session %s: %w", info.ID, err), "name a later moment")
	case err != nil:
		return opener.Missing(err)
	case o.json:
		return o.IO.WriteFile("-", report.WriteJSON)
	}
	return o.IO.WriteFile("-", report.WriteText)
}
