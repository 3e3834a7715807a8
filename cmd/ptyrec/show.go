package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

type showFlags struct {
	tools, thinking, events, raw bool
}

func newShowCmd(a *app) *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:        "show [S[#N]]",
		SuggestFor: []string{"cat", "view", "print", "read"},
		Short:      "Show the conversation of a session",
		Long: `Show writes what was said in a session (an id, a unique beginning of one, or last), on a terminal through a pager as
git log does ($PTYREC_PAGER, $PAGER, less). Tool calls take one line; --tools opens them. S#12 begins at entry 12.`,
		Example: `  ptyrec show
  ptyrec show 019a9ec0 --tools --thinking
  ptyrec show last#12
  ptyrec show last --raw > session.bytes`,
		Args:              operands(0, 1),
		ValidArgsFunction: completeSessions(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.raw && (f.tools || f.thinking || f.events) {
				return usageError(errors.New("--raw stands alone"))
			}
			return show(cmd.Context(), a, args, f)
		},
	}
	cmd.Flags().BoolVar(&f.tools, "tools", false, "what tools were given and gave")
	cmd.Flags().BoolVar(&f.thinking, "thinking", false, "the agents' thinking, too")
	cmd.Flags().BoolVar(&f.events, "events", false, "all events, too: resizes, busy, idle, …")
	cmd.Flags().BoolVar(&f.raw, "raw", false, "the bytes that the command wrote, as they came")
	return cmd
}

func show(ctx context.Context, a *app, args []string, f showFlags) error {
	db, info, ref, err := a.openSession(ctx, args)
	if err != nil {
		return err
	}
	if f.raw {
		return showRaw(ctx, a, db, info)
	}
	t, err := storedTranscript(ctx, a, db, info)
	if err != nil {
		return err
	}
	r := &render.Terminal{Width: a.width(), Color: bool(a.colours()), Tools: f.tools, Thinking: f.thinking, Events: f.events}
	text, line := conversation(r, t, info, ref.seq)
	if ref.seq > 0 && line == 0 {
		return noEntry(info.ID, ref.seq)
	}
	return a.page(text, line)
}

// conversation gives the whole text and the line of the entry seq, from 1; 0 where there is none. Where no pager can jump, the text
// begins there.
func conversation(r *render.Terminal, t *session.Transcript, info *store.Info, seq int) (text string, line int) {
	var b strings.Builder
	head := t.Session
	head.Title = titleOf(info)
	b.WriteString(r.Head(&head, labels(info)...))
	jump := 0
	for _, e := range t.Entries {
		wanted := *r
		if e.Seq == seq {
			wanted.Tools, wanted.Thinking, wanted.Events = true, true, true
		}
		text := wanted.Entry(e)
		if e.Seq == seq {
			line, jump = strings.Count(b.String(), "\n")+2, b.Len()
		}
		b.WriteString(text)
	}
	if !r.Color && jump > 0 {
		return strings.TrimPrefix(b.String()[jump:], "\n"), 1
	}
	return b.String(), line
}

// labels gives what the user said of a session.
func labels(info *store.Info) (out [][2]string) {
	if len(info.Tags) > 0 {
		out = append(out, [2]string{"Tags", strings.Join(info.Tags, ", ")})
	}
	if info.Note != "" {
		out = append(out, [2]string{"Note", info.Note})
	}
	if info.Status != store.Ended {
		out = append(out, [2]string{"Status", info.Status})
	}
	return out
}

// showRaw writes the output's bytes.
func showRaw(ctx context.Context, a *app, db *store.Store, info *store.Info) error {
	source := newStored(ctx, db, info.ID, 0)
	defer source.stop()
	err := writeBuffered(a.stdout, func(w io.Writer) error {
		for {
			e, err := source.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if e.Kind == session.Output {
				if _, err := w.Write(e.Data); err != nil {
					return err
				}
			}
		}
	})
	for _, d := range source.damage {
		a.notice("warning: %v", d)
	}
	return err
}
