package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/protocol"
)

// Exit statuses of wait.
const (
	statusAsking  = 3   // the agent asks for approval
	statusTimeout = 124 // as timeout(1)
)

const (
	// calm is how long a session must have been idle: a prompt that was just sent is noticed within it.
	calm = 1500 * time.Millisecond
	// starting is how long it must have been where it has shown nothing yet: agents take seconds to start, and lose what is typed until then.
	starting = 10 * time.Second
)

type waitFlags struct {
	idle    bool
	text    string
	timeout time.Duration
}

func newWaitCmd(a *app) *cobra.Command {
	var f waitFlags
	cmd := &cobra.Command{
		Use:   "wait S --idle | --text RE [--timeout D]",
		Short: "Wait until a live session is idle, or shows a text",
		Long: `Wait returns when a session's agent has been waiting for a prompt for a moment (--idle; without an agent: when nothing more is written,
or for 10 seconds nothing at all), or when the screen shows what a regular expression matches (--text), and prints that.

The exit status is 0 then; 3 where the agent asks for approval instead of being idle; 124 when the time is over; 1 where the session ends first.`,
		Example: `  ptyrec send last "run the tests" --enter && ptyrec wait last --idle --timeout 10m && ptyrec show last
  ptyrec wait 01a1fcd2 --text 'PASS|FAIL'`,
		Args:              operands(1, 1),
		ValidArgsFunction: completeLive(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.idle == (f.text != "") {
				return usageError(errors.New("wait: it takes --idle or --text"))
			}
			re, err := regexp.Compile(f.text)
			if err != nil {
				return usageError(fmt.Errorf("--text: %w", err))
			}
			return wait(cmd.Context(), a, args[0], f, re)
		},
	}
	cmd.Flags().BoolVar(&f.idle, "idle", false, "until the agent waits for a prompt")
	cmd.Flags().StringVar(&f.text, "text", "", "until the screen shows what `RE` matches")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 0, "wait no longer, as `30s` or 10m")
	return cmd
}

func wait(ctx context.Context, a *app, ref string, f waitFlags, re *regexp.Regexp) error {
	if f.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.timeout)
		defer stop()
	}
	s, hello, err := joinLive(ctx, a, ref, client.AttachOptions{Name: "wait", Kind: protocol.Agent, Mode: protocol.ModeText})
	if err != nil {
		return err
	}
	defer s.Close()
	if f.idle {
		err = waitIdle(ctx, s, hello.State)
	} else {
		err = waitText(ctx, a, s, re)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &failure{err: fmt.Errorf("timed out after %v", f.timeout), hint: "`ptyrec screen " + ref + "` shows what it does", status: statusTimeout}
	}
	return sessionOver(err)
}

// waitIdle waits until the state has been idle for a moment, or nothing was written where there is no agent.
func waitIdle(ctx context.Context, s *client.Stream, state protocol.State) error {
	patience := calm
	if state.State == "" {
		patience = starting
	}
	due := time.Now().Add(patience)
	for {
		until, stop := ctx, context.CancelFunc(func() {})
		if state.State != "busy" {
			until, stop = context.WithDeadline(ctx, due)
		}
		e, err := s.Next(until)
		over := until.Err() != nil && ctx.Err() == nil
		stop()
		switch {
		case over && state.State == "asking":
			return &failure{err: errors.New("the agent asks for approval"), hint: "answer it, or `ptyrec send` the key that does", status: statusAsking}
		case over:
			return nil
		case err != nil:
			return err
		}
		switch e := e.(type) {
		case protocol.State:
			state, due = e, time.Now().Add(calm)
		case protocol.Screen:
			if strings.Join(e.Lines, "") != "" {
				patience = calm
			}
			if state.State == "" {
				due = time.Now().Add(patience)
			}
		}
	}
}

func waitText(ctx context.Context, a *app, s *client.Stream, re *regexp.Regexp) error {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		screen, ok := e.(protocol.Screen)
		if !ok {
			continue
		}
		for _, line := range screen.Lines {
			if re.MatchString(line) {
				_, err := fmt.Fprintln(a.stdout, printable.Text(line))
				return err
			}
		}
	}
}
