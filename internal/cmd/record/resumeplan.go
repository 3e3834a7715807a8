package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
)

// Reasons why a session cannot be resumed.
var (
	errNoAgent = errors.New("it has no agent that can resume a conversation")
	errNoID    = errors.New("the id of its conversation is unknown")
)

// resumePlan describes how to resume a conversation.
type resumePlan struct {
	Agent   string
	ID      string // the agent's own id of the conversation
	Command []string
	Cwd     string // folder in which to start the agent; empty if unknown
}

// line returns the command line for a shell.
func (p *resumePlan) line() string {
	line := shellquote.Join(p.Command...)
	if p.Cwd != "" {
		line = "cd " + shellquote.Join(p.Cwd) + " && " + line
	}
	return line
}

// planResume returns how to resume the last conversation of a session whose id is known. The error
// wraps errNoAgent or errNoID, or is that of reading the session.
func planResume(ctx context.Context, lib *library.Library, info *store.Info) (*resumePlan, error) {
	if s := info.Source; s != nil {
		return importedPlan(info, s)
	}
	t, err := lib.Transcript(ctx, info)
	if err != nil {
		return nil, err
	}
	agents := agentsOf(t)
	if len(agents) == 0 {
		return nil, errNoAgent
	}
	rows, err := lastRows(ctx, lib, info)
	if err != nil {
		return nil, err
	}
	for _, a := range agents {
		how := extractor.AgentOf(a).Resume
		if id := printed(how, rows); id != "" {
			return plan(info, a, id, folderOf(t, a, info)), nil
		}
		facts, ok, err := agentlog.Conversation(info.Session, a, t.Entries)
		if err == nil && ok && how.ID().MatchString(facts.ID) {
			return plan(info, a, facts.ID, folder(facts.Cwd, info.Cwd)), nil
		}
		if id := given(how, info.Command); id != "" {
			return plan(info, a, id, info.Cwd), nil
		}
	}
	return nil, errNoID
}

// importedPlan returns the plan for a session that was imported from an agent's own log.
func importedPlan(info *store.Info, s *session.Source) (*resumePlan, error) {
	how := extractor.AgentOf(s.Agent).Resume
	if how == nil {
		return nil, errNoAgent
	}
	if !how.ID().MatchString(s.ID) {
		return nil, errNoID
	}
	return plan(info, s.Agent, s.ID, info.Cwd), nil
}

// agentsOf returns the agents of a session that can resume conversations, the last one first.
func agentsOf(t *session.Transcript) (names []string) {
	for _, e := range slices.Backward(t.Entries) {
		if e.Event == session.EventNewSession && !slices.Contains(names, e.Agent) &&
			extractor.AgentOf(e.Agent).Resume != nil {
			names = append(names, e.Agent)
		}
	}
	return names
}

// plan returns a plan. Its program is the recorded one, if that is the agent's.
func plan(info *store.Info, agent, id, cwd string) *resumePlan {
	how := extractor.AgentOf(agent).Resume
	program := how.Program
	if len(info.Command) > 0 && filepath.Base(info.Command[0]) == program {
		program = info.Command[0]
	}
	command := []string{program}
	for _, arg := range how.Args {
		command = append(command, strings.ReplaceAll(arg, chat.ResumeID, id))
	}
	return &resumePlan{Agent: agent, ID: id, Command: command, Cwd: cwd}
}

// printed returns the last id that the agent has printed, or "".
func printed(how *chat.Resumption, rows []string) string {
	for _, row := range slices.Backward(rows) {
		if m := how.Printed().FindStringSubmatch(row); m != nil {
			return m[1]
		}
	}
	return ""
}

// given returns the id in a command line, or "".
func given(how *chat.Resumption, command []string) string {
	for i, arg := range command {
		if i == 0 {
			continue
		}
		word, id, ok := strings.Cut(arg, "=")
		if !slices.Contains(how.Given, word) {
			continue
		}
		if !ok && i+1 < len(command) {
			id = command[i+1]
		}
		if how.ID().MatchString(id) {
			return id
		}
	}
	return ""
}

// scrollback is how many rows above the screen are searched for the id.
const scrollback = 200

// lastRows returns the text of the last rows on the main screen of a session. Rows that were
// wrapped are joined.
func lastRows(ctx context.Context, lib *library.Library, info *store.Info) (rows []string, err error) {
	source := archive.NewRawLog(ctx, lib.Store, info.ID, 0)
	defer source.Stop()
	t := vterm.New(vterm.Options{Cols: info.Cols, Rows: info.Rows})
	var above []*vterm.Row
	for {
		e, err := source.Next()
		if err != nil {
			if err := archive.IgnoreEnd(err); err != nil {
				return nil, err
			}
			break
		}
		switch e.Kind {
		case session.Output:
			_, _ = t.Write(e.Data) // never fails
		case session.Resize:
			t.Resize(e.Cols, e.Rows)
		}
		for _, h := range t.TakeHistory() {
			if h.Row != nil {
				above = append(above, h.Row)
			}
		}
		above = above[max(0, len(above)-scrollback):]
	}
	for _, row := range append(above, t.Snapshot().Lines...) {
		if row.Wrapped && len(rows) > 0 {
			rows[len(rows)-1] += row.Text
			continue
		}
		rows = append(rows, row.Text)
	}
	return rows, nil
}

// folderOf returns the folder of an agent's last conversation: that in its banner if it was started
// from a shell, else the session's.
func folderOf(t *session.Transcript, agent string, info *store.Info) string {
	if len(info.Command) > 0 && filepath.Base(info.Command[0]) == extractor.AgentOf(agent).Resume.Program {
		return info.Cwd
	}
	for _, e := range slices.Backward(t.Entries) {
		if e.Event == session.EventNewSession && e.Agent == agent {
			said, _ := e.Data["cwd"].(string)
			return folder(said, info.Cwd)
		}
	}
	return info.Cwd
}

// folder returns said if that is a folder, else cwd. ~ is the home folder.
func folder(said, cwd string) string {
	if rest, ok := strings.CutPrefix(said, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			said = home + rest
		}
	}
	if info, err := os.Stat(said); filepath.IsAbs(said) && err == nil && info.IsDir() {
		return said
	}
	return cwd
}
