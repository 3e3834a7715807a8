package agentlog

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

// Verification is a comparison of one agent's messages with its own logs. It marshals to the JSON
// of `ptyrec verify`.
type Verification struct {
	Agent string   `json:"agent"`
	Logs  []string `json:"logs"` // paths, earliest first
	Comparison
}

// slack is how much a log's clock may differ from ours.
const slack = 2 * time.Second

// Verify compares the entries of a session with the log of each of its agents, if it is found.
// looked are the folders that were searched.
func Verify(s session.Session, entries []*session.Entry) (found []Verification, looked []string, err error) {
	to := time.Now()
	if s.EndedAt != nil {
		to = s.EndedAt.Add(slack)
	}
	seen := map[string]bool{}
	for _, agent := range s.Agents {
		if !slices.Contains(Agents(), agent.Name) || seen[agent.Name] {
			continue
		}
		seen[agent.Name] = true
		looked = append(looked, Folders(agent.Name)[0])
		all, err := find(agent.Name, s.StartedAt.Add(-slack), to, s.Cwd)
		if err != nil {
			return nil, looked, err
		}
		have := saidIn(entries, agent.Name)
		v := Verification{Agent: agent.Name}
		var want []message
		for _, log := range ofSession(all, have) {
			v.Logs, want = append(v.Logs, log.path), append(want, log.messages...)
		}
		if len(v.Logs) > 0 {
			v.Comparison = compare(want, have)
			found = append(found, v)
		}
	}
	return found, looked, nil
}

// saidIn returns the messages of the user and an agent, without those that the agent printed again
// when it resumed a conversation: these were on the screen at the start of its run, but are older.
func saidIn(entries []*session.Entry, agent string) (have []*session.Entry) {
	var began time.Time // start of the run
	known := map[string]bool{}
	for _, e := range entries {
		switch {
		case e.Agent != agent:
		case e.Event == session.EventNewSession:
			began = e.At
		case e.Role == session.RoleUser || e.Role == session.RoleAssistant:
			key := e.Role + plainText(cmp.Or(e.Markdown, e.Text))
			if !known[key] || !e.At.Equal(began) {
				have = append(have, e)
			}
			known[key] = true
		}
	}
	return have
}

// SGR parameters (ECMA-48, 8.3.117).
const (
	red   = "31"
	green = "32"
)

// Write prints the comparison for people. paint colours a text. Write errors are ignored.
func (v *Verification) Write(w io.Writer, paint func(sgr, text string) string) {
	fmt.Fprintf(w, "%s: %s\n", printable.Line(v.Agent), printable.Line(strings.Join(v.Logs, ", ")))
	fmt.Fprintf(w, "  messages  %d in the log, %d in the transcript\n", v.Want, v.Have)
	fmt.Fprintf(w, "  exact     %d of %d\n", v.Exact, v.Want)
	fmt.Fprintf(w, "  chars     %.2f %%\n", 100*v.Chars)
	switch {
	case v.Cut == 1:
		fmt.Fprintf(w, "  cut off   1 message interrupted, and not in the log\n")
	case v.Cut > 1:
		fmt.Fprintf(w, "  cut off   %d messages interrupted, and not in the log\n", v.Cut)
	}
	removed := func(text string) string { return paint(red, "[-"+text+"-]") }
	added := func(text string) string { return paint(green, "{+"+text+"+}") }
	for _, d := range v.Differs {
		switch d.Kind {
		case Missing:
			fmt.Fprintf(w, "  missing   %s: %s\n", d.Role, paint(red, printable.Clip(d.Want, 100)))
		case More:
			fmt.Fprintf(w, "  more      #%d %s: %s\n", d.Seq, d.Role, paint(green, printable.Clip(d.Have, 100)))
		default:
			fmt.Fprintf(w, "  differs   #%d %s: %s\n", d.Seq, d.Role, d.Text(removed, added))
		}
	}
}
