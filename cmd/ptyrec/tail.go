package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/follow"
	"github.com/ptyrec/ptyrec/internal/listing"
	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/library"
	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// tailPoll is how often the database is asked for more. A recorder writes into it from another
// process, which cannot call us.
const tailPoll = 250 * time.Millisecond

type tailFlags struct {
	last    int
	asJSON  bool
	verbose render.Terminal
}

func newTailCmd(a *app) *cobra.Command {
	var f tailFlags
	cmd := &cobra.Command{
		Use:        "tail [S | FILE | ws://HOST:PORT[/AGENT[/SESSION]]]",
		SuggestFor: []string{"follow", "watch"},
		Short:      "Follow a live session's messages",
		Long: `Tail writes the last messages of a session, then each further one when it is complete, until the session ends. Without S
it is the newest live session. With --json each entry is a line, as in an export to JSON lines.
Of a management server (ws:// or wss://, docs/management.md) it follows the session SESSION, by default main, of the machine AGENT, by default the only one.
The exit status is then the session's. The server's token is in $PTYREC_TOKEN or in the URL (?token=).`,
		Example: `  ptyrec tail
  ptyrec tail 019a9ec0 --tools
  ptyrec tail ws://mgmt.example:8121/agent-01
  ptyrec tail --json -n 0 | jq -r 'select(.role == "assistant").text'`,
		Args:              operands(0, 1),
		ValidArgsFunction: completeSessions(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.last < 0 {
				return usageError(fmt.Errorf("--lines %d: it takes a number from 0", f.last))
			}
			return tail(cmd.Context(), a, args, f)
		},
	}
	cmd.Flags().IntVarP(&f.last, "lines", "n", 10, "begin with the last `N` entries")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "as JSON lines")
	cmd.Flags().BoolVar(&f.verbose.Tools, "tools", false, "what tools were given and gave")
	cmd.Flags().BoolVar(&f.verbose.Thinking, "thinking", false, "the agents' thinking, too")
	cmd.Flags().BoolVar(&f.verbose.Events, "events", false, "all events, too")
	return cmd
}

func tail(ctx context.Context, a *app, args []string, f tailFlags) error {
	r := f.verbose
	r.Width, r.Color = a.width(), bool(a.colours())
	write := func(e *session.Entry) error {
		if f.asJSON {
			return render.WriteLine(a.stdout, e)
		}
		_, err := io.WriteString(a.stdout, r.Entry(e))
		return err
	}
	if len(args) > 0 && management.Is(args[0]) {
		return tailManaged(ctx, a, args[0], f, r, write)
	}
	if s, err := a.openSandbox(ctx, args); s != nil || err != nil {
		if err != nil {
			return err
		}
		return s.tail(ctx, a, f, r, write)
	}
	db, info, ref, err := tailed(ctx, a, args)
	if err != nil {
		return err
	}
	if info.Status == store.Live && info.Piped() && ref.Whole() && !f.asJSON {
		a.notice("%s, %s: %s", shortID(ctx, db, info.ID), info.Status, listing.Title(info))
		return tailOne(ctx, a, db, info, f, r)
	}
	lib, err := a.library(db)
	if err != nil {
		return err
	}
	t := &follower{lib: lib, db: db, id: info.ID, giver: newGiver(f, r, write)}
	if !f.asJSON {
		a.notice("%s, %s: %s", shortID(ctx, db, info.ID), info.Status, listing.Title(info))
	}
	if !ref.Whole() {
		entries, err := db.Entries(ctx, info.ID)
		if err != nil {
			return err
		}
		if _, _, err := ref.Span(&session.Transcript{Session: info.Session, Entries: entries}); err != nil && info.Status != store.Live {
			return opener.Missing(err)
		}
		t.seq, t.to, f.last = ref.First-1, ref.To, -1
	}
	return t.follow(ctx, f.last)
}

// tailed returns the session to follow.
func tailed(ctx context.Context, a *app, args []string) (*store.Store, *store.Info, archive.Ref, error) {
	if len(args) > 0 {
		return a.openSession(ctx, args)
	}
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil, nil, archive.Ref{}, err
	}
	infos, err := db.Sessions(ctx, store.Filter{Live: true, Limit: 1})
	if err != nil {
		return nil, nil, archive.Ref{}, err
	}
	if len(infos) == 0 {
		return nil, nil, archive.Ref{}, fail(fmt.Errorf("no session is being recorded"), "`ptyrec tail last` shows the end of the last one")
	}
	return db, infos[0], archive.Ref{}, nil
}

// follower writes the entries of a session of the database.
type follower struct {
	giver
	lib  *library.Library
	db   *store.Store
	id   string
	said *follow.Entries // of a command that runs
}

func (t *follower) follow(ctx context.Context, last int) error {
	tick := time.NewTicker(tailPoll)
	defer tick.Stop()
	for first := true; ; first = false {
		info, err := t.db.Find(ctx, t.id) // before the entries: what it ends with is not to be missed
		if err != nil {
			return err
		}
		entries, err := t.entries(ctx, info)
		if err != nil {
			return err
		}
		over := info.Status != store.Live
		if over && (info.Beside || info.Unread) {
			all, err := t.lib.Transcript(ctx, info)
			if err != nil {
				return err
			}
			entries = all.Entries
		}
		if first && last >= 0 {
			t.skip(entries, last)
		}
		if err := t.give(entries, over); err != nil || over {
			return archive.IgnoreEnd(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// entries returns those after the last one that was given out. Nobody puts those of a command that
// runs into the database.
func (t *follower) entries(ctx context.Context, info *store.Info) ([]*session.Entry, error) {
	if info.Process == "" || info.Status != store.Live {
		return t.db.EntriesAfter(ctx, t.id, t.seq)
	}
	if t.said == nil {
		t.said = follow.NewEntries(t.db, info.ID, newEntryReader(info.Session, t.lib.Redact))
	}
	_, _, err := t.said.Read(ctx, false)
	return t.said.After(t.seq), err
}
