package listing

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// Table returns a table of sessions. If named is set, it shows names of days, for people; otherwise
// dates, for programs.
func Table(infos []*store.Info, sockets map[string]string, short ShortIDs, now time.Time, named bool) *cli.Table {
	t := &cli.Table{Columns: []cli.Column{
		{Title: "ID"}, {Title: "WHEN"}, {Title: "LENGTH", Right: true, Drop: 4}, {Title: "AGENT", Drop: 1},
		{Title: "TURNS", Right: true, Drop: 3},
		{Title: "TITLE", Flex: true}, {Title: "FOLDER", Drop: 2}, {Title: "BRANCH", Drop: 6}, {Title: "STATUS"},
		{Title: "SIZE", Right: true, Drop: 5},
	}}
	team := slices.ContainsFunc(infos, func(i *store.Info) bool { return i.Owner != "" })
	if team {
		t.Columns = slices.Insert(t.Columns, ownerColumn, cli.Column{Title: "OWNER"})
	}
	for _, info := range infos {
		when := info.StartedAt.Local().Format("2006-01-02 15:04")
		if named {
			when = Day(info.StartedAt.Local(), now)
		}
		status, color := statusWord(info, sockets)
		t.Rows = append(t.Rows, []cli.Cell{
			{Text: short.Of(info.ID), Color: cli.Yellow}, {Text: when}, {Text: Length(info.Duration)},
			{Text: Agent(info), Color: cli.Cyan},
			{Text: fmt.Sprint(info.Turns)}, {Text: printable.Clip(Titled(info), listedTitle), Color: color},
			{Text: Folder(info.Cwd), Color: cli.Dim}, {Text: branchWord(info.Git), Color: cli.Dim}, {Text: status, Color: color},
			{Text: sizeWord(info), Color: cli.Dim},
		})
		if row := &t.Rows[len(t.Rows)-1]; team {
			*row = slices.Insert(*row, ownerColumn, cli.Cell{Text: ownerWord(info)})
		}
	}
	return t
}

// ownerColumn is the index of the column with the owner, for sessions of a team.
const ownerColumn = 2

// ownerSize is the maximum length of owner and space, in characters.
const ownerSize = 24

// ownerWord returns the owner and the space of a team's session: ann/shop.
func ownerWord(info *store.Info) string {
	word := info.Owner
	if info.Space != "" {
		word += "/" + info.Space
	}
	return printable.Clip(word, ownerSize)
}

// sizeWord returns the size of a session's recording, or "log" if there is none.
func sizeWord(info *store.Info) string {
	if !info.Recorded() {
		return "log"
	}
	return human.FormatSize(info.RawBytes)
}

// listedTitle is the maximum length of a title if the width is not limited, in characters.
const listedTitle = 100

// folderSize is the maximum length of a folder, in characters.
const folderSize = 28

// Folder returns a session's folder for a list, with ~ for the home folder. If it is long, only its
// end is shown.
func Folder(cwd string) string {
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

// Status returns the status of a session, or "" if it ended normally.
func Status(info *store.Info, sockets map[string]string) string {
	word, _ := statusWord(info, sockets)
	return word
}

// statusWord returns the status of a session, or "" if it ended normally. It adds "sent" if a
// team's server has the session, and "private" if it is excluded.
func statusWord(info *store.Info, sockets map[string]string) (word, color string) {
	word, color = stateWord(info, sockets)
	switch {
	case !info.Sent.IsZero():
		word = strings.TrimPrefix(word+", sent", ", ")
	case info.Private:
		word = strings.TrimPrefix(word+", private", ", ")
	}
	return word, color
}

func stateWord(info *store.Info, sockets map[string]string) (word, color string) {
	switch {
	case Joinable(info, sockets):
		return info.Status, cli.Green
	case info.Status == store.Live: // on another machine, or its socket is gone
		return info.Status + ", unreachable", cli.Green
	case info.Status == store.Interrupted && info.Hidden:
		return "unreadable", cli.Red
	case info.Status == store.Interrupted:
		return info.Status, cli.Yellow
	case info.ExitCode != nil && *info.ExitCode != 0:
		return fmt.Sprintf("failed (%d)", *info.ExitCode), cli.Red
	}
	return "", ""
}

// Titled returns a session's title after its tags.
func Titled(info *store.Info) string {
	title := Title(info)
	for _, tag := range info.Tags {
		title = "[" + printable.Clip(tag, 20) + "] " + title
	}
	return title
}
