package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// resumeOptions are the options of resume.
type resumeOptions struct {
	IO     *cli.IO
	Open   *opener.Opener
	Config func() (*config.Config, error)
	Run    *runOptions // options for recording the agent

	print bool
}

func newResumeOptions(f *factory.Factory) *resumeOptions {
	return &resumeOptions{IO: f.IO, Open: f.Open, Config: f.Config, Run: newRunOptions(f)}
}

// NewCmdResume returns the resume command.
func NewCmdResume(f *factory.Factory) *cobra.Command {
	o := newResumeOptions(f)
	cmd := &cobra.Command{
		Use:        "resume [S]",
		SuggestFor: []string{"continue", "reopen"},
		Short:      "Resume the conversation of a session in a new one",
		Long: `Resume continues the conversation of a past session in a new, recorded session: in the same
folder, with claude --resume ID, codex resume ID, and the like for Gemini CLI, Qwen Code, GitHub
Copilot CLI, opencode, Kilo CLI and pi. The conversation's id comes from what the agent printed at its end,
from the agent's own log, or from the recorded command line.`,
		Example: `  ptyrec resume
  ptyrec resume 4f1a
  ptyrec resume last --print      the command only`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompleteSessions(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			return resumeSession(cmd.Context(), o, args)
		},
	}
	cmd.Flags().BoolVar(&o.print, "print", false, "print the command without running it")
	return cmd
}

// resumeSession resumes the agent's conversation of a session, or prints how to do it.
func resumeSession(ctx context.Context, o *resumeOptions, args []string) error {
	db, info, err := o.Open.Whole(ctx, args)
	if err != nil {
		return err
	}
	name := listing.ShortID(info.ID)
	if info.Status == store.Live {
		return failure.New(fmt.Errorf("session %s is still running", name), "type into it: ptyrec attach "+name+" --control")
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	p, err := planResume(ctx, lib, info)
	switch {
	case errors.Is(err, errNoAgent):
		return failure.New(fmt.Errorf("session %s cannot be resumed: %w", name, err),
			"`ptyrec show "+name+"` shows the session")
	case errors.Is(err, errNoID):
		return failure.New(fmt.Errorf("session %s cannot be resumed: %w", name, err),
			"neither the screen, the agent's own log nor the command line has the id")
	case err != nil:
		return err
	}
	if o.print {
		_, err := fmt.Fprintln(o.IO.Out, printable.Text(p.line()))
		return err
	}
	if p.Cwd != "" {
		if err := os.Chdir(p.Cwd); err != nil {
			return failure.New(fmt.Errorf("the folder of session %s cannot be used: %w", name, err),
				"the agent finds the conversation only in that folder: create it, or run `ptyrec resume "+name+" --print`")
		}
		o.IO.Environ = append(o.IO.Environ, "PWD="+p.Cwd)
	}
	if _, err := exec.LookPath(p.Command[0]); err != nil && p.Command[0] != p.Agent { // it was moved since
		p.Command[0] = p.Agent
	}
	c, err := o.Config()
	if err != nil {
		return err
	}
	o.Run.input, o.Run.continues, o.Run.private = c.Run.Input, info.ID, info.Private
	if o.Run.ignore, err = c.Run.Ignored(); err != nil {
		return err
	}
	return run(ctx, o.Run, p.Command)
}

// Resume resumes the agent's conversation of a session.
func Resume(ctx context.Context, f *factory.Factory, id string) error {
	return resumeSession(ctx, newResumeOptions(f), []string{id})
}
