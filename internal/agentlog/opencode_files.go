package agentlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// opencodeFiles is the storage of opencode before 1.2: a file for each session, message and part.
type opencodeFiles struct {
	sessions string // a pattern
	messages string // contains a folder for each session
	parts    string // contains a folder for each message
	nested   bool   // parts are inside messages, as in the oldest versions
}

// opencodeStorages returns the storage below a folder, and those of each project in the oldest
// versions.
func opencodeStorages(root string) []opencodeFiles {
	all := []opencodeFiles{{
		sessions: filepath.Join(root, "storage", "session", "*", "ses_*.json"),
		messages: filepath.Join(root, "storage", "message"),
		parts:    filepath.Join(root, "storage", "part"),
	}}
	projects, _ := filepath.Glob(filepath.Join(root, "project", "*", "storage", "session")) // the pattern is a valid one
	for _, dir := range projects {
		all = append(all, opencodeFiles{sessions: filepath.Join(dir, "info", "ses_*.json"),
			messages: filepath.Join(dir, "message"), parts: filepath.Join(dir, "part"), nested: true})
	}
	return all
}

// find returns the conversations. Those of subagents belong to the conversation of their parent.
func (o opencodeFiles) find(report func(error)) []Log {
	paths, _ := filepath.Glob(o.sessions) // the pattern is a valid one
	var all []opencodeLog
	for _, path := range paths {
		s, err := o.describe(path)
		if err != nil {
			report(err)
			continue
		}
		state := fnv.New64a()
		l := opencodeLog{id: strings.TrimSuffix(filepath.Base(path), ".json"), parent: s.Parent}
		l.Log = Log{Path: path, Files: []string{path}, Size: o.sum(path, state), read: o.read}
		l.State = fmt.Sprintf("%x", state.Sum64())
		all = append(all, l)
	}
	return withSubagents(all)
}

// mostOfFile is the maximum size of a file of a message or part, in bytes.
const mostOfFile = longest

// readFile reads a small regular file.
func readFile(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostOfFile+1))
	if err == nil && len(b) > mostOfFile {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("it is too large")}
	}
	return b, err
}

func (o opencodeFiles) describe(path string) (s opencodeSession, err error) {
	b, err := readFile(path)
	if err != nil {
		return s, err
	}
	other := (*json.UnmarshalTypeError)(nil)
	if err = json.Unmarshal(b, &s); err != nil && !errors.As(err, &other) {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// messagesOf returns the folder of a session's messages. The ids come from file names, never from
// the contents, so that these cannot lead elsewhere.
func (o opencodeFiles) messagesOf(path string) string {
	return filepath.Join(o.messages, strings.TrimSuffix(filepath.Base(path), ".json"))
}

// partsOf returns the folder of a message's parts.
func (o opencodeFiles) partsOf(path, message string) string {
	if o.nested {
		return filepath.Join(o.parts, strings.TrimSuffix(filepath.Base(path), ".json"), message)
	}
	return filepath.Join(o.parts, message)
}

// list returns the regular .json files in a folder, sorted by name: ids sort by time.
func list(folder string) (infos []fs.FileInfo) {
	entries, _ := os.ReadDir(folder) // a missing folder is empty
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".json" {
			infos = append(infos, info)
		}
	}
	return infos
}

// sum returns the size of a session's messages, and writes their state to state.
func (o opencodeFiles) sum(path string, state io.Writer) (size int64) {
	if info, err := os.Lstat(path); err == nil {
		fmt.Fprintf(state, "%s %d %d\n", filepath.Base(path), info.Size(), info.ModTime().UnixNano())
		size += info.Size()
	}
	for _, info := range list(o.messagesOf(path)) {
		fmt.Fprintf(state, "%s %d %d\n", info.Name(), info.Size(), info.ModTime().UnixNano())
		size += info.Size()
		for _, p := range list(o.partsOf(path, strings.TrimSuffix(info.Name(), ".json"))) {
			fmt.Fprintf(state, "%s %d %d\n", p.Name(), p.Size(), p.ModTime().UnixNano())
			size += p.Size()
		}
	}
	return size
}

func (o opencodeFiles) read(l *Log, w *writer) error {
	r := opencodeReader{w}
	for i, path := range l.Files {
		s, err := o.describe(path)
		if err != nil {
			return err
		}
		if w.side = ""; i > 0 {
			w.side = strings.TrimSuffix(filepath.Base(path), ".json")
		} else {
			r.session(s)
		}
		for _, info := range list(o.messagesOf(path)) {
			file := filepath.Join(o.messagesOf(path), info.Name())
			doc, err := readFile(file)
			if err != nil {
				w.facts.Broken++
				continue
			}
			w.err = errors.Join(w.err, w.sink.Seen(len(doc)))
			id := strings.TrimSuffix(info.Name(), ".json")
			r.message(id, doc, func(part func(string, []byte)) {
				folder := o.partsOf(path, id)
				for _, p := range list(folder) {
					doc, err := readFile(filepath.Join(folder, p.Name()))
					if err != nil {
						w.facts.Broken++
						continue
					}
					w.err = errors.Join(w.err, w.sink.Seen(len(doc)))
					part(strings.TrimSuffix(p.Name(), ".json"), doc)
				}
			})
			if w.err != nil {
				return w.err
			}
		}
	}
	return nil
}

// sortLogs sorts logs by path, so that each run has the same result.
func sortLogs(logs []Log) {
	slices.SortFunc(logs, func(a, b Log) int { return strings.Compare(a.Path, b.Path) })
}
