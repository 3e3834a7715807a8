package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/internal/rundir"
	"github.com/ptyrec/ptyrec/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// listed is how many sessions a list has that is not told: more than one looks through.
const listed = 100

type listFlags struct {
	tableFlags
	limit int
}

func newListCmd(a *app) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:        "list",
		SuggestFor: []string{"log", "history", "sessions"},
		Aliases:    []string{"ls"},
		Short:      "List the recorded sessions, the newest first",
		Long: `List shows the recorded sessions, the newest first. Each line begins with a short id that other
commands accept. Commands that programs ran in a sandbox share one line; --sandbox NAME lists them.
On a terminal the table fits its width, and a long one is shown in a pager ($PTYREC_PAGER, $PAGER,
less).`,
		Example: `  ptyrec list
  ptyrec list --agent claude --on tuesday
  ptyrec list --since 2w --cwd . --command resume
  ptyrec list --live --json | jq -r '.[].id'`,
		Args: operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.asJSON && !cmd.Flags().Changed("limit") {
				f.limit = 0
			}
			return list(cmd.Context(), a, f)
		},
	}
	f.register(a, cmd)
	cmd.Flags().IntVarP(&f.limit, "limit", "n", listed, "no more than `N` sessions; 0: all, as with --json")
	return cmd
}

func list(ctx context.Context, a *app, f listFlags) error {
	if f.limit < 0 {
		return usageError(fmt.Errorf("--limit %d: it takes a number from 0", f.limit))
	}
	limit, now := f.limit, time.Now()
	if limit > 0 {
		limit++ // to know of more
	}
	f.folded = f.sandbox == "" && !f.asJSON
	db, infos, filter, err := f.sessions(ctx, a, now, limit)
	damaged := errors.Is(err, session.ErrCorrupt) && len(infos) > 0
	if damaged {
		a.notice("warning: %v; these are the sessions that can be read: `ptyrec doctor --repair` copies them into a new database", err)
	} else if err != nil {
		return err
	}
	var boxes []string
	if f.folded && db != nil {
		if boxes, err = sandboxLines(ctx, db, filter, now); err != nil && !damaged {
			return err
		}
	}
	more := f.limit > 0 && len(infos) > f.limit
	if more {
		infos = infos[:f.limit]
	}
	if f.asJSON {
		return cli.WriteBuffered(a.stdout, func(w io.Writer) error { return writeListJSON(w, infos, a.sockets()) })
	}
	if len(infos) == 0 && len(boxes) == 0 {
		a.noticeNone(f.filterFlags)
		return nil
	}
	ids, err := db.IDs(ctx)
	switch {
	case damaged: // it may not have all
		for _, info := range infos {
			ids = append(ids, info.ID)
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
	case err != nil:
		return err
	}
	t := listTable(infos, a.sockets(), newShortIDs(ids), now, isTerminal(a.stdout))
	var b strings.Builder
	b.WriteString(strings.Join(boxes, ""))
	if len(infos) == 0 {
		return a.page(cli.Text(b.String()))
	}
	if err := t.Write(&b, a.colours().paint, a.width()); err != nil {
		return err
	}
	if err := a.page(cli.Text(b.String())); err != nil {
		return err
	}
	if more {
		a.notice("these are the newest %d: -n 0 lists all", f.limit)
	}
	return nil
}

// listItem is a session in the list's JSON: what a transcript says of it, and more. Times are in
// seconds.
type listItem struct {
	session.Session
	Status      string   `json:"status"`
	Joinable    bool     `json:"joinable,omitempty"` // it runs, and attach, send and the like reach it
	Prompt      string   `json:"prompt,omitempty"`
	Messages    int      `json:"messages"`
	Turns       int      `json:"turns"`
	RawBytes    int64    `json:"raw_bytes"`
	StoredBytes int64    `json:"stored_bytes"`
	Duration    float64  `json:"duration"`
	Tags        []string `json:"tags,omitempty"`
	Note        string   `json:"note,omitempty"`
}

func newListItem(info *store.Info, sockets map[string]string) listItem {
	return listItem{
		info.Session, info.Status, joinable(info, sockets), info.Prompt, info.Messages, info.Turns, info.RawBytes, info.StoredBytes, info.Duration.Seconds(),
		info.Tags, info.Note,
	}
}

// sockets returns those of the live sessions of this user on this machine, by the sessions' ids.
func (a *app) sockets() map[string]string {
	path, _ := a.dbPath()           // without one, the user's folders are left
	sockets, _ := rundir.Find(path) // doctor says what is wrong with a folder
	return sockets
}

// joinable reports whether a session can be joined: it runs, on this machine, as this user. The
// commands of programs are followed by their raw logs.
func joinable(info *store.Info, sockets map[string]string) bool {
	return info.Status == store.Live && (sockets[info.ID] != "" || info.Process != "")
}

func writeListJSON(w io.Writer, infos []*store.Info, sockets map[string]string) error {
	items := make([]listItem, len(infos))
	for i, info := range infos {
		items[i] = newListItem(info, sockets)
	}
	return cli.WriteJSON(w, items)
}

// listTable lays sessions out. On a terminal days are named, else dates are for programs.
func listTable(infos []*store.Info, sockets map[string]string, short shortIDs, now time.Time, named bool) *cli.Table {
	t := &cli.Table{Columns: []cli.Column{
		{Title: "ID"}, {Title: "WHEN"}, {Title: "LENGTH", Right: true, Drop: 4}, {Title: "AGENT", Drop: 1}, {Title: "TURNS", Right: true, Drop: 3},
		{Title: "TITLE", Flex: true}, {Title: "FOLDER", Drop: 2}, {Title: "STATUS"}, {Title: "SIZE", Right: true, Drop: 5},
	}}
	for _, info := range infos {
		when := info.StartedAt.Local().Format("2006-01-02 15:04")
		if named {
			when = dayName(info.StartedAt.Local(), now)
		}
		status, color := statusWord(info, sockets)
		t.Rows = append(t.Rows, []cli.Cell{
			{Text: short.of(info.ID), Color: yellow}, {Text: when}, {Text: shortDuration(info.Duration)}, {Text: agentWord(info), Color: cyan},
			{Text: fmt.Sprint(info.Turns)}, {Text: printable.Clip(listTitle(info), listedTitle), Color: color}, {Text: folderWord(info.Cwd), Color: dim}, {Text: status, Color: color},
			{Text: humanize.IBytes(uint64(max(0, info.RawBytes))), Color: dim},
		})
	}
	return t
}

// listedTitle is how much of a title a list shows where no window limits it, in characters.
const listedTitle = 100

// folderSize is how much of a folder a list shows, in characters.
const folderSize = 28

// folderWord is a session's folder as a list shows it: ~ is the home folder, and of a long one the
// end.
func folderWord(cwd string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rest, ok := strings.CutPrefix(cwd, home); ok && (rest == "" || rest[0] == '/') {
			cwd = "~" + rest
		}
	}
	word := []rune(printable.Line(cwd))
	if len(word) <= folderSize {
		return string(word)
	}
	return "…" + string(word[len(word)-folderSize+1:])
}

// dayName writes a moment as one speaks of it.
func dayName(t, now time.Time) string {
	midnight := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	days := int(midnight(now).Sub(midnight(t)) / day)
	switch {
	case days == 0:
		return "today " + t.Format("15:04")
	case days == 1:
		return "yesterday " + t.Format("15:04")
	case days > 1 && days < 7:
		return t.Format("Mon 15:04")
	case t.Year() == now.Year():
		return t.Format("Mon 02 Jan 15:04")
	}
	return t.Format("2006-01-02")
}

// shortDuration writes a length of time in its two largest units.
func shortDuration(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
}

// statusWord returns the status of a session, or an empty string if it has simply ended.
func statusWord(info *store.Info, sockets map[string]string) (word, color string) {
	switch {
	case joinable(info, sockets):
		return info.Status, green
	case info.Status == store.Live: // elsewhere, or its socket is gone
		return info.Status + ", unreachable", green
	case info.Status == store.Interrupted:
		return info.Status, yellow
	case info.ExitCode != nil && *info.ExitCode != 0:
		return fmt.Sprintf("failed (%d)", *info.ExitCode), red
	}
	return "", ""
}

// agentWord names the first agent of a session, and how many others there were.
func agentWord(info *store.Info) string {
	if len(info.Agents) == 0 {
		return "-"
	}
	first := info.Agents[0]
	word := printable.Clip(strings.TrimSpace(first.Name+" "+first.Version), 24)
	if others := len(info.Agents) - 1; others > 0 {
		word += fmt.Sprintf(" +%d", others)
	}
	return word
}

// titleOf returns the name that the user set, else the first prompt, else the recording's title,
// else the command.
func titleOf(info *store.Info) string {
	command := strings.Join(info.Command, " ")
	if info.Process != "" {
		command = process.CommandText(info.Command)
	}
	for _, text := range []string{info.Name, info.Prompt, info.Title, command} {
		if text = printable.Clip(text, 200); text != "" {
			return text
		}
	}
	return ""
}

func listTitle(info *store.Info) string {
	title := titleOf(info)
	for _, tag := range info.Tags {
		title = "[" + printable.Clip(tag, 20) + "] " + title
	}
	return title
}

// minPrefix is the length of a short id in characters, if that is enough to be unique.
const minPrefix = 8

// shortIDs shortens ids as far as no other session of the database has the same beginning.
type shortIDs []string // sorted

func newShortIDs(ids []string) shortIDs { return shortIDs(slices.Sorted(slices.Values(ids))) }

func (s shortIDs) of(id string) string {
	at, _ := slices.BinarySearch(s, id)
	n := minPrefix
	for _, other := range []int{at - 1, at + 1} {
		if other >= 0 && other < len(s) {
			n = max(n, commonPrefix(id, s[other])+1)
		}
	}
	return printable.Line(id[:min(n, len(id))])
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
