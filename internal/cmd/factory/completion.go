package factory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// AgentNames returns the names of the supported agents.
func AgentNames() []string { return extractor.Agents() }

// completed is the maximum number of sessions that a completion offers. It offers the newest.
const completed = 50

// CompleteSessions completes the first argument with session ids, described by their titles.
func CompleteSessions(open *opener.Opener) cobra.CompletionFunc {
	return completeFirst(open, store.Filter{})
}

// CompleteLive completes the first argument with ids of live sessions.
func CompleteLive(open *opener.Opener) cobra.CompletionFunc {
	return completeFirst(open, store.Filter{Live: true})
}

func completeFirst(open *opener.Opener, filter store.Filter) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			ids = sessionCompletions(cmd.Context(), open, filter, word)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// CompleteMoreSessions completes each argument with session ids.
func CompleteMoreSessions(open *opener.Opener) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return CompleteSessions(open)(cmd, nil, word)
	}
}

// sessionCompletions returns the newest sessions that the filter selects and whose short ids, or
// else ids, begin with word.
func sessionCompletions(ctx context.Context, open *opener.Opener, filter store.Filter, word string) []cobra.Completion {
	if ctx == nil {
		ctx = context.Background()
	}
	defer open.Close()
	db, err := open.Existing(ctx)
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
		id := short.Of(info.ID)
		if !strings.HasPrefix(id, word) {
			id = info.ID
		}
		if strings.HasPrefix(id, word) && len(out) <= completed {
			out = append(out, cobra.CompletionWithDesc(id,
				listing.Day(info.StartedAt.Local(), now)+" "+printable.Clip(listing.Title(info), 60)))
		}
	}
	return out
}

// CompleteTags completes tags of sessions.
func CompleteTags(open *opener.Opener) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (tags []cobra.Completion, _ cobra.ShellCompDirective) {
		defer open.Close()
		db, err := open.Existing(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		infos, _ := db.Sessions(cmd.Context(), store.Filter{}) // on an error there are no completions
		for _, info := range infos {
			for _, tag := range info.Tags {
				if printable.Line(tag) == tag { // other tags could not be typed
					tags = append(tags, tag)
				}
			}
		}
		slices.Sort(tags)
		return slices.Compact(tags), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFilters completes the values of the filter flags.
func completeFilters(open *opener.Opener, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("tag", CompleteTags(open))
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(AgentNames(), cobra.ShellCompDirectiveNoFileComp))
	days := []cobra.Completion{"today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
		"sunday", "12h", "3d", "2w"}
	for _, name := range []string{"since", "until", "on"} {
		_ = cmd.RegisterFlagCompletionFunc(name,
			cobra.FixedCompletions(days, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
	}
}

// CompletePlay completes sessions and file names.
func CompletePlay(open *opener.Opener) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		out, _ := CompleteSessions(open)(cmd, args, word)
		return out, cobra.ShellCompDirectiveDefault
	}
}
