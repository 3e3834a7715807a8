package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/listing"
	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func newRmCmd(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:        "rm S…",
		SuggestFor: []string{"delete", "remove", "del"},
		Short:      "Delete sessions",
		Long:       `Rm deletes sessions with their recordings. It names them and asks first, unless you pass --yes.`,
		Example: `  ptyrec rm last
  ptyrec rm 019a9ec0 019a9ec1 --yes`,
		Args:              operands(1, -1),
		ValidArgsFunction: completeMoreSessions(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := a.openExisting(cmd.Context())
			if err != nil {
				return err
			}
			var infos []*store.Info
			seen := map[string]bool{}
			for _, arg := range args {
				_, info, ref, err := a.openStored(cmd.Context(), []string{arg})
				if err == nil && !ref.Whole() {
					err = opener.WholeOnly(ref)
				}
				if err != nil {
					return err
				}
				if info.Status == store.Live {
					return fail(fmt.Errorf("session %s is being recorded", info.ID), "end it first")
				}
				if !seen[info.ID] {
					seen[info.ID] = true
					infos = append(infos, info)
				}
			}
			return deleteSessions(cmd.Context(), a, db, infos, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// deleteSessions says what it is about to delete, asks, and does it.
func deleteSessions(ctx context.Context, a *app, db *store.Store, infos []*store.Info, yes bool) error {
	ids, err := db.IDs(ctx)
	if err != nil {
		return err
	}
	short, now := listing.NewShortIDs(ids), time.Now()
	var size int64
	for _, info := range infos {
		size += info.StoredBytes
		fmt.Fprintf(a.stderr, "%s  %s  %s\n", short.Of(info.ID), listing.Day(info.StartedAt.Local(), now), printable.Clip(listing.Title(info), 60))
	}
	what := fmt.Sprintf("%s, %s on disk", cli.Plural(len(infos), "session"), humanize.IBytes(uint64(max(0, size))))
	if !yes {
		if err := a.agreed("delete " + what); err != nil {
			return err
		}
	}
	for _, info := range infos {
		if err := db.DeleteSession(ctx, info.ID); err != nil {
			return err
		}
	}
	if err := a.scrub(ctx, db, what); err != nil {
		return err
	}
	a.notice("deleted %s", what)
	return nil
}

// slowScrub is the size of a database that takes some seconds to scrub, in bytes.
const slowScrub = 100 << 20

// scrub takes deleted sessions out of the database's files. The sessions are gone from the database
// either way.
func (a *app) scrub(ctx context.Context, db *store.Store, what string) error {
	if info, err := os.Stat(db.Path()); err == nil && info.Size() > slowScrub && isTerminal(a.stderr) {
		a.notice("overwriting deleted data in a database of %s", humanize.IBytes(uint64(info.Size())))
	}
	if err := scrubbed(db.Scrub(ctx), what); err != nil {
		return err
	}
	for _, name := range db.Damaged() {
		a.notice("warning: deleted data may also be in %s, which `ptyrec doctor --repair` kept: delete that file if you no longer need it", name)
	}
	return nil
}

// scrubbed says what err, which Scrub returned, means for what was deleted.
func scrubbed(err error, what string) error {
	if err == nil {
		return nil
	}
	hint := "run `ptyrec doctor --repair`"
	switch {
	case errors.Is(err, session.ErrBusy):
		hint = "close the other programs that use the database, and " + hint
	case errors.Is(err, session.ErrFull):
		hint = "make room on the disk, and " + hint
	}
	return fail(fmt.Errorf("deleted %s, but its data may still be in the database's files: %w", what, err), hint)
}

// agreed asks on stderr. A user who cannot be asked has not agreed.
func (a *app) agreed(what string) error {
	if !isTerminal(a.stdin) {
		return fail(errors.New("cannot ask for confirmation without a terminal: "+what), "add --yes")
	}
	fmt.Fprintf(a.stderr, "ptyrec: %s? [y/N] ", what)
	answer, _ := bufio.NewReader(a.stdin).ReadString('\n') // no answer is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return fail(errors.New("not confirmed: nothing was done"), "answer y, or add --yes")
}
