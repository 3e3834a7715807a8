package agentlog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // opencode's database
)

// opencodeDatabase is the storage of opencode since 1.2.
type opencodeDatabase struct {
	path string
}

// open opens the database for reading. opencode may be using it.
func (o opencodeDatabase) open() (*sql.DB, error) {
	info, err := os.Lstat(o.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: o.path, Err: errNotRegular}
	}
	for _, more := range []string{"", "&immutable=1"} { // in a read-only folder it cannot create its lock files
		db, err := sql.Open("sqlite",
			"file:"+(&url.URL{Path: o.path}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(5000)"+more)
		if err != nil {
			return nil, err
		}
		var n int
		if err = db.QueryRow("SELECT count(*) FROM session").Scan(&n); err == nil {
			return db, nil
		}
		_ = db.Close()
		if more != "" {
			return nil, fmt.Errorf("%s: %w", o.path, err)
		}
	}
	return nil, nil
}

// find returns the conversations. Those of subagents belong to the conversation of their parent.
func (o opencodeDatabase) find(report func(error)) (logs []Log) {
	db, err := o.open()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			report(err)
		}
		return nil
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Query(`SELECT s.id, coalesce(s.parent_id, ''), s.time_updated,
		(SELECT count(*) || '/' || coalesce(max(time_updated), 0) || '/' ||
			coalesce(sum(length(data)), 0) FROM part WHERE session_id = s.id),
		(SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = s.id) FROM session AS s ORDER BY s.id`)
	if err != nil {
		report(fmt.Errorf("%s: %w", o.path, err))
		return nil
	}
	defer func() { _ = rows.Close() }()
	var all []opencodeLog
	for rows.Next() {
		var l opencodeLog
		var updated, parts string
		if err := rows.Scan(&l.id, &l.parent, &updated, &parts, &l.Size); err != nil {
			report(fmt.Errorf("%s: %w", o.path, err))
			break
		}
		l.Log = Log{Path: o.path + "#" + l.id, Files: []string{l.id}, Size: l.Size,
			State: updated + " " + parts, read: o.read}
		if ms, err := strconv.ParseInt(updated, 10, 64); err == nil {
			l.changed = time.UnixMilli(ms)
		}
		all = append(all, l)
	}
	if err := rows.Err(); err != nil {
		report(fmt.Errorf("%s: %w", o.path, err))
	}
	return withSubagents(all)
}

// opencodeLog is a conversation, maybe one of a subagent.
type opencodeLog struct {
	Log
	id, parent string
}

// withSubagents adds the conversations of subagents, at any depth, to those to which they belong.
func withSubagents(all []opencodeLog) (logs []Log) {
	parents := map[string]string{}
	for _, l := range all {
		parents[l.id] = l.parent
	}
	at := map[string]int{}
	for _, l := range all {
		if l.parent == "" {
			at[l.id] = len(logs)
			logs = append(logs, l.Log)
		}
	}
	for _, l := range all {
		if l.parent == "" {
			continue
		}
		root, ok := rootOf(l.parent, func(id string) (parent string, known bool) {
			parent, known = parents[id]
			return parent, known
		})
		if i := at[root]; ok {
			logs[i].Files, logs[i].Size, logs[i].State = append(logs[i].Files,
				l.Files...), logs[i].Size+l.Size, logs[i].State+" "+l.State
			continue
		}
		l.Lone = true
		logs = append(logs, l.Log)
	}
	return logs
}

func (o opencodeDatabase) read(l *Log, w *writer) error {
	db, err := o.open()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for i, id := range l.Files {
		if w.side = ""; i > 0 {
			w.side = id
		}
		if err := o.readSession(db, id, opencodeReader{w}); err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
	}
	return nil
}

func (o opencodeDatabase) readSession(db *sql.DB, id string, r opencodeReader) error {
	if r.side == "" {
		s := opencodeSession{ID: id}
		if err := db.QueryRow("SELECT title, directory, version FROM session WHERE id = ?", id).Scan(&s.Title, &s.Directory,
			&s.Version); err != nil {
			return err
		}
		r.session(s)
	}
	rows, err := db.QueryContext(context.Background(),
		"SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", id)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var message string
		var doc []byte
		if err := rows.Scan(&message, &doc); err != nil {
			return err
		}
		partErr := r.sink.Seen(len(doc))
		r.message(message, doc, func(part func(string, []byte)) {
			err := o.parts(db, message, func(id string, doc []byte) {
				r.err = errors.Join(r.err, r.sink.Seen(len(doc)))
				part(id, doc)
			})
			partErr = errors.Join(partErr, err)
		})
		if err := errors.Join(partErr, r.err); err != nil {
			return err
		}
	}
	return rows.Err()
}

// parts calls fn with the parts of a message, except those that are too long.
func (o opencodeDatabase) parts(db *sql.DB, message string, fn func(id string, doc []byte)) error {
	rows, err := db.Query("SELECT id, data FROM part WHERE message_id = ? AND length(data) <= ? ORDER BY id", message,
		longest)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		var doc []byte
		if err := rows.Scan(&id, &doc); err != nil {
			return err
		}
		fn(id, doc)
	}
	return rows.Err()
}

// dataFolder returns the folder with the conversations of opencode or of Kilo.
func dataFolder(agent string) string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, agent)
	}
	home, _ := os.UserHomeDir() // without a home folder nothing is found
	return filepath.Join(home, ".local", "share", agent)
}

// databases returns the databases in the folder of opencode or of Kilo, one for each channel, and
// the one that a variable names.
func databases(root string) []string {
	agent := filepath.Base(root)
	paths, _ := filepath.Glob(filepath.Join(root, agent+"-*.db")) // the pattern is a valid one
	paths = append([]string{filepath.Join(root, agent+".db")}, paths...)
	if name := os.Getenv(strings.ToUpper(agent) + "_DB"); name != "" && name != ":memory:" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		if !slices.Contains(paths, filepath.Clean(name)) {
			paths = append(paths, filepath.Clean(name))
		}
	}
	return paths
}

// findOpencode returns the conversations in the databases, and those that are only in files. If a
// conversation is in several databases, the one that was changed last counts.
func findOpencode(folders []string, report func(error)) (logs []Log) {
	at := map[string]int{}
	add := func(id string, l Log) {
		i, known := at[id]
		switch {
		case !known:
			at[id] = len(logs)
			logs = append(logs, l)
		case l.changed.After(logs[i].changed):
			logs[i] = l
		}
	}
	for _, path := range databases(folders[0]) {
		for _, l := range (opencodeDatabase{path}).find(report) {
			add(l.Files[0], l)
		}
	}
	for _, o := range opencodeStorages(folders[0]) {
		for _, l := range o.find(report) {
			add(strings.TrimSuffix(filepath.Base(l.Path), ".json"), l)
		}
	}
	return logs
}
