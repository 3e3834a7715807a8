package manage

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/team"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// redactOptions are the options of redact.
type redactOptions struct {
	IO   *cli.IO
	Open *opener.Opener
	Send team.Sending

	yes, json bool
}

// NewCmdRedact returns the redact command.
func NewCmdRedact(f *factory.Factory) *cobra.Command {
	o := &redactOptions{IO: f.IO, Open: f.Open, Send: team.SendingOf(f)}
	cmd := &cobra.Command{
		Use:   "redact S",
		Short: "Remove secrets from a recorded session",
		Long: `Redact removes secrets from a session's raw log, entries, title and command. It prints how many
secrets of which kind it found, but not the secrets, and asks before it rewrites the session. In
the raw log each character of a secret becomes "*"; times and sizes stay the same. The old
contents are removed from the database's files. This cannot be undone. docs/privacy.md explains
what counts as a secret.`,
		Example:           "  ptyrec redact last\n  ptyrec redact 4f1a --yes",
		Args:              cli.Operands(1, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			return redactSession(cmd.Context(), o, args)
		},
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask for confirmation")
	cmd.Flags().BoolVar(&o.json, "json", false, "report the secrets found as JSON")
	return cmd
}

func redactSession(ctx context.Context, o *redactOptions, args []string) error {
	db, info, ref, err := o.Open.Stored(ctx, args)
	if err == nil && !ref.Whole() {
		err = opener.WholeOnly(ref)
	}
	if err != nil {
		return err
	}
	if info.Status == store.Live {
		return failure.New(fmt.Errorf("session %s is being recorded", info.ID), "redact it after it has ended")
	}
	r, err := o.Open.Redaction()
	if err != nil {
		return err
	}
	if r.Redactor == nil {
		return failure.New(errors.New("redaction is off"), "omit --redact=false, or enable redaction in the configuration")
	}
	w, err := archive.NewRewriting(ctx, db, info, r)
	if err != nil {
		return err
	}
	for _, d := range w.Damage {
		o.IO.Notice("warning: %v; it is deleted, because its content is unknown", d)
	}
	if err := w.WriteFound(o.IO.Out, info.ID, o.json); err != nil {
		return err
	}
	if len(w.Found()) == 0 && len(w.Damage) == 0 {
		return nil
	}
	if !o.yes {
		if err := o.IO.Agreed("rewrite the session, which cannot be undone"); err != nil {
			return err
		}
	}
	err = db.RewriteSession(ctx, info.ID, w.Rewrite())
	o.Send.Beside() // the team's server may have the secrets
	if errors.Is(err, session.ErrBusy) {
		return failure.New(err, "close the other programs that use the database, and run `ptyrec doctor --repair`")
	}
	return err
}
