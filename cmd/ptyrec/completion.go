package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// completed is how many sessions a completion offers: the newest.
const completed = 50

// completeSessions completes the first argument with session ids, described by their titles.
func completeSessions(a *app) cobra.CompletionFunc { return completeFirst(a, store.Filter{}) }

// completeLive completes it with those of the sessions that run.
func completeLive(a *app) cobra.CompletionFunc { return completeFirst(a, store.Filter{Live: true}) }

func completeFirst(a *app, filter store.Filter) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			ids = sessionCompletions(cmd.Context(), a, filter, word)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeMoreSessions completes each argument with session ids.
func completeMoreSessions(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeSessions(a)(cmd, nil, word)
	}
}

// sessionCompletions returns the newest sessions that the filter chooses and whose ids begin with
// word.
func sessionCompletions(ctx context.Context, a *app, filter store.Filter, word string) []cobra.Completion {
	if ctx == nil {
		ctx = context.Background()
	}
	defer a.close()
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil
	}
	if word == "" {
		filter.Limit = completed
	}
	infos, err := db.Sessions(ctx, filter)
	if err != nil {
		return nil
	}
	ids, err := db.IDs(ctx)
	if err != nil {
		return nil
	}
	out := []cobra.Completion{cobra.CompletionWithDesc("last", "the newest session")}
	short, now := listing.NewShortIDs(ids), time.Now()
	for _, info := range infos {
		if id := short.Of(info.ID); strings.HasPrefix(id, word) && len(out) <= completed {
			out = append(out, cobra.CompletionWithDesc(id, listing.Day(info.StartedAt.Local(), now)+" "+printable.Clip(listing.Title(info), 60)))
		}
	}
	return out
}

// completeTags completes the tags that sessions have.
func completeTags(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (tags []cobra.Completion, _ cobra.ShellCompDirective) {
		defer a.close()
		db, err := a.openExisting(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		infos, _ := db.Sessions(cmd.Context(), store.Filter{}) // without them there is nothing to offer
		for _, info := range infos {
			for _, tag := range info.Tags {
				if printable.Line(tag) == tag { // others could not be typed
					tags = append(tags, tag)
				}
			}
		}
		slices.Sort(tags)
		return slices.Compact(tags), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFilters completes what the filter flags take.
func completeFilters(a *app, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("tag", completeTags(a))
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agentNames, cobra.ShellCompDirectiveNoFileComp))
	days := []cobra.Completion{"today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "12h", "3d", "2w"}
	for _, name := range []string{"since", "until", "on"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(days, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	}
}
