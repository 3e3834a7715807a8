package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/internal/timespan"
	"github.com/ptyrec/ptyrec/store"
)

// filterFlags are the flags by which list, search and others choose sessions.
type filterFlags struct {
	agent, since, until, on, cwd, command, tag, sandbox string
	live                                                bool
	folded                                              bool // leave out the commands of sandboxes
}

// tableFlags are those of commands that show sessions to people, and to programs as JSON.
type tableFlags struct {
	filterFlags
	asJSON bool
}

func (f *tableFlags) register(a *app, cmd *cobra.Command) {
	f.filterFlags.register(a, cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "as JSON")
}

func (f *filterFlags) register(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "only sessions with this agent: claude, codex, gemini, opencode, qwen")
	flags.StringVar(&f.since, "since", "", "only those started at this `TIME` or later: 2026-11-20, tuesday, 3d, …")
	flags.StringVar(&f.until, "until", "", "only those started at this `TIME` or before; a day is meant to its end")
	flags.StringVar(&f.on, "on", "", "only those started on this `DAY`")
	flags.StringVar(&f.cwd, "cwd", "", "only those started in this `FOLDER` or below")
	flags.StringVar(&f.command, "command", "", "only those whose command line holds this `TEXT`")
	flags.StringVar(&f.tag, "tag", "", "only those with this tag")
	flags.StringVar(&f.sandbox, "sandbox", "", "only commands that programs ran in the sandbox of this `NAME`")
	flags.BoolVar(&f.live, "live", false, "only those being recorded")
	completeFilters(a, cmd)
}

// sessions opens the database and returns the sessions that the flags choose, the newest first, and
// no more than limit unless it is 0. Without a database the Store is nil and there are no sessions.
func (f *filterFlags) sessions(ctx context.Context, a *app, now time.Time, limit int) (*store.Store, []*store.Info, store.Filter, error) {
	filter, err := f.filter(now)
	if err != nil {
		return nil, nil, filter, err
	}
	filter.Limit = limit
	db, err := a.openExisting(ctx)
	if errors.Is(err, opener.ErrNoDatabase) {
		return nil, nil, filter, nil
	}
	if err != nil {
		return nil, nil, filter, err
	}
	infos, err := db.Sessions(ctx, filter)
	return db, infos, filter, err
}

// filter reads the flags.
func (f *filterFlags) filter(now time.Time) (store.Filter, error) {
	out := store.Filter{Agent: f.agent, Command: f.command, Tag: f.tag, Live: f.live, Sandbox: f.sandbox, Outside: f.folded}
	if f.on != "" && (f.since != "" || f.until != "") {
		return out, usageError(errors.New("--on cannot be combined with --since or --until"))
	}
	for _, t := range []struct {
		text         string
		since, until bool
	}{{f.since, true, false}, {f.until, false, true}, {f.on, true, true}} {
		if t.text == "" {
			continue
		}
		s, err := timespan.Parse(t.text, now)
		if err != nil {
			return out, &cli.Failure{Err: err, Hint: timespan.Help, Status: cli.StatusUsage}
		}
		if t.since {
			out.Since = s.Start
		}
		if t.until {
			out.Until = s.End
			if s.End.Equal(s.Start) {
				out.Until = s.End.Add(time.Nanosecond) // the moment itself belongs to it
			}
		}
	}
	if f.cwd != "" {
		dir, err := absolute(f.cwd)
		if err != nil {
			return out, err
		}
		out.Cwd = dir
	}
	return out, nil
}

// noticeNone says that there is nothing to show, and why.
func (a *app) noticeNone(f filterFlags) {
	f.folded = false // by default
	if f == (filterFlags{}) {
		a.notice("no session is recorded yet; to record one: ptyrec run -- COMMAND")
		return
	}
	a.notice("no session matches")
}

// absolute returns a folder's path as sessions have it. A ~ that no shell expanded is the home
// folder.
func absolute(dir string) (string, error) {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = home + rest
	}
	return filepath.Abs(dir)
}
