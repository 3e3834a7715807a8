// Package agentlog finds and reads agents' own logs, and compares their messages with a transcript.
package agentlog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// message is a message in an agent's log.
type message struct {
	Role string
	Text string
	At   time.Time
	Cwd  string // empty if the log does not contain it
}

// logFile is a file of messages.
type logFile struct {
	path     string
	facts    Facts
	messages []message
}

// find returns the logs of an agent that have messages from the time and the folder of a session.
func find(agent string, from, to time.Time, cwd string) (logs []logFile, err error) {
	for _, l := range Find(agent, func(error) {}) { // unreadable logs are ignored
		if l.Lone || !l.changedSince(from) {
			continue
		}
		all, facts, err := l.messages()
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(m message) bool {
			elsewhere := m.Cwd != "" && cwd != "" && m.Cwd != cwd && !strings.HasPrefix(m.Cwd, cwd+"/")
			return elsewhere || m.At.Before(from) || m.At.After(to)
		})
		slices.SortStableFunc(all, func(a, b message) int { return a.At.Compare(b.At) }) // not all agents write them in order
		if len(all) > 0 {
			logs = append(logs, logFile{l.Path, facts, all})
		}
	}
	return logs, err
}

// messages returns the messages of the user and the agent, including those that a fork repeats,
// because its agent shows them when it starts.
func (l *Log) messages() (out []message, facts Facts, err error) {
	place := map[string]int{}
	whole := *l
	whole.whole = true
	facts, err = whole.Read(Sink{Entry: func(e *session.Entry, cwd string) error {
		if e.Role != session.RoleUser && e.Role != session.RoleAssistant {
			return nil
		}
		m := message{e.Role, e.Markdown, e.At, cwd}
		if at, again := place[e.ID]; again {
			out[at] = m
			return nil
		}
		place[e.ID] = len(out)
		out = append(out, m)
		return nil
	}})
	return out, facts, err
}

// ofSession returns the logs of the session with the messages have. There may be several, because a
// clear starts a new log, and some logs may be of another window in the same folder. A log belongs
// to the session if at least a quarter of its messages are in have. If there is none, the log with
// the most messages in have is chosen.
func ofSession(logs []logFile, have []*session.Entry) (chosen []logFile) {
	if len(logs) == 0 {
		return nil
	}
	if chosen = resembling(logs, have); len(chosen) == 0 {
		return []logFile{slices.MaxFunc(logs, func(a, b logFile) int { return len(a.messages) - len(b.messages) })}
	}
	return chosen
}

// resembling returns the logs of which at least a quarter of the messages are in have, earliest
// first.
func resembling(logs []logFile, have []*session.Entry) (chosen []logFile) {
	shown := map[string]bool{}
	for _, e := range have {
		shown[e.Role+plainText(cmp.Or(e.Markdown, e.Text))] = true
	}
	for _, log := range logs {
		found := 0
		for _, m := range log.messages {
			if shown[m.Role+plainText(m.Text)] {
				found++
			}
		}
		if 4*found >= len(log.messages) {
			chosen = append(chosen, log)
		}
	}
	slices.SortStableFunc(chosen, func(a, b logFile) int { return a.messages[0].At.Compare(b.messages[0].At) })
	return chosen
}

// Conversation returns the facts from an agent's own log about its last conversation in a session.
// ok is false if there is no log of which at least a quarter of the messages are in entries.
func Conversation(s session.Session, agent string, entries []*session.Entry) (facts Facts, ok bool, err error) {
	to := time.Now()
	if s.EndedAt != nil {
		to = s.EndedAt.Add(slack)
	}
	all, err := find(agent, s.StartedAt.Add(-slack), to, s.Cwd)
	if err != nil {
		return Facts{}, false, err
	}
	var have []*session.Entry
	for _, e := range entries {
		if e.Agent == agent {
			have = append(have, e)
		}
	}
	logs := resembling(all, have)
	if len(logs) == 0 {
		return Facts{}, false, nil
	}
	return logs[len(logs)-1].facts, true, nil
}
