package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/prompt"
)

// promptOptions are the options of prompt.
type promptOptions struct {
	IO   *cli.IO
	Live join.Live

	timeout    time.Duration
	json       bool
	interrupt  bool
	allowShell bool
	name       string
}

// NewCmdPrompt returns the prompt command.
func NewCmdPrompt(f *factory.Factory) *cobra.Command {
	o := &promptOptions{IO: f.IO, Live: f.Live}
	cmd := &cobra.Command{
		Use:        "prompt S [TEXT… | -] [--timeout TIME] [--json] [--interrupt]",
		SuggestFor: []string{"ask", "say"},
		Short:      "Send a prompt to an agent, and print the reply",
		Long: `Prompt sends TEXT to the agent of a live session, waits until the agent is idle again, and prints
the reply. If TEXT is -, it is read from stdin. The session needs ` + "`ptyrec grant`" + `. If the agent is
starting, prompt waits up to a minute for it.

The agent must be idle, with an empty input box. TEXT is trimmed; control characters other than
Tab and line feeds are removed. / at the start is a command of the agent (/clear). ! at the start
runs a shell command in some agents, and needs --allow-shell. The text is pasted once. Enter is
pressed when the agent shows it, and once more if nothing happens. If the agent does not accept
the text, prompt fails.

--interrupt stops what the agent does, before TEXT is sent if there is one.

The exit status is 0 when the reply is complete, 3 if the agent asks something, 124 after
--timeout, and 1 for any other failure. --json prints the entries of the reply, as in a
transcript.`,
		Example: `  ptyrec prompt last "Why does the build fail?" --timeout 10m
  git diff | ptyrec prompt 4f1a -
  ptyrec prompt last --interrupt`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteLive(f.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := sendText(o.IO.In, args[1:])
			if err != nil {
				return err
			}
			if len(args) == 1 && !o.interrupt {
				return failure.Usage(errors.New("prompt: pass a text, - or --interrupt"))
			}
			return promptAgent(cmd.Context(), o, args[0], text, len(args) > 1)
		},
	}
	cmd.Flags().DurationVarP(&o.timeout, "timeout", "w", 0, "give up after `TIME`, such as 30s or 10m")
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "wait" { // former name of --timeout
			name = "timeout"
		}
		return pflag.NormalizedName(name)
	})
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	cmd.Flags().BoolVar(&o.interrupt, "interrupt", false, "stop what the agent is doing")
	cmd.Flags().BoolVar(&o.allowShell, "allow-shell", false, "allow ! at the start to run a shell command")
	cmd.Flags().StringVar(&o.name, "as", "prompt", "record the sender as `NAME`")
	return cmd
}

// agentStart is how long to wait for an agent to start.
const agentStart = time.Minute

func promptAgent(ctx context.Context, o *promptOptions, ref, text string, send bool) error {
	ref, err := opener.LiveName(ref)
	if err != nil {
		return err
	}
	c, err := o.Live.Dial(ctx)
	if err != nil {
		return err
	}
	s := prompt.New(c, ref, prompt.Options{Name: o.name})
	if o.interrupt {
		if err := s.Interrupt(ctx); err != nil && !(send && errors.Is(err, prompt.ErrIdle)) {
			return join.Prompt(err, ref)
		}
	}
	if !send {
		return nil
	}
	receipt, err := s.Send(ctx, text, prompt.SendOptions{Start: agentStart, AllowShell: o.allowShell})
	if err != nil {
		return join.Prompt(err, ref)
	}
	if o.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, o.timeout)
		defer stop()
	}
	reply, err := s.Reply(ctx, receipt)
	if wrong := reply.Write(o.IO.Out, o.json); wrong != nil {
		return wrong
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &failure.Error{Err: fmt.Errorf("timed out after %v", o.timeout),
			Hint: "`ptyrec wait " + ref + " --idle` waits longer", Status: cli.StatusTimeout}
	}
	return join.Prompt(err, ref)
}
