package listing

import (
	"fmt"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/store"
)

// Title returns the title of a session: the name set by the user, else the first prompt, else the
// recording's title, else the command.
func Title(info *store.Info) string {
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

// Agent returns the name of the first agent of a session and the number of others, or "-" if there
// is none.
func Agent(info *store.Info) string {
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

// Day formats a time relative to now, such as "yesterday 14:05".
func Day(t, now time.Time) string {
	midnight := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	days := int(midnight(now).Sub(midnight(t)) / (24 * time.Hour))
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

// Length formats a duration in its two largest units, such as 3h05m.
func Length(d time.Duration) string {
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
