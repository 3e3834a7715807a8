package agentlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Log is an agent's log of one conversation.
type Log struct {
	Agent string
	Path  string   // path of the main file, or place in a database
	Files []string // the main file first, then those of subagents
	Size  int64    // of all files, in bytes
	State string   // changes when something is added
	// Lone is set for the log of a subagent whose conversation is missing.
	Lone bool

	whole   bool      // read also what only repeats another log
	changed time.Time // last modification, if it is in a database
	read    func(l *Log, w *writer) error
}

// changedSince reports whether the log may have changed since t.
func (l *Log) changedSince(t time.Time) bool {
	if !l.changed.IsZero() {
		return !l.changed.Before(t)
	}
	return slices.ContainsFunc(l.Files, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && !info.ModTime().Before(t)
	})
}

// Read reads the log to its end, as far as possible. An entry without a plausible time has the zero
// time.
func (l *Log) Read(sink Sink) (Facts, error) {
	w := newWriter(l, sink)
	if err := l.read(l, w); err != nil {
		facts, _ := w.end()
		return facts, err
	}
	return w.end()
}

// keeper finds and reads the logs of an agent.
type keeper struct {
	agent   string
	folders func() []string
	// others finds the conversations if they cannot be found file by file. If it is nil, the
	// following fields are used.
	others func(folders []string, report func(error)) []Log
	// Whether a file contains a conversation; rel is its path below the folder.
	wants  func(rel string) bool
	reader func(w *writer) (func([]byte), func()) // returns the reader for a file
	// Id of the conversation, which may have several files; nil: each file has its own
	// conversation.
	key func(path string) string
	// Id of the log to which a subagent's belongs, or ""; nil: there are no logs of subagents.
	parent  func(path string, look bool) string
	project func(path string) string // folder of a conversation; nil: its messages contain it
}

// keepers are the agents whose logs are read.
var keepers = []keeper{
	{agent: "claude", folders: claudeFolders, wants: isClaude, reader: simple(newClaude), parent: parentOf},
	{agent: "codex", folders: codexFolders, others: findCodex, reader: newCodex},
	{agent: "gemini", folders: in(geminiHome, "tmp"), wants: isGemini, reader: simple(newGemini), key: headID,
		parent: geminiParent, project: projectOf},
	{agent: "opencode", folders: dataFolders("opencode"), others: findOpencode},
	{agent: "kilo", folders: dataFolders("kilo"), others: findOpencode},
	{agent: "qwen", folders: qwenFolders, wants: isQwen, reader: simple(newQwen), parent: qwenParent},
	{agent: "copilot", folders: copilotFolders, wants: isCopilot, reader: simple(newCopilot), key: copilotKey},
	{agent: "pi", folders: piFolders, wants: isPi, reader: simple(newPi)},
}

// keeperOf returns the keeper of an agent, or nil.
func keeperOf(agent string) *keeper {
	for i := range keepers {
		if keepers[i].agent == agent {
			return &keepers[i]
		}
	}
	return nil
}

// dataFolders returns a function for keeper.folders that returns the folder of opencode or of Kilo.
func dataFolders(agent string) func() []string {
	return func() []string { return []string{dataFolder(agent)} }
}

// in returns a function for keeper.folders that returns a folder below another.
func in(home func() string, folder string) func() []string {
	return func() []string { return []string{filepath.Join(home(), folder)} }
}

func simple(of func(w *writer) func([]byte)) func(w *writer) (func([]byte), func()) {
	return func(w *writer) (func([]byte), func()) { return of(w), func() {} }
}

// folderAt returns the name of the folder n levels above a file.
func folderAt(path string, n int) string {
	for range n {
		path = filepath.Dir(path)
	}
	return filepath.Base(path)
}

// isClaude reports whether a file contains a conversation of Claude Code or of a subagent. Below
// projects/PROJECT there are also journals of workflows and results of tools.
func isClaude(rel string) bool {
	return filepath.Ext(rel) == ".jsonl" && (strings.HasPrefix(filepath.Base(rel), "agent-") ||
		strings.Count(rel, "/") <= 1)
}

// isGemini reports whether a file contains a conversation of Gemini CLI or of a subagent:
// tmp/PROJECT/chats/session-….json or .jsonl, and tmp/PROJECT/chats/CONVERSATION/….jsonl.
func isGemini(rel string) bool {
	return (filepath.Ext(rel) == ".jsonl" || filepath.Ext(rel) == ".json") &&
		(folderAt(rel, 1) == "chats" || folderAt(rel, 2) == "chats")
}

var kindSubagent = lazy.Regexp(`^\s*\{[^{}]*"kind"\s*:\s*"subagent"`)

// geminiParent returns the id of the conversation to which a subagent's log belongs, which is the
// name of its folder. It returns "" if the log is not a subagent's. Older versions do not store the
// id.
func geminiParent(path string, _ bool) string {
	if parent := folderAt(path, 1); parent != "chats" {
		return parent
	}
	if kindSubagent().Match(head(path)) {
		return path
	}
	return ""
}

// isQwen reports whether a file contains a conversation of Qwen Code:
// projects/PROJECT/chats/….jsonl, chats/archive/….jsonl, or that of a subagent:
// projects/PROJECT/subagents/CONVERSATION/agent-….jsonl. In 2025 it was tmp/PROJECT/chats/….json,
// as in Gemini CLI.
func isQwen(rel string) bool {
	switch filepath.Ext(rel) {
	case ".json":
		return folderAt(rel, 1) == "chats"
	case ".jsonl":
		return folderAt(rel, 1) != "subagents" &&
			(folderAt(rel, 2) != "subagents" || strings.HasPrefix(filepath.Base(rel), "agent-"))
	}
	return false
}

// qwenParent returns the id of the log to which a subagent's belongs, or "" if it is not a
// subagent's.
func qwenParent(path string, look bool) string {
	if folderAt(path, 2) != "subagents" {
		return ""
	}
	project := filepath.Dir(filepath.Dir(filepath.Dir(path)))
	parent := filepath.Join(project, "chats", folderAt(path, 1)+".jsonl")
	if look {
		if _, err := os.Lstat(parent); err != nil {
			return filepath.Join(project, "chats", "archive", filepath.Base(parent))
		}
	}
	return parent
}

// isCopilot reports whether a file contains a conversation of Copilot CLI:
// session-state/CONVERSATION/events.jsonl; in older versions session-state/CONVERSATION.jsonl, and
// before that history-session-state/session_CONVERSATION_….json.
func isCopilot(rel string) bool {
	return filepath.Base(rel) == "events.jsonl" ||
		filepath.Dir(rel) == "." && (filepath.Ext(rel) == ".jsonl" || filepath.Ext(rel) == ".json")
}

// Agents returns the names of the agents whose logs are read.
func Agents() []string {
	names := make([]string, len(keepers))
	for i, k := range keepers {
		names[i] = k.agent
	}
	return names
}

func homeOf(variable, folder string) func() string {
	return func() string {
		if dir := os.Getenv(variable); dir != "" {
			return dir
		}
		home, _ := os.UserHomeDir() // without a home folder nothing is found
		return filepath.Join(home, folder)
	}
}

// claudeFolders returns the folders with Claude Code's logs. Some versions follow XDG.
func claudeFolders() []string {
	folders := []string{filepath.Join(homeOf("CLAUDE_CONFIG_DIR", ".claude")(), "projects")}
	if os.Getenv("CLAUDE_CONFIG_DIR") == "" {
		folders = append(folders, filepath.Join(homeOf("XDG_CONFIG_HOME", ".config")(), "claude", "projects"))
	}
	return folders
}

// geminiHome returns Gemini CLI's folder. GEMINI_CLI_HOME replaces the user's home.
func geminiHome() string {
	if home := os.Getenv("GEMINI_CLI_HOME"); home != "" && os.Getenv("GEMINI_CONFIG_DIR") == "" {
		return filepath.Join(home, ".gemini")
	}
	return homeOf("GEMINI_CONFIG_DIR", ".gemini")()
}

// qwenFolders returns the folders with Qwen Code's logs. A setting or a variable can move them.
func qwenFolders() (folders []string) {
	home := homeOf("QWEN_HOME", ".qwen")()
	var settings struct {
		Advanced struct {
			Dir string `json:"runtimeOutputDir"`
		} `json:"advanced"`
	}
	b, _ := readFile(filepath.Join(home, "settings.json")) // without settings they are not moved
	_ = json.Unmarshal(b, &settings)
	var bases []string
	for _, dir := range []string{home, settings.Advanced.Dir, os.Getenv("QWEN_RUNTIME_DIR")} {
		if dir = inHome(dir); filepath.IsAbs(dir) && !slices.Contains(bases, filepath.Clean(dir)) {
			bases = append(bases, filepath.Clean(dir))
			folders = append(folders, filepath.Join(dir, "projects"), filepath.Join(dir, "tmp"))
		}
	}
	return folders
}

// inHome returns a path with the user's home folder for a tilde.
func inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		home, _ := os.UserHomeDir() // without a home folder nothing is found
		return filepath.Join(home, rest)
	}
	return path
}

// copilotFolders returns the folders with Copilot CLI's logs.
func copilotFolders() []string {
	home := homeOf("COPILOT_HOME", ".copilot")()
	folders := []string{filepath.Join(home, "session-state"), filepath.Join(home, "history-session-state")}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) && os.Getenv("COPILOT_HOME") == "" {
		home := filepath.Join(state, ".copilot")
		folders = append(folders, filepath.Join(home, "session-state"), filepath.Join(home, "history-session-state"))
	}
	return folders
}

var copilotFile = lazy.Regexp(`^session_([0-9a-f-]{36})_`)

// copilotKey returns the id of the conversation in a path.
func copilotKey(path string) string {
	name := filepath.Base(path)
	if name == "events.jsonl" {
		return folderAt(path, 1)
	}
	if m := copilotFile().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// Folders returns the folders with an agent's logs, or nil if the agent is unknown.
func Folders(agent string) []string {
	if k := keeperOf(agent); k != nil {
		return k.folders()
	}
	return nil
}

// Find returns the logs of an agent, sorted by path. It passes read errors to report, and
// continues.
func Find(agent string, report func(error)) []Log {
	k := keeperOf(agent)
	if k == nil {
		return nil
	}
	var logs []Log
	if k.others != nil {
		logs = k.others(k.folders(), report)
	} else {
		for _, folder := range k.folders() {
			logs = append(logs, k.find(folder, report)...)
		}
	}
	sortLogs(logs)
	for i := range logs {
		logs[i].Agent, logs[i].State = agent, reading+" "+logs[i].State
	}
	return logs
}

// reading is part of the state of each log. It is incremented when logs are interpreted
// differently, so that the next import reads all of them again.
const reading = "2"

// file is a file of a log.
type file struct {
	path string
	info fs.FileInfo
}

// walk returns the regular, non-empty files below a folder for which wants returns true. rel is the
// path relative to the folder. The folder itself may be a link.
func walk(folder string, wants func(rel string) bool, report func(error)) (files []file) {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			report(err)
		}
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				report(err)
			}
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		if !d.Type().IsRegular() || !wants(rel) {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Size() > 0 {
			files = append(files, file{path, info})
		}
		return nil
	})
	return files
}

// find groups the files of each conversation into a Log.
func (k keeper) find(folder string, report func(error)) (logs []Log) {
	at := map[string]int{}
	var later []file // files of subagents
	states := []([]file){}
	add := func(key string, f file) {
		i, known := at[key]
		if !known {
			i = len(logs)
			at[key] = i
			logs = append(logs, Log{Agent: k.agent, Path: f.path, read: k.read})
			states = append(states, nil)
		}
		logs[i].Files, logs[i].Size = append(logs[i].Files, f.path), logs[i].Size+f.info.Size()
		states[i] = append(states[i], f)
	}
	for _, f := range walk(folder, k.wants, report) {
		switch {
		case k.parent != nil && k.parent(f.path, false) != "":
			later = append(later, f)
		case k.key != nil:
			add(cmp.Or(k.key(f.path), f.path), f)
		default:
			add(f.path, f)
		}
	}
	conversations := len(logs)
	for _, f := range later {
		add(k.parent(f.path, true), f)
	}
	for i := range logs {
		logs[i].State, logs[i].Lone = stateOf(states[i]), i >= conversations
	}
	return logs
}

// stateOf returns a text that changes when a file changes.
func stateOf(files []file) string {
	sum := fnv.New64a()
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d %d\n", filepath.Base(f.path), f.info.Size(), f.info.ModTime().UnixNano())
	}
	return fmt.Sprintf("%x", sum.Sum64())
}

// rootOf returns the last id in the chain of parents that begins with id. ok is false if the chain
// contains an unknown id or is a circle.
func rootOf(id string, parentOf func(id string) (parent string, known bool)) (root string, ok bool) {
	seen := map[string]bool{}
	for !seen[id] {
		seen[id] = true
		parent, known := parentOf(id)
		if !known {
			return "", false
		}
		if parent == "" {
			return id, true
		}
		id = parent
	}
	return "", false
}

// parentOf returns the id of the log to which a subagent's belongs, or "" if it is not a
// subagent's. Since 2.1 the log is in a folder "subagents" below that of the conversation; earlier
// versions store the id in the log.
func parentOf(path string, look bool) string {
	if !strings.HasPrefix(filepath.Base(path), "agent-") {
		return ""
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "subagents" {
			return filepath.Dir(dir) + ".jsonl"
		}
	}
	if !look {
		return path
	}
	if id := headID(path); id != "" && !strings.ContainsAny(id, "/\\") {
		return filepath.Join(filepath.Dir(path), id+".jsonl")
	}
	return path
}

var sessionID = lazy.Regexp(`"sessionId"\s*:\s*"([^"\\]{1,200})"`)

// headID returns the id of the conversation at the beginning of a log.
func headID(path string) string {
	if m := sessionID().FindSubmatch(head(path)); m != nil {
		return string(bytes.ToValidUTF8(m[1], nil))
	}
	return ""
}

// head returns the beginning of a file, or nil if it cannot be read.
func head(path string) []byte {
	f, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	n, _ := f.Read(b)
	return b[:n]
}

// read reads the files of a conversation, the main one first.
func (k keeper) read(l *Log, w *writer) error {
	if k.project != nil {
		w.in(k.project(l.Path))
	}
	var errs error
	for i, path := range l.Files {
		line, end := k.reader(w)
		if w.side = ""; i > 0 && k.parent != nil && k.parent(path, false) != "" {
			w.side = strings.TrimSuffix(filepath.Base(path), ".jsonl")
		}
		long, err := readDocuments(path, w.sink.Seen, func(doc []byte) bool {
			line(doc)
			return w.err == nil
		})
		end()
		w.facts.Long += long
		errs = errors.Join(errs, err, w.err)
		if w.err != nil {
			break
		}
	}
	return errs
}

// projectOf returns the folder to which Gemini CLI's chats belong, or "" if no file contains it.
func projectOf(chat string) string {
	b, err := readFile(filepath.Join(filepath.Dir(filepath.Dir(chat)), ".project_root"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
