package agentlog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// codexFolders returns the folders with Codex's logs.
func codexFolders() []string {
	home := homeOf("CODEX_HOME", ".codex")()
	return []string{filepath.Join(home, "sessions"), filepath.Join(home, "archived_sessions")}
}

// codexFile is a log of Codex, with the contents of its first line.
type codexFile struct {
	file
	name string // without the extension of a compressed log
	codexHead
	parent          *codexFile // the log whose history it continues, or nil
	walked, checked bool       // used in the search for parents
}

// codexHead describes a log.
type codexHead struct {
	id    string
	at    time.Time // its start
	from  []string  // ids of the conversations whose history it continues, nearest first
	asked []string  // ids of the conversations to which a subagent belongs, nearest first
	again bool      // it repeats their history
	sub   bool      // no one talked to it: it belongs to a subagent, a guardian, or the like
}

// isCodex reports whether a file is a log: a line for each item, maybe compressed, or one document,
// as in the first versions.
func isCodex(rel string) bool {
	name := filepath.Base(rel)
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.zst") ||
		strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".json")
}

// findCodex returns the conversations. The logs of subagents belong to the conversation that
// started them. So does the log of what was said after the user went back in a conversation.
func findCodex(folders []string, report func(error)) (logs []Log) {
	all := codexFiles(folders, report)
	known := newCodexIndex(all)
	trees := map[*codexFile]*codexTree{}
	var order []*codexFile
	add := func(root, f *codexFile) {
		if trees[root] == nil {
			trees[root] = &codexTree{known: known}
			order = append(order, root)
		}
		trees[root].files = append(trees[root].files, f)
	}
	for _, f := range all { // a conversation comes before its parts
		switch first := known.files[f.id]; {
		case f.sub:
		case f.reverted() && first != nil && !first.sub:
			add(first, f)
		default:
			add(f, f)
		}
	}
	for _, f := range all {
		if f.sub {
			add(known.root(f), f)
		}
	}
	for _, root := range order {
		logs = append(logs, trees[root].log())
	}
	return logs
}

// reverted reports whether the log begins where the user went back. Its name then contains the id
// of the conversation and another id.
func (f *codexFile) reverted() bool { return f.id != "" && strings.Contains(f.name, f.id+"_") }

// codexFiles returns the logs sorted by name. A name begins with the time. If there is a log and a
// compressed copy, only the log is returned.
func codexFiles(folders []string, report func(error)) (all []*codexFile) {
	plain := map[string]bool{}
	for _, folder := range folders {
		for _, f := range walk(folder, isCodex, report) {
			c := &codexFile{file: f, name: strings.TrimSuffix(filepath.Base(f.path), ".zst")}
			plain[f.path] = true
			all = append(all, c)
		}
	}
	all = slices.DeleteFunc(all, func(f *codexFile) bool {
		path, packed := strings.CutSuffix(f.path, ".zst")
		return packed && plain[path]
	})
	for _, f := range all {
		f.codexHead = headOf(f.path)
	}
	slices.SortStableFunc(all, func(a, b *codexFile) int {
		return cmp.Or(cmp.Compare(a.name, b.name),
			cmp.Compare(a.path, b.path))
	})
	return all
}

// Limits of what is read of the beginning of a log. Its first line, and that of each log that it
// repeats, may contain megabytes of instructions.
const (
	mostNamed = 64           // ids in codexHead.from
	mostHead  = 16 * longest // bytes
)

// headOf reads the first line of a log, and the first lines of other logs that it repeats. Read
// errors are reported when the log is read.
func headOf(path string) (h codexHead) {
	n, docs := 0, 0
	first := func(more int) error {
		if n += more; n > mostHead {
			return io.EOF
		}
		return nil
	}
	_, _ = readDocuments(path, first, func(doc []byte) bool {
		if docs++; docs == 1 {
			h = parseHead(doc)
			return true
		}
		var l struct {
			Type    string `json:"type"`
			Payload struct {
				ID string `json:"id"`
			} `json:"payload"`
		}
		if json.Unmarshal(doc, &l) != nil || l.Type != "session_meta" || docs > mostNamed {
			return false
		}
		if l.Payload.ID != h.id {
			h.again = true
			h.goesOn(l.Payload.ID)
		}
		return true
	})
	return h
}

// goesOn adds a conversation that the log continues.
func (h *codexHead) goesOn(id string) {
	if id == "" || id == h.id {
		return
	}
	if !slices.Contains(h.from, id) {
		h.from = append(h.from, id)
	}
	if h.sub && !slices.Contains(h.asked, id) {
		h.asked = append(h.asked, id)
	}
}

func parseHead(doc []byte) (h codexHead) {
	var l struct {
		ID        string `json:"id"`
		Timestamp moment `json:"timestamp"`
		Payload   struct {
			ID           string          `json:"id"`
			Session      string          `json:"session_id"` // all threads of a conversation have that of the first
			Timestamp    moment          `json:"timestamp"`
			ForkedFrom   string          `json:"forked_from_id"`
			Parent       string          `json:"parent_thread_id"`
			ThreadSource json.RawMessage `json:"thread_source"`
			Source       json.RawMessage `json:"source"`
			Base         struct {
				Thread string `json:"thread_id"`
			} `json:"history_base"`
		} `json:"payload"`
	}
	other := (*json.UnmarshalTypeError)(nil)
	if err := json.Unmarshal(doc, &l); err != nil && !errors.As(err, &other) {
		return codexHead{}
	}
	p := l.Payload
	h.id, h.at = cmp.Or(p.ID, l.ID), p.Timestamp.Time
	if h.at.IsZero() {
		h.at = l.Timestamp.Time
	}
	asked, sub := askedBy(p.Source)
	var kind string
	_ = json.Unmarshal(p.ThreadSource, &kind) // it may be of another type
	h.sub = sub || kind == subagent || kind == "memory_consolidation"
	for _, id := range []string{asked, p.Parent, p.ForkedFrom, p.Session} {
		if h.sub && id != "" && id != h.id && !slices.Contains(h.asked, id) {
			h.asked = append(h.asked, id)
		}
	}
	for _, id := range []string{p.ForkedFrom, p.Base.Thread} {
		h.goesOn(id)
	}
	if h.sub {
		for _, id := range h.asked {
			h.goesOn(id)
		}
	}
	return h
}

// askedBy parses the source of a log: sub reports whether it belongs to a subagent, and asked is
// the id of the conversation that started it.
func askedBy(source json.RawMessage) (asked string, sub bool) {
	var name string
	if json.Unmarshal(source, &name) == nil {
		return "", name == subagent
	}
	var by struct {
		Subagent json.RawMessage `json:"subagent"`
		Internal json.RawMessage `json:"internal"`
	}
	_ = json.Unmarshal(source, &by) // anything but an object is ignored
	var spawn struct {
		Thread struct {
			Parent string `json:"parent_thread_id"`
		} `json:"thread_spawn"`
	}
	_ = json.Unmarshal(by.Subagent, &spawn) // a name does not tell the parent
	return spawn.Thread.Parent, set(by.Subagent) || set(by.Internal)
}

// set reports whether a member is present and not null.
func set(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// codexIndex contains all logs, to find the history that one continues. It must not be used
// concurrently.
type codexIndex struct {
	files  map[string]*codexFile // by id of the conversation
	prints map[string][]print    // of files that were read, by path
	kept   int                   // number of prints in prints
	look   func(n int) error     // ends a reading if it returns an error
}

func newCodexIndex(all []*codexFile) *codexIndex {
	x := &codexIndex{files: map[string]*codexFile{}, prints: map[string][]print{}}
	heirs := map[string]*codexFile{}
	for _, f := range all {
		if f.id != "" && x.files[f.id] == nil {
			x.files[f.id] = f
		}
	}
	for _, f := range all {
		p := x.first(f.from)
		if p == nil && len(f.from) > 0 { // if the continued log is missing, the first log that continues it has its history
			if p = heirs[f.from[0]]; p == nil && !f.sub {
				heirs[f.from[0]] = f
			}
		}
		f.parent = p
	}
	for _, f := range all { // break circles
		way := []*codexFile{}
		for at := f; at != nil && !at.checked; at = at.parent {
			if at.walked = true; at.parent != nil && at.parent.walked {
				at.parent = nil
			}
			way = append(way, at)
		}
		for _, at := range way {
			at.checked, at.walked = true, false
		}
	}
	return x
}

// first returns the first log that exists, or nil.
func (x *codexIndex) first(ids []string) *codexFile {
	for _, id := range ids {
		if f := x.files[id]; f != nil {
			return f
		}
	}
	return nil
}

// root returns the log to which a subagent's belongs, or f itself if that does not exist.
func (x *codexIndex) root(f *codexFile) *codexFile {
	root, seen := f, map[*codexFile]bool{}
	for root != nil && root.sub && !seen[root] {
		seen[root] = true
		root = x.first(root.asked)
	}
	if root == nil || root.sub {
		return f
	}
	return root
}

// codexTree has the files of a conversation: its own, earliest first, then those of subagents.
type codexTree struct {
	known *codexIndex
	files []*codexFile
}

func (t *codexTree) log() Log {
	l := Log{Agent: "codex", Path: t.files[0].path, Lone: t.files[0].sub, read: t.read}
	files := make([]file, len(t.files))
	for i, f := range t.files {
		files[i] = f.file
		l.Files, l.Size = append(l.Files, f.path), l.Size+f.info.Size()
	}
	l.State = stateOf(files)
	return l
}

func (t *codexTree) read(l *Log, w *writer) error {
	var errs error
	for i, f := range t.files {
		r := &codexReader{writer: w, file: f.name, first: i == 0}
		t.known.look = func(int) error { return w.sink.Seen(0) }
		if w.side = ""; f.sub {
			w.side = cmp.Or(f.id, f.name)
		}
		switch parent := f.parent; {
		case i > 0 && !f.sub:
			w.say(f.name, "system", "The user went back to an earlier message.")
			r.forked = true
			r.inherited, r.byOrdinal = t.known.inherited(f, t.files[:i]), true
		case len(f.from) > 0:
			r.forked = true
			if parent != nil && !l.whole {
				r.inherited, r.byOrdinal = t.known.inherited(f, parent.history()), true
			}
		}
		long, err := readDocuments(f.path, w.sink.Seen, func(doc []byte) bool {
			r.line(doc)
			return w.err == nil
		})
		r.end()
		w.facts.Long += long
		errs = errors.Join(errs, err, w.err)
		if w.err != nil {
			break
		}
	}
	return errs
}

// print identifies a line of a log with content. A line and its copy have the same print.
type print struct {
	sum    uint64
	at     int64 // nanoseconds since 1970; 0 if unknown
	prompt bool
}

// history returns the files with the history of a conversation, including its own, earliest first.
// A log either repeats what it continues, or only names it.
func (f *codexFile) history() (files []*codexFile) {
	for at := f; at != nil; at = at.parent {
		if files = append(files, at); at.again {
			break
		}
	}
	slices.Reverse(files)
	return files
}

// forkSlack is how much later a copy may be dated than the original: clocks differ, and a fork
// takes time.
const forkSlack = time.Minute

// inherited returns how many documents at the beginning of a log only repeat those of other logs.
func (x *codexIndex) inherited(f *codexFile, history []*codexFile) (n int) {
	var have []print
	for _, h := range history {
		have = append(have, x.printsOf(h)...)
	}
	latest := int64(math.MaxInt64) // this log cannot repeat what the others contain after it
	if !f.at.IsZero() && !f.reverted() {
		latest = f.at.Add(forkSlack).UnixNano()
	}
	docs, answered, prompted := 0, 0, false
	r := &codexReader{writer: newWriter(&Log{Agent: "codex"}, Sink{})}
	_, _ = readDocuments(f.path, x.look, func(doc []byte) bool { // read errors are reported later
		docs++
		p, ok := r.print(doc)
		if docs == 1 || !ok {
			return true
		}
		at := slices.IndexFunc(have, func(h print) bool { return h.sum == p.sum && (h.at <= latest || h.at == p.at) })
		if at < 0 {
			return false
		}
		have = have[at+1:]
		if n, prompted = docs, p.prompt; !prompted {
			answered = n
		}
		return true
	})
	// the user went back, and said the same again
	if prompted && !f.sub && slices.ContainsFunc(have, func(h print) bool { return h.at <= latest }) {
		return answered
	}
	return n
}

// mostPrints is the maximum number of prints to keep.
const mostPrints = 1 << 20

func (x *codexIndex) printsOf(f *codexFile) (prints []print) {
	if prints, ok := x.prints[f.path]; ok {
		return prints
	}
	r := &codexReader{writer: newWriter(&Log{Agent: "codex"}, Sink{})}
	docs := 0
	_, _ = readDocuments(f.path, x.look, func(doc []byte) bool { // read errors are reported when that log is read
		if docs++; docs > 1 {
			if p, ok := r.print(doc); ok {
				prints = append(prints, p)
			}
		}
		return true
	})
	if x.kept+len(prints) > mostPrints {
		clear(x.prints)
		x.kept = 0
	}
	x.prints[f.path], x.kept = prints, x.kept+len(prints)
	return prints
}

// print returns the print of a document. ok is false if it has no content.
func (r *codexReader) print(doc []byte) (p print, ok bool) {
	l, item, ok := r.parse(doc)
	if !ok {
		return p, false
	}
	var parts []string
	switch role, text := r.event(item); {
	case role != "":
		parts, p.prompt = []string{role, text}, role == "user"
	case item.Type == "message" && (item.Role == "user" || item.Role == "assistant"):
		text, injected := item.said()
		if injected {
			return p, false
		}
		parts, p.prompt = []string{"item", item.Role, text}, item.Role == "user"
	case item.CallID != "":
		parts = []string{item.Type, item.CallID}
	case item.Type == "token_count" && item.Info != nil:
		parts = []string{item.Type, fmt.Sprint(item.Info.Total)}
	case l.Type == "compacted", item.Type == "turn_aborted":
		parts = []string{l.Type, item.Type, item.TurnID, item.Message}
	default:
		return p, false
	}
	sum := fnv.New64a()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s\n", len(part), part)
	}
	p.sum = sum.Sum64()
	if at := l.Timestamp.Time; !at.IsZero() {
		p.at = at.UnixNano()
	}
	return p, true
}
