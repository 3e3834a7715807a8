package find

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/export/edits"
	"github.com/ptyrec/ptyrec/internal/git"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/store"
)

// How sure it is that a session wrote a line, the surest first.
const (
	byEdit   = "edit"   // an edit that adds the line to the file was seen
	byCommit = "commit" // the commit that has the line was made while the session ran
	byTime   = "time"   // only the folder and the time agree
)

// slack is by how much the times of a commit, a file and a session may differ.
const slack = 2 * time.Second

// near is how long before a commit a session may have ended to be named for its time.
const near = 24 * time.Hour

// writer is a session that may have written a line.
type writer struct {
	Info   *store.Info
	Seq    int    // of the entry with the edit; 0: none was seen
	Sure   string // byEdit, byCommit or byTime
	Commit string // that has the line; empty: it is not committed
}

// fileLine is a line of a file.
type fileLine struct {
	File   string // absolute, without links
	Number int    // from 1
	Text   string
}

// writerOf returns the session that most probably wrote a line, or nil. Of those with an edit that
// adds the line it is the last before the commit.
func writerOf(ctx context.Context, lib *library.Library, l fileLine) (*writer, error) {
	from, _ := git.BlameLine(ctx, l.File, l.Number) // without git there are edits, and the time
	root := git.Root(ctx, filepath.Dir(l.File))
	written := writtenAt(l.File, from)
	infos, err := lib.Store.Sessions(ctx, store.Filter{Until: written.Add(slack)})
	if err != nil {
		return nil, err
	}
	var inTime, committed *writer
	for _, info := range infos { // the newest first
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
		end := endOf(info)
		during := !written.After(end.Add(slack))
		made := from.Commit != "" && info.Git != nil && slices.Contains(info.Git.Commits, from.Commit)
		if committed == nil && from.Commit != "" && (made || during) {
			committed = &writer{Info: info, Sure: byCommit, Commit: from.Commit}
		}
		if inTime == nil && (during || from.Commit != "" && written.Sub(end) < near) {
			inTime = &writer{Info: info, Sure: byTime, Commit: from.Commit}
		}
	}
	if committed != nil {
		return committed, nil
	}
	return inTime, nil
}

// writtenAt returns when a line of a file was written: with its commit, else with the file's last
// change.
func writtenAt(file string, from git.Line) time.Time {
	if from.Commit != "" {
		return from.At
	}
	if info, err := os.Stat(file); err == nil {
		return info.ModTime()
	}
	return time.Now()
}

// endOf returns when a session ended, or now.
func endOf(info *store.Info) time.Time {
	switch {
	case info.EndedAt != nil:
		return *info.EndedAt
	case info.Status != store.Live:
		return info.StartedAt.Add(info.Duration)
	}
	return time.Now()
}

// related reports whether a session's folder is in a repository, or around it.
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

// editOf returns the entry of the last edit of a session, until a moment, that adds the line; 0 if
// there is none.
func editOf(ctx context.Context, lib *library.Library, info *store.Info, l fileLine, until time.Time) (seq int,
	err error) {
	want := withoutBlanks(l.Text)
	if want == "" || len(info.Agents) == 0 {
		return 0, nil // an empty line is in any edit
	}
	t, err := lib.Transcript(ctx, info)
	if err != nil {
		return 0, err
	}
	for _, e := range edits.Of(&t.Session, t.Entries) {
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

// withoutBlanks returns a line without its blanks: agents show tabs as spaces.
func withoutBlanks(line string) string { return strings.Join(strings.Fields(line), " ") }

// sameFile reports whether an edit's path is a file: below the session's folder, or as the end of
// its path.
func sameFile(file, cwd, path string) bool {
	if file == filepath.Join(cwd, path) || file == "/"+path {
		return true
	}
	return strings.HasSuffix(file, "/"+path)
}
