package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Agents keep logs of their own. What is read of them here is what the user and the agent said, in order, as Markdown.

// logMessage is one message of an agent's own log.
type logMessage struct {
	Role string
	Text string
	At   time.Time
	Cwd  string // empty where the log does not say
}

// agentLogs says where an agent keeps its logs, and how they are read.
type agentLogs struct {
	home    func() string
	folder  string   // in its home
	endings []string // of the files
	read    func(line []byte) []logMessage
}

var knownLogs = map[string]agentLogs{
	"claude": {homeOf("CLAUDE_CONFIG_DIR", ".claude"), "projects", []string{".jsonl"}, readClaude},
	"codex":  {homeOf("CODEX_HOME", ".codex"), "sessions", []string{".jsonl"}, readCodex},
	"gemini": {homeOf("GEMINI_CONFIG_DIR", ".gemini"), "tmp", []string{".jsonl", ".json"}, readGemini},
}

func homeOf(variable, folder string) func() string {
	return func() string {
		if dir := os.Getenv(variable); dir != "" {
			return dir
		}
		home, _ := os.UserHomeDir() // without one nothing is found
		return filepath.Join(home, folder)
	}
}

func (l agentLogs) dir() string { return filepath.Join(l.home(), l.folder) }

// find gives the log that holds the most messages from the time, and of the folder, of a session.
func (l agentLogs) find(from, to time.Time, cwd string) (path string, messages []logMessage, err error) {
	err = filepath.WalkDir(l.dir(), func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() || !slices.Contains(l.endings, filepath.Ext(name)) {
			return err
		}
		if info, err := d.Info(); err != nil || info.ModTime().Before(from) {
			return nil //nolint:nilerr // it went away
		}
		found, err := l.messages(name, from, to, cwd)
		if len(found) > len(messages) {
			path, messages = name, found
		}
		return err
	})
	return path, messages, err
}

// messages reads a log. Lines that cannot be read hold nothing for us.
func (l agentLogs) messages(path string, from, to time.Time, cwd string) (out []logMessage, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	add := func(b []byte) {
		for _, m := range l.read(b) {
			if !m.At.Before(from) && !m.At.After(to) && (m.Cwd == "" || cwd == "" || m.Cwd == cwd || strings.HasPrefix(m.Cwd, cwd+"/")) && strings.TrimSpace(m.Text) != "" {
				out = append(out, m)
			}
		}
	}
	if filepath.Ext(path) == ".json" {
		b, err := os.ReadFile(path)
		add(b)
		return out, err
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), 64<<20)
	for lines.Scan() {
		add(lines.Bytes())
	}
	return out, lines.Err()
}

// parts is a message's content: a string, or a list of parts with text.
type parts string

func (p *parts) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*p = parts(text)
		return nil
	}
	var list []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil //nolint:nilerr // another kind of content: no text
	}
	var texts []string
	for _, part := range list {
		if part.Text != "" && part.Type != "thinking" {
			texts = append(texts, part.Text)
		}
	}
	*p = parts(strings.Join(texts, "\n"))
	return nil
}

func readClaude(line []byte) []logMessage {
	var l struct {
		Type        string    `json:"type"`
		IsMeta      bool      `json:"isMeta"`
		IsSidechain bool      `json:"isSidechain"`
		Timestamp   time.Time `json:"timestamp"`
		Cwd         string    `json:"cwd"`
		Message     struct {
			Content parts `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &l) != nil || l.IsMeta || l.IsSidechain || l.Type != session.RoleUser && l.Type != session.RoleAssistant {
		return nil
	}
	text := string(l.Message.Content)
	for _, own := range []string{"<command-", "<local-command-", "<bash-", "Caveat: ", "[Request interrupted", "<system-reminder>"} {
		if strings.HasPrefix(text, own) {
			return nil
		}
	}
	return []logMessage{{l.Type, text, l.Timestamp, l.Cwd}}
}

func readCodex(line []byte) []logMessage {
	var l struct {
		Timestamp time.Time `json:"timestamp"`
		Type      string    `json:"type"`
		Payload   struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "event_msg" {
		return nil
	}
	switch l.Payload.Type {
	case "user_message":
		return []logMessage{{session.RoleUser, l.Payload.Message, l.Timestamp, ""}}
	case "agent_message":
		return []logMessage{{session.RoleAssistant, l.Payload.Message, l.Timestamp, ""}}
	}
	return nil
}

// readGemini reads a line, or a file that is one document.
func readGemini(doc []byte) (out []logMessage) {
	type entry struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Content   parts     `json:"content"`
	}
	var d struct {
		entry
		Messages []entry `json:"messages"`
	}
	if json.Unmarshal(doc, &d) != nil {
		return nil
	}
	for _, e := range append(d.Messages, d.entry) {
		switch e.Type {
		case "user":
			out = append(out, logMessage{session.RoleUser, string(e.Content), e.Timestamp, ""})
		case "gemini":
			out = append(out, logMessage{session.RoleAssistant, string(e.Content), e.Timestamp, ""})
		}
	}
	slices.SortStableFunc(out, func(a, b logMessage) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	return out
}
