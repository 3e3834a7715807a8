package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/store"
)

// completed is how many sessions a completion offers: the newest.
const completed = 50

// completeSessions completes the first argument with session ids, described by their titles.
func completeSessions(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return sessionCompletions(cmd.Context(), a), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func sessionCompletions(ctx context.Context, a *app) []cobra.Completion {
	if ctx == nil {
		ctx = context.Background()
	}
	defer a.close()
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil
	}
	infos, err := db.Sessions(ctx, store.Filter{Limit: completed})
	if err != nil {
		return nil
	}
	ids, err := db.IDs(ctx)
	if err != nil {
		return nil
	}
	out := []cobra.Completion{cobra.CompletionWithDesc("last", "the newest session")}
	short, now := newShortIDs(ids), time.Now()
	for _, info := range infos {
		out = append(out, cobra.CompletionWithDesc(short.of(info.ID), dayName(info.StartedAt.Local(), now)+" "+clip(titleOf(info), 60)))
	}
	return out
}

// completeFilters completes what the filter flags take.
func completeFilters(_ *app, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions([]cobra.Completion{"claude", "codex", "gemini"}, cobra.ShellCompDirectiveNoFileComp))
	days := []cobra.Completion{"today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "12h", "3d", "2w"}
	for _, name := range []string{"since", "until", "on"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(days, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	}
}
