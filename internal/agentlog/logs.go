// Package agentlog finds and reads the logs that agents keep themselves, and compares what the user
// and the agent said there with a transcript.
package agentlog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// message is one message of an agent's own log.
type message struct {
	Role string
	Text string
	At   time.Time
	Cwd  string // empty where the log does not say
}

// logFile is a file of messages.
type logFile struct {
	path     string
	facts    Facts
	messages []message
}

// find returns the logs of an agent with messages from the time and the folder of a session.
func find(agent string, from, to time.Time, cwd string) (logs []logFile, err error) {
	for _, l := range Find(agent, func(error) {}) { // what cannot be read holds nothing for us
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

// messages returns what the user and the agent said, with what a fork repeats: its agent shows that
// when it begins.
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

// ofSession returns the logs of the session whose messages are have. There may be several, because
// a clear begins another log; and some may be of another window on the same folder. A log belongs
// to the session if at least a quarter of it is found in have; if no log does, the one with the
// most messages found is chosen.
func ofSession(logs []logFile, have []*session.Entry) (chosen []logFile) {
	if len(logs) == 0 {
		return nil
	}
	if chosen = resembling(logs, have); len(chosen) == 0 {
		return []logFile{slices.MaxFunc(logs, func(a, b logFile) int { return len(a.messages) - len(b.messages) })}
	}
	return chosen
}

// resembling returns the logs of which at least a quarter is found in have, the earliest first.
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

// Conversation returns what an agent's own log states about the last conversation that it had in a
// session. ok is false if no log has at least a quarter of its messages in entries.
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
