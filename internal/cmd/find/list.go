// Package find implements the commands that find and show sessions.
package find

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// listed is the maximum number of sessions without --limit.
const listed = 100

// listOptions are the options of list.
type listOptions struct {
	IO     *cli.IO
	Open   *opener.Opener
	Prices func() (*usage.Prices, error)

	factory.TableFlags
	limit       int
	interactive bool

	pick Picker
}

// Picker lets the user pick one of the sessions that the flags select. If there are none, it calls
// none.
type Picker func(ctx context.Context, flags factory.FilterFlags, none func() error) error

// NewCmdList returns the list command. pick implements --interactive.
func NewCmdList(f *factory.Factory, pick Picker) *cobra.Command {
	o := &listOptions{IO: f.IO, Open: f.Open, Prices: f.Prices, pick: pick}
	cmd := &cobra.Command{
		Use:        "list",
		SuggestFor: []string{"log", "history", "sessions"},
		Aliases:    []string{"ls"},
		Short:      "List sessions, newest first",
		Long: `List shows the recorded sessions, newest first. Each line begins with a short id, the end of
the session's id, which other commands accept. Commands of programs in a sandbox share one line;
--sandbox NAME lists them. On a terminal the table fits the width, and a long list opens in a pager
($PTYREC_PAGER, $PAGER, less). --json prints whole ids. There, messages and turns are null if the
conversation was not extracted yet; show, export and search extract it.

Times: 2026-11-20, tuesday (the last one; today's name means today), yesterday, 3d (3 days ago).

With --interactive, or ptyrec without a command, you pick a session. Type to filter by title,
tags, agent, folder, status and id. Up and Down select, Tab scrolls the conversation, Esc leaves.
Enter shows the session; Ctrl+P plays it, Ctrl+A attaches if it is live, Ctrl+R resumes, Ctrl+E
exports, Ctrl+T tags, and Ctrl+D deletes it after asking. Alt works like Ctrl.`,
		Example: `  ptyrec list
  ptyrec list -i                pick one: type to filter
  ptyrec list --agent claude --on tuesday
  ptyrec list --since 2w --cwd . --command resume
  ptyrec list --branch fix-login
  ptyrec list --commit HEAD~2
  ptyrec list --team --owner ann
  ptyrec list --live --json | jq -r '.[].id'`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.interactive {
				if o.AsJSON || o.Team || cmd.Flags().Changed("limit") {
					return failure.Usage(errors.New("--interactive cannot be combined with --json, --team and --limit"))
				}
				if !o.IO.Interactive() {
					return failure.New(errors.New("--interactive needs a terminal"),
						"omit it to print the sessions; docs/tour.md shows how to pick one with fzf")
				}
				return o.pick(cmd.Context(), o.FilterFlags, func() error {
					o.NoticeNone(o.Open)
					return nil
				})
			}
			if o.AsJSON && !cmd.Flags().Changed("limit") {
				o.limit = 0
			}
			return list(cmd.Context(), o)
		},
	}
	o.Register(o.Open, cmd)
	o.RegisterTeam(cmd.Flags())
	cmd.Flags().IntVarP(&o.limit, "limit", "n", listed, "list at most `N` sessions; 0 lists all")
	cmd.Flags().BoolVarP(&o.interactive, "interactive", "i", false, "pick a session to show, play or attach to")
	return cmd
}

func list(ctx context.Context, o *listOptions) error {
	if o.limit < 0 {
		return failure.Usage(fmt.Errorf("--limit must be at least 0, not %d", o.limit))
	}
	now := time.Now()
	o.Folded = o.Sandbox == "" && !o.AsJSON
	db, infos, filter, err := o.Choose(ctx, o.Open, now, orMore(o.limit))
	damaged, err := o.damaged(infos, err)
	if err != nil {
		return err
	}
	boxes, err := o.sandboxes(ctx, db, filter, now)
	if err != nil && !damaged {
		return err
	}
	more := o.limit > 0 && len(infos) > o.limit
	if more {
		infos = infos[:o.limit]
	}
	if o.AsJSON {
		return listJSON(ctx, o, db, infos)
	}
	if len(infos) == 0 && len(boxes) == 0 {
		o.NoticeNone(o.Open)
		return nil
	}
	ids, err := idsOf(ctx, db, infos, damaged)
	if err == nil {
		err = o.page(infos, boxes, ids, now)
	}
	if err != nil {
		return err
	}
	if more && o.limit == listed {
		o.IO.Notice("only the newest %d sessions are listed: -n 0 lists all", o.limit)
	}
	return nil
}

// damaged reports whether err means that only some sessions can be read, and warns. Otherwise it
// returns err.
func (o *listOptions) damaged(infos []*store.Info, err error) (bool, error) {
	if !errors.Is(err, session.ErrCorrupt) || len(infos) == 0 {
		return false, err
	}
	o.IO.Notice("warning: %v; only readable sessions are listed: `ptyrec doctor --repair` copies them into a "+
		"new database", err)
	return true, nil
}

// sandboxes returns the rows for sandboxes, whose commands are not listed one by one. With an
// error, it returns the rows for those that can be read.
func (o *listOptions) sandboxes(ctx context.Context, db opener.Sessions, f store.Filter,
	now time.Time) ([]string, error) {
	if !o.Folded || db == nil {
		return nil, nil
	}
	found, err := db.Sandboxes(ctx, f)
	return listing.Sandboxes(found, now), err
}

// page returns the table of sessions, below the lines for sandboxes. ids are the ids of all
// sessions.
func (o *listOptions) page(infos []*store.Info, boxes, ids []string, now time.Time) error {
	t := listing.Table(infos, o.Open.Sockets(), listing.NewShortIDs(ids), now, cli.IsTerminal(o.IO.Out))
	var b strings.Builder
	b.WriteString(strings.Join(boxes, ""))
	if len(infos) > 0 {
		if err := t.Write(&b, o.IO.Colours().Paint, o.IO.Width()); err != nil {
			return err
		}
	}
	return o.IO.Page(cli.Text(b.String()))
}

// orMore returns one more than a limit, to find out whether there are more; 0 means no limit.
func orMore(limit int) int {
	if limit > 0 {
		limit++
	}
	return limit
}

// idsOf returns the ids of all sessions of a database. If it is damaged, it adds those of infos.
func idsOf(ctx context.Context, db opener.Sessions, infos []*store.Info, damaged bool) ([]string, error) {
	ids, err := db.IDs(ctx)
	if !damaged {
		return ids, err
	}
	for _, info := range infos {
		ids = append(ids, info.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// listJSON prints sessions of db as JSON. db is nil if there is no database.
func listJSON(ctx context.Context, o *listOptions, db opener.Sessions, infos []*store.Info) error {
	prices, err := o.Prices()
	if err != nil {
		return err
	}
	var used map[string]*usage.Sum
	if db != nil {
		used = prices.Sums(ctx, db, infos)
	}
	return cli.WriteBuffered(o.IO.Out, func(w io.Writer) error {
		return listing.WriteJSON(w, infos, o.Open.Sockets(),
			used)
	})
}
