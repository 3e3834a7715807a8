package setup

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// statusNoLog is the exit status of verify if there is no log.
const statusNoLog = 4

// verifyOptions are the options of verify.
type verifyOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	json bool
}

// NewCmdVerify returns the verify command.
func NewCmdVerify(f *factory.Factory) *cobra.Command {
	o := &verifyOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "verify [S|FILE]",
		Short: "Compare a session with the agent's own log",
		Long: `Verify compares a session with the agent's own log of it, word by word, without markup. It prints
how many messages are exact, how many characters are right, and each difference: [-in the log-]
{+in the transcript+}. It looks for the log of Claude Code in ~/.claude/projects, Codex in
~/.codex/sessions, Gemini CLI in ~/.gemini/tmp, Qwen Code in ~/.qwen/projects, Copilot CLI in
~/.copilot/session-state, pi in ~/.pi/agent/sessions, opencode and Kilo CLI in their databases. The
exit status is 1 if there is a difference, and 4 if there is no log.`,
		Example: `  ptyrec verify
  ptyrec verify 4f1a --json | jq '.[].chars'`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verify(cmd.Context(), o, args)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	return cmd
}

func verify(ctx context.Context, o *verifyOptions, args []string) error {
	db, info, err := o.Open.Whole(ctx, args)
	if err != nil {
		return err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	t, err := lib.Transcript(ctx, info)
	if err != nil {
		return err
	}
	found, looked, err := agentlog.Verify(info.Session, t.Entries)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		hint := "verify can read the logs of " + strings.Join(agentlog.Agents(), ", ")
		if len(looked) > 0 {
			hint = "looked in " + strings.Join(looked, ", ") + ", at the time and in the folder of the session"
		}
		return &failure.Error{Err: errors.New("no agent's log of this session found"), Hint: hint, Status: statusNoLog}
	}
	err = cli.WriteBuffered(o.IO.Out, func(w io.Writer) error {
		if o.json {
			return printable.WriteJSON(w, found)
		}
		for _, v := range found {
			v.Write(w, o.IO.Colours().Paint)
		}
		return nil
	})
	if err == nil && slices.ContainsFunc(found, func(v agentlog.Verification) bool { return len(v.Differs) > 0 }) {
		err = cli.ExitStatus(cli.StatusFailure) // the difference was already printed
	}
	return err
}
