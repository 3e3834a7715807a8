// Package blame finds the session in which a line of a file was written.
package blame

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
	Edit   = "edit"   // an edit that adds the line to the file was seen
	Commit = "commit" // the commit that has the line was made while the session ran
	Time   = "time"   // only the folder and the time agree
)

// slack is by how much the times of a commit, a file and a session may differ.
const slack = 2 * time.Second

// near is how long before a commit a session may have ended to be named for its time.
const near = 24 * time.Hour

// Found is a session that may have written a line.
type Found struct {
	Info   *store.Info
	Seq    int    // of the entry with the edit; 0: none was seen
	Sure   string // Edit, Commit or Time
	Commit string // that has the line; empty: it is not committed
}

// Line is a line of a file.
type Line struct {
	File   string // absolute, without links
	Number int    // from 1
	Text   string
}

// Find returns the session that most probably wrote a line, or nil. Of those with an edit that adds
// the line it is the last before the commit.
func Find(ctx context.Context, lib *library.Library, l Line) (*Found, error) {
	from, _ := git.BlameLine(ctx, l.File, l.Number) // without git there are edits, and the time
	root := git.Root(ctx, filepath.Dir(l.File))
	written := from.At
	if from.Commit == "" {
		written = time.Now()
		if info, err := os.Stat(l.File); err == nil {
			written = info.ModTime()
		}
	}
	infos, err := lib.Store.Sessions(ctx, store.Filter{Until: written.Add(slack)})
	if err != nil {
		return nil, err
	}
	var byTime *Found
	var byCommit *Found
	for _, info := range infos { // the newest first
		if !related(info.Cwd, root) {
			continue
		}
		seq, err := edited(ctx, lib, info, l, written)
		if err != nil {
			return nil, err
		}
		if seq > 0 {
			return &Found{Info: info, Seq: seq, Sure: Edit, Commit: from.Commit}, nil
		}
		end := time.Now()
		if info.Status != store.Live {
			end = info.StartedAt.Add(info.Duration)
		}
		if info.EndedAt != nil {
			end = *info.EndedAt
		}
		during := !written.After(end.Add(slack))
		made := from.Commit != "" && info.Git != nil && slices.Contains(info.Git.Commits, from.Commit)
		if byCommit == nil && from.Commit != "" && (made || during) {
			byCommit = &Found{Info: info, Sure: Commit, Commit: from.Commit}
		}
		if byTime == nil && (during || from.Commit != "" && written.Sub(end) < near) {
			byTime = &Found{Info: info, Sure: Time, Commit: from.Commit}
		}
	}
	if byCommit != nil {
		return byCommit, nil
	}
	return byTime, nil
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

// edited returns the entry of the last edit of a session, until a moment, that adds the line; 0 if
// there is none.
func edited(ctx context.Context, lib *library.Library, info *store.Info, l Line, until time.Time) (seq int, err error) {
	want := words(l.Text)
	if want == "" || len(info.Agents) == 0 {
		return 0, nil // an empty line is in any edit
	}
	t, err := lib.Transcript(ctx, info)
	if err != nil {
		return 0, err
	}
	for _, e := range edits.Of(&t.Session, t.Entries) {
		if e.At.After(until.Add(slack)) || !same(l.File, info.Cwd, e.Path) {
			continue
		}
		for _, h := range e.Hunks {
			for _, row := range h.Lines {
				if row[0] == '+' && words(row[1:]) == want {
					seq = e.Seq
				}
			}
		}
	}
	return seq, nil
}

// words returns a line without its blanks: agents show tabs as spaces.
func words(line string) string { return strings.Join(strings.Fields(line), " ") }

// same reports whether an edit's path is a file: below the session's folder, or as the end of its
// path.
func same(file, cwd, path string) bool {
	if file == filepath.Join(cwd, path) || file == "/"+path {
		return true
	}
	return strings.HasSuffix(file, "/"+path)
}
