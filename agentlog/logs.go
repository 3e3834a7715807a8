// Package agentlog finds and reads the logs that agents keep themselves, and compares what the user
// and the agent said there with a transcript.
package agentlog

import (
	"bufio"
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
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
	messages []message
}

// logFolder is where an agent keeps its logs, and how one is read: as documents, each a line of
// it, or all of it.
type logFolder struct {
	home    func() string
	folder  string   // in its home
	endings []string // of the files
	read    func(docs iter.Seq[[]byte]) []message
}

var knownLogs = map[string]logFolder{
	"claude": {homeOf("CLAUDE_CONFIG_DIR", ".claude"), "projects", []string{".jsonl"}, readClaude},
	"codex":  {homeOf("CODEX_HOME", ".codex"), "sessions", []string{".jsonl"}, readCodex},
	"gemini": {homeOf("GEMINI_CONFIG_DIR", ".gemini"), "tmp", []string{".jsonl", ".json"}, readGemini},
	"qwen":   {homeOf("QWEN_HOME", ".qwen"), "projects", []string{".jsonl"}, readQwen},
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

func (l logFolder) dir() string { return filepath.Join(l.home(), l.folder) }

// find returns the logs with messages from the time and the folder of a session.
func (l logFolder) find(from, to time.Time, cwd string) (logs []logFile, err error) {
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
		all, err := l.messages(name)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(m message) bool {
			elsewhere := m.Cwd != "" && cwd != "" && m.Cwd != cwd && !strings.HasPrefix(m.Cwd, cwd+"/")
			return elsewhere || m.At.Before(from) || m.At.After(to)
		})
		if len(all) > 0 {
			logs = append(logs, logFile{name, all})
		}
		return nil
	})
	return logs, err
}

// messages reads a log. What cannot be read in it holds nothing for us.
func (l logFolder) messages(path string) ([]message, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if filepath.Ext(path) == ".json" {
		b, err := os.ReadFile(path)
		return spoken(l.read(slices.Values([][]byte{b}))), err
	}
	const longest = 64 << 20 // bytes of a line: tools return files and pictures
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), longest)
	all := l.read(func(yield func([]byte) bool) {
		for lines.Scan() && yield(lines.Bytes()) {
		}
	})
	return spoken(all), lines.Err()
}

// spoken leaves out messages without words: calls of tools, and what they returned.
func spoken(all []message) []message {
	return slices.DeleteFunc(all, func(m message) bool { return strings.TrimSpace(m.Text) == "" })
}

// ofSession returns the logs of the session whose messages are have. There may be several, because
// a clear begins another log; and some may be of another window on the same folder. A log belongs
// to the session if at least a quarter of it is found in have; if no log does, the one with the
// most messages found is chosen.
func ofSession(logs []logFile, have []*session.Entry) (chosen []logFile) {
	if len(logs) == 0 {
		return nil
	}
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
	if len(chosen) == 0 {
		return []logFile{slices.MaxFunc(logs, func(a, b logFile) int { return len(a.messages) - len(b.messages) })}
	}
	slices.SortStableFunc(chosen, func(a, b logFile) int { return a.messages[0].At.Compare(b.messages[0].At) })
	return chosen
}
