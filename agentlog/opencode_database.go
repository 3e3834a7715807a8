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
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // opencode's database
)

// opencodeDatabase is the storage of opencode since 1.2.
type opencodeDatabase struct {
	path string
}

// open opens the database for reading. Opencode may be using it.
func (o opencodeDatabase) open() (*sql.DB, error) {
	info, err := os.Lstat(o.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: o.path, Err: errNotRegular}
	}
	for _, more := range []string{"", "&immutable=1"} { // a folder that cannot be written has no room for its locks
		db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: o.path}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(5000)"+more)
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

// find returns the conversations. Those of subagents belong to that of their parent.
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
		(SELECT count(*) || '/' || coalesce(max(time_updated), 0) || '/' || coalesce(sum(length(data)), 0) FROM part WHERE session_id = s.id),
		(SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = s.id) FROM session AS s ORDER BY s.id`)
	if err != nil {
		report(fmt.Errorf("%s: %w", o.path, err))
		return nil
	}
	defer func() { _ = rows.Close() }()
	at := map[string]int{}
	var children []Log
	for rows.Next() {
		var id, parent, updated, parts string
		var size int64
		if err := rows.Scan(&id, &parent, &updated, &parts, &size); err != nil {
			report(fmt.Errorf("%s: %w", o.path, err))
			return logs
		}
		l := Log{Agent: "opencode", Path: o.path + "#" + id, Files: []string{id}, Size: size, State: updated + " " + parts, read: o.read}
		if ms, err := strconv.ParseInt(updated, 10, 64); err == nil {
			l.changed = time.UnixMilli(ms)
		}
		if parent != "" {
			l.Path = parent
			children = append(children, l)
			continue
		}
		at[id] = len(logs)
		logs = append(logs, l)
	}
	for _, c := range children {
		if i, ok := at[c.Path]; ok {
			logs[i].Files, logs[i].Size, logs[i].State = append(logs[i].Files, c.Files...), logs[i].Size+c.Size, logs[i].State+" "+c.State
		}
	}
	if err := rows.Err(); err != nil {
		report(fmt.Errorf("%s: %w", o.path, err))
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
		if err := db.QueryRow("SELECT title, directory, version FROM session WHERE id = ?", id).Scan(&s.Title, &s.Directory, &s.Version); err != nil {
			return err
		}
		r.session(s)
	}
	rows, err := db.QueryContext(context.Background(), "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", id)
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
		r.sink.Seen(len(doc))
		var partErr error
		r.message(message, doc, func(part func(string, []byte)) {
			partErr = o.parts(db, message, func(id string, doc []byte) {
				r.sink.Seen(len(doc))
				part(id, doc)
			})
		})
		if err := errors.Join(partErr, r.err); err != nil {
			return err
		}
	}
	return rows.Err()
}

// parts calls fn with the parts of a message. Those that are too long are left out.
func (o opencodeDatabase) parts(db *sql.DB, message string, fn func(id string, doc []byte)) error {
	rows, err := db.Query("SELECT id, data FROM part WHERE message_id = ? AND length(data) <= ? ORDER BY id", message, longest)
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

// opencodeFolder returns where opencode keeps its conversations.
func opencodeFolder() string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "opencode")
	}
	home, _ := os.UserHomeDir() // without one nothing is found
	return filepath.Join(home, ".local", "share", "opencode")
}

// findOpencode returns the conversations of the database and, of those that are not in it, of the
// files.
func findOpencode(folders []string, report func(error)) []Log {
	root := folders[0]
	logs := opencodeDatabase{filepath.Join(root, "opencode.db")}.find(report)
	known := map[string]bool{}
	for _, l := range logs {
		known[l.Files[0]] = true
	}
	for _, l := range (opencodeFiles{root}).find(report) {
		if !known[strings.TrimSuffix(filepath.Base(l.Path), ".json")] {
			logs = append(logs, l)
		}
	}
	return logs
}
