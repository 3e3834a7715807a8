package find

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/recorder/detached"
)

// trailerOptions are the options of trailer.
type trailerOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	url string
}

// NewCmdTrailer returns the trailer command.
func NewCmdTrailer(f *factory.Factory) *cobra.Command {
	o := &trailerOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "trailer",
		Short: "Print a line for commit messages that names the session",
		Long: `Trailer prints "Session: ID" inside a recorded session, for a commit message, and nothing
elsewhere. With --url it prints the session's address on a server instead of its id. docs/git.md
has a hook that adds the line to each commit message.`,
		Example: `  git interpret-trailers --in-place --trailer "$(ptyrec trailer)" "$1"      in prepare-commit-msg
  ptyrec trailer --url https://ptyrec.example`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return trailer(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.url, "url", "", "print the address on the server at `URL`")
	return cmd
}

func trailer(ctx context.Context, o *trailerOptions) error {
	if err := checkBase(o.url); err != nil {
		return err
	}
	id := os.Getenv(detached.Variable)
	if _, err := uuid.Parse(id); err != nil || len(id) != len(uuid.Nil.String()) || !o.Open.IsLive(ctx, id) {
		return nil //nolint:nilerr // this process runs outside of sessions
	}
	if o.url != "" {
		id = strings.TrimRight(o.url, "/") + "/s/" + id
	}
	_, err := fmt.Fprintln(o.IO.Out, "Session: "+id)
	return err
}

// checkBase returns an error unless base is the URL of a server.
func checkBase(base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" ||
		u.User != nil {
		return failure.Usage(errors.New("--url must be the address of a server, such as https://ptyrec.example"))
	}
	return nil
}
