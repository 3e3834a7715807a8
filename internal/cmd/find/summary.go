package find

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// summary has the counts of all sessions, and of the sessions of each agent, folder and day.
type summary struct {
	count
	Agents  []count `json:"agents"`
	Folders []count `json:"folders"`
	Days    []count `json:"days"`

	Usage *usage.Report `json:"usage,omitempty"` // of tokens
}

// count is a number of sessions and of their contents.
type count struct {
	Name     string  `json:"name,omitempty"`
	Sessions int     `json:"sessions"`
	Turns    int     `json:"turns"`
	Messages int     `json:"messages"`
	Hours    float64 `json:"hours"`
	RawBytes int64   `json:"raw_bytes"`
	Stored   int64   `json:"stored_bytes"`
}

func (c *count) add(info *store.Info) {
	c.Sessions++
	c.Turns += info.Turns
	c.Messages += info.Messages
	c.Hours += info.Duration.Hours()
	c.RawBytes += info.RawBytes
	c.Stored += info.StoredBytes
}

// length returns the total duration of the sessions.
func (c *count) length() string { return listing.Length(time.Duration(c.Hours * float64(time.Hour))) }

const dateOnly = "2006-01-02"

// summaryOf counts the sessions. The counts by day cover the given number of days up to end.
func summaryOf(infos []*store.Info, end time.Time, days int) summary {
	agents, folders, byDay := counts{}, counts{}, counts{}
	var s summary
	for _, info := range infos {
		s.add(info)
		seen := map[string]bool{}
		for _, agent := range info.Agents {
			if !seen[agent.Name] {
				seen[agent.Name] = true
				agents.of(agent.Name).add(info)
			}
		}
		if info.Cwd != "" {
			folders.of(info.Cwd).add(info)
		}
		byDay.of(info.StartedAt.Local().Format(dateOnly)).add(info)
	}
	s.Agents, s.Folders, s.Days = agents.sorted(), folders.sorted(), []count{}
	for ago := days - 1; ago >= 0; ago-- {
		s.Days = append(s.Days, *byDay.of(end.AddDate(0, 0, -ago).Format(dateOnly)))
	}
	return s
}

type counts map[string]*count

func (c counts) of(name string) *count {
	if c[name] == nil {
		c[name] = &count{Name: name}
	}
	return c[name]
}

// sorted returns the counts sorted by turns, highest first.
func (c counts) sorted() []count {
	out := []count{}
	for _, n := range c {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b count) int {
		return cmp.Or(b.Turns-a.Turns, b.Sessions-a.Sessions, cmp.Compare(a.Name, b.Name))
	})
	return out
}

const topFolders = 10

// Write writes the summary for people, in width columns; 0 means no limit.
func (s *summary) Write(w io.Writer, st cli.Style, width int) error {
	fmt.Fprintf(w, "%s, %s, %s, %s long, %s recorded in %s\n", printable.Plural(s.Sessions, "session"),
		printable.Plural(s.Turns, "turn"),
		printable.Plural(s.Messages, "message"), s.length(), human.FormatSize(s.RawBytes), human.FormatSize(s.Stored))
	for _, part := range []struct {
		title string
		rows  []count
	}{{"AGENT", s.Agents}, {"FOLDER", s.Folders[:min(topFolders, len(s.Folders))]}} {
		if len(part.rows) == 0 {
			continue
		}
		fmt.Fprintln(w)
		t := &cli.Table{Columns: []cli.Column{{Title: "SESSIONS", Right: true}, {Title: "TURNS", Right: true},
			{Title: "TIME", Right: true}, {Title: part.title, Flex: true}}}
		for _, c := range part.rows {
			t.Rows = append(t.Rows, []cli.Cell{{Text: fmt.Sprint(c.Sessions)}, {Text: fmt.Sprint(c.Turns)}, {Text: c.length()},
				{Text: printable.Clip(c.Name, 300), Color: cli.Cyan}})
		}
		if err := t.Write(w, st.Paint, width); err != nil {
			return err
		}
	}
	if s.Usage != nil {
		if err := writeUsage(w, s.Usage, st, width); err != nil {
			return err
		}
	}
	return s.chart(w, st, width)
}

// chart draws the turns of each day as a bar.
func (s *summary) chart(w io.Writer, st cli.Style, width int) error {
	most := 0
	for _, d := range s.Days {
		most = max(most, d.Turns)
	}
	if most == 0 {
		return nil
	}
	if width == 0 {
		width = 80
	}
	room := max(10, min(width, 100)-len("Mon 2006-01-02  ")-len(" 1000 turns, 100 sessions"))
	fmt.Fprintln(w)
	for _, d := range s.Days {
		date, _ := time.Parse(dateOnly, d.Name) // it has this format
		line := date.Format("Mon 2006-01-02") + "  "
		if d.Sessions > 0 {
			line += st.Paint(cli.Green, bar(d.Turns, most, room)) +
				fmt.Sprintf(" %s, %s", printable.Plural(d.Turns, "turn"), printable.Plural(d.Sessions, "session"))
		}
		if _, err := fmt.Fprintln(w, ansi.Truncate(strings.TrimRight(line, " "), width, "…")); err != nil {
			return err
		}
	}
	return nil
}

// bar returns a bar that fills n/most of room cells.
func bar(n, most, room int) string {
	const blocks = "▏▎▍▌▋▊▉"
	parts := n * room * 8 / most
	out := strings.Repeat("█", parts/8)
	if rest := parts % 8; rest > 0 {
		out += string([]rune(blocks)[rest-1])
	}
	if out == "" && n > 0 {
		out = "▏"
	}
	return out
}
