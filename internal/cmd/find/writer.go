package find

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/git"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/store"
)

// How sure it is that a session wrote a line, surest first.
const (
	byEdit   = "edit"   // the session has an edit that adds the line to the file
	byCommit = "commit" // the commit with the line was made while the session was live
	byTime   = "time"   // only the folder and the time match
)

// slack is the maximum difference between the clocks of a commit, a file and a session.
const slack = 2 * time.Second

// near is how long before a commit a session may have ended to be chosen by time.
const near = 24 * time.Hour

// writer is a session that may have written a line.
type writer struct {
	Info   *store.Info
	Seq    int    // of the entry with the edit; 0 if there is none
	Sure   string // byEdit, byCommit or byTime
	Commit string // commit with the line; empty if it is not committed
}

// fileLine is a line of a file.
type fileLine struct {
	File   string // absolute path without links
	Number int    // from 1
	Text   string
}

// writerOf returns the session that most probably wrote a line, or nil. If several have an edit
// that adds the line, it is the last one before the commit.
func writerOf(ctx context.Context, lib *library.Library, l fileLine) (*writer, error) {
	from, _ := git.BlameLine(ctx, l.File, l.Number) // without git, edits and times are used
	root := git.Root(ctx, filepath.Dir(l.File))
	written := writtenAt(l.File, from)
	infos, err := lib.Store.Sessions(ctx, store.Filter{Until: written.Add(slack)})
	if err != nil {
		return nil, err
	}
	var inTime, committed *writer
	for _, info := range infos { // newest first
		if !related(info.Cwd, root) {
			continue
		}
		seq, err := editOf(ctx, lib, info, l, written)
		if err != nil {
			return nil, err
		}
		if seq > 0 {
			return &writer{Info: info, Seq: seq, Sure: byEdit, Commit: from.Commit}, nil
		}
		made, during := madeBy(info, from.Commit, written)
		if committed == nil && made {
			committed = &writer{Info: info, Sure: byCommit, Commit: from.Commit}
		}
		if inTime == nil && during {
			inTime = &writer{Info: info, Sure: byTime, Commit: from.Commit}
		}
	}
	if committed != nil {
		return committed, nil
	}
	return inTime, nil
}

// madeBy reports whether a session may have written a line: made by its commits and the time,
// inTime by the time alone. commit is empty if the line is not committed.
func madeBy(info *store.Info, commit string, written time.Time) (made, inTime bool) {
	end := endOf(info)
	during := !written.After(end.Add(slack))
	if commit == "" {
		return false, during
	}
	made = during || info.Git != nil && slices.Contains(info.Git.Commits, commit)
	return made, during || written.Sub(end) < near
}

// writtenAt returns the time at which a line was written: that of its commit, or else the file's
// modification time.
func writtenAt(file string, from git.Line) time.Time {
	if from.Commit != "" {
		return from.At
	}
	if info, err := os.Stat(file); err == nil {
		return info.ModTime()
	}
	return time.Now()
}

// endOf returns the end of a session, or now if it has not ended.
func endOf(info *store.Info) time.Time {
	switch {
	case info.EndedAt != nil:
		return *info.EndedAt
	case info.Status != store.Live:
		return info.StartedAt.Add(info.Duration)
	}
	return time.Now()
}

// related reports whether a session's folder is inside a repository, or contains it.
func related(cwd, root string) bool {
	if cwd == "" {
		return false
	}
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = real
	}
	in := func(dir, of string) bool {
		return dir == of || strings.HasPrefix(dir, strings.TrimRight(of, "/")+"/")
	}
	return in(cwd, root) || in(root, cwd)
}

// editOf returns the number of the entry with the session's last edit before until that adds the
// line, or 0 if there is none.
func editOf(ctx context.Context, lib *library.Library, info *store.Info, l fileLine, until time.Time) (seq int,
	err error) {
	want := withoutBlanks(l.Text)
	if want == "" || len(info.Agents) == 0 {
		return 0, nil // every edit may contain an empty line
	}
	t, err := lib.Transcript(ctx, info)
	if err != nil {
		return 0, err
	}
	for _, e := range export.AllEdits(&t.Session, t.Entries) {
		if e.At.After(until.Add(slack)) || !sameFile(l.File, info.Cwd, e.Path) {
			continue
		}
		for _, h := range e.Hunks {
			for _, row := range h.Lines {
				if row[0] == '+' && withoutBlanks(row[1:]) == want {
					seq = e.Seq
				}
			}
		}
	}
	return seq, nil
}

// withoutBlanks returns a line without blanks, because agents show tabs as spaces.
func withoutBlanks(line string) string { return strings.Join(strings.Fields(line), " ") }

// sameFile reports whether an edit's path names a file: relative to the session's folder, or as the
// end of the file's path.
func sameFile(file, cwd, path string) bool {
	if file == filepath.Join(cwd, path) || file == "/"+path {
		return true
	}
	return strings.HasSuffix(file, "/"+path)
}
