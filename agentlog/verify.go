package agentlog

import (
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Verification compares the messages of one agent with its own logs. It marshals to the JSON of
// `ptyrec verify`.
type Verification struct {
	Agent string   `json:"agent"`
	Logs  []string `json:"logs"` // paths, the earliest first
	Comparison
}

// slack is how far a log's clock may be apart from ours.
const slack = 2 * time.Second

// Verify compares the entries of a session with the log of each of its agents that is found. looked
// has the folders that were searched.
func Verify(s session.Session, entries []*session.Entry) (found []Verification, looked []string, err error) {
	to := time.Now()
	if s.EndedAt != nil {
		to = s.EndedAt.Add(slack)
	}
	seen := map[string]bool{}
	for _, agent := range s.Agents {
		folder, known := knownLogs[agent.Name]
		if !known || seen[agent.Name] {
			continue
		}
		seen[agent.Name] = true
		looked = append(looked, folder.dir())
		all, err := folder.find(s.StartedAt.Add(-slack), to, s.Cwd)
		if err != nil {
			return nil, looked, err
		}
		var have []*session.Entry
		for _, e := range entries {
			if e.Agent == agent.Name && (e.Role == session.RoleUser || e.Role == session.RoleAssistant) {
				have = append(have, e)
			}
		}
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
