package setup

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/doctor"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// doctorOptions are the options of doctor.
type doctorOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	repair, all, json bool
}

// NewCmdDoctor returns the doctor command.
func NewCmdDoctor(f *factory.Factory) *cobra.Command {
	o := &doctorOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"check", "repair"},
		Short:      "Check the database and the environment; repair the database",
		Long: `Doctor checks the whole database and reports what is damaged or lost in each session. It also
checks the terminal and the installed agents. --repair rebuilds the full-text index, extracts
sessions with damaged or missing entries again (other entries keep their ids), makes the files
private, and removes deleted data from the file. It cannot restore what a raw log has lost. The
exit status is 1 if problems remain.`,
		Example: "  ptyrec doctor\n  ptyrec doctor --repair\n  ptyrec doctor --json",
		Args:    cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.all && !o.repair {
				return failure.Usage(errors.New("--all requires --repair"))
			}
			return examine(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.repair, "repair", false, "rebuild the index, and damaged entries")
	cmd.Flags().BoolVar(&o.all, "all", false, "with --repair: extract all sessions again")
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	return cmd
}

func examine(ctx context.Context, o *doctorOptions) error {
	path, pathErr := o.Open.Database()
	found, err := doctor.Examine(ctx, doctor.Options{
		Path: path, Repair: o.repair, All: o.all,
		Open: o.Open.Usable, OpenNew: o.Open.Store, Library: func(db *sqlite.Store) (*library.Library,
			error) {
			return o.Open.Library(db)
		}, Progress: o.IO.Progress,
		Stdin: o.IO.In, Stdout: o.IO.Out, Session: os.Getenv(detached.Variable), Agents: factory.AgentNames(),
	})
	write := found.Write
	if o.json {
		write = found.WriteJSON
	}
	if err := write(o.IO.Out); err != nil {
		return err
	}
	switch {
	case pathErr != nil:
		return pathErr
	case err != nil:
		return err
	}
	if bad := found.Bad(); bad > 0 {
		return failure.New(fmt.Errorf("found %s", printable.Plural(bad, "problem")),
			"copy the database, then repair it with `ptyrec doctor --repair`")
	}
	return nil
}
