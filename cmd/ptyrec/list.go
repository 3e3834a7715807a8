package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func newListCmd(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the recorded sessions, the newest first",
		Example: "  ptyrec list\n  ptyrec list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			infos, err := sessions(cmd.Context(), a)
			if err != nil {
				return err
			}
			return writeBuffered(a.stdout, func(w io.Writer) error {
				if asJSON {
					return writeListJSON(w, infos)
				}
				return writeListTable(w, infos)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func sessions(ctx context.Context, a *app) ([]*store.Info, error) {
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil, err
	}
	return db.Sessions(ctx, store.Filter{})
}

// listItem is a session in the list's JSON: what a transcript says of it, and more. Times are in seconds.
type listItem struct {
	session.Session
	Status   string  `json:"status"`
	Prompt   string  `json:"prompt,omitempty"`
	Messages int     `json:"messages"`
	Turns    int     `json:"turns"`
	RawBytes int64   `json:"raw_bytes"`
	Duration float64 `json:"duration"`
}

func writeListJSON(w io.Writer, infos []*store.Info) error {
	items := make([]listItem, len(infos))
	for i, info := range infos {
		items[i] = listItem{info.Session, info.Status, info.Prompt, info.Messages, info.Turns, info.RawBytes, info.Duration.Seconds()}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(items)
}

func writeListTable(w io.Writer, infos []*store.Info) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tSTARTED\tLENGTH\tSTATUS\tTURNS\tCOMMAND\tABOUT")
	prefixes := uniquePrefixes(infos)
	for i, info := range infos {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", prefixes[i], info.StartedAt.Local().Format("2006-01-02 15:04"),
			info.Duration.Round(time.Second), status(info), info.Turns, clip(strings.Join(info.Command, " "), 30), clip(about(info), 50))
	}
	return t.Flush()
}

// status says how a session stands; where it ended with an error, with which.
func status(info *store.Info) string {
	if info.ExitCode != nil && *info.ExitCode != 0 {
		return fmt.Sprintf("%s (%d)", info.Status, *info.ExitCode)
	}
	return info.Status
}

func about(info *store.Info) string {
	if info.Prompt != "" {
		return info.Prompt
	}
	return info.Title
}

// clip keeps a text's first n characters, as one line without control characters: titles and prompts come from programs.
func clip(s string, n int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f && r < 0xa0 }), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// minPrefix is the length of the ids in the list, in characters, where that tells them apart.
const minPrefix = 8

// uniquePrefixes shortens each id as far as no other session has the same beginning.
func uniquePrefixes(infos []*store.Info) []string {
	ids := make([]string, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
	}
	sorted := slices.Sorted(slices.Values(ids))
	for i, id := range ids {
		at, _ := slices.BinarySearch(sorted, id)
		n := minPrefix
		for _, other := range []int{at - 1, at + 1} {
			if other >= 0 && other < len(sorted) {
				n = max(n, commonPrefix(id, sorted[other])+1)
			}
		}
		ids[i] = id[:min(n, len(id))]
	}
	return ids
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
