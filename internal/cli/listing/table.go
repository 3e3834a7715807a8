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

// Table lays sessions out. If named is set, days have names, for people; else they are dates, for
// programs.
func Table(infos []*store.Info, sockets map[string]string, short ShortIDs, now time.Time, named bool) *cli.Table {
	t := &cli.Table{Columns: []cli.Column{
		{Title: "ID"}, {Title: "WHEN"}, {Title: "LENGTH", Right: true, Drop: 4}, {Title: "AGENT", Drop: 1}, {Title: "TURNS", Right: true, Drop: 3},
		{Title: "TITLE", Flex: true}, {Title: "FOLDER", Drop: 2}, {Title: "BRANCH", Drop: 6}, {Title: "STATUS"}, {Title: "SIZE", Right: true, Drop: 5},
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
			{Text: short.Of(info.ID), Color: cli.Yellow}, {Text: when}, {Text: Length(info.Duration)}, {Text: Agent(info), Color: cli.Cyan},
			{Text: fmt.Sprint(info.Turns)}, {Text: printable.Clip(Titled(info), listedTitle), Color: color}, {Text: Folder(info.Cwd), Color: cli.Dim}, {Text: branchWord(info.Git), Color: cli.Dim}, {Text: status, Color: color},
			{Text: sizeWord(info), Color: cli.Dim},
		})
		if row := &t.Rows[len(t.Rows)-1]; team {
			*row = slices.Insert(*row, ownerColumn, cli.Cell{Text: ownerWord(info)})
		}
	}
	return t
}

// ownerColumn is the place of the column that says whose the sessions of a team are.
const ownerColumn = 2

// ownerSize is how much of an owner and a space a list shows, in characters.
const ownerSize = 24

// ownerWord returns whose a session of a team is, and its space: ann/shop.
func ownerWord(info *store.Info) string {
	word := info.Owner
	if info.Space != "" {
		word += "/" + info.Space
	}
	return printable.Clip(word, ownerSize)
}

// sizeWord returns how large a session's recording is; "log" if there is none.
func sizeWord(info *store.Info) string {
	if !info.Recorded() {
		return "log"
	}
	return human.FormatSize(info.RawBytes)
}

// listedTitle is how much of a title a list shows where no window limits it, in characters.
const listedTitle = 100

// folderSize is how much of a folder a list shows, in characters.
const folderSize = 28

// Folder returns a session's folder as a list shows it: ~ is the home folder, and of a long one the
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

// Status returns the status of a session, or an empty string if it has simply ended.
func Status(info *store.Info, sockets map[string]string) string {
	word, _ := statusWord(info, sockets)
	return word
}

// statusWord returns the status of a session, or an empty string if it has simply ended. "sent"
// follows if a team's server has it, and "private" if it never gets it.
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
	case info.Status == store.Live: // elsewhere, or its socket is gone
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

// Titled returns a session's title behind its tags.
func Titled(info *store.Info) string {
	title := Title(info)
	for _, tag := range info.Tags {
		title = "[" + printable.Clip(tag, 20) + "] " + title
	}
	return title
}
