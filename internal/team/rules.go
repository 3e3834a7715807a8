package team

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Rules choose the sessions that are sent.
type Rules struct {
	Folders []string // absolute; nothing outside is ever sent
	All     bool     // everything is sent, whatever the folders are: for containers
	Agents  []string // only sessions with one of these; none: all
	Raw     bool     // the raw log, too
	Live    bool     // the conversation while the session runs, too
	Space   string   // empty: only you read them
	Spaces  []Folder // for some folders
}

// Folder is a folder whose sessions go into a space.
type Folder struct {
	Folder string `toml:"folder"`
	Space  string `toml:"space"`
}

// Sends reports whether a session may be sent, by what is known when it begins, and its agents.
func (r *Rules) Sends(info *store.Info) bool {
	if len(r.Agents) > 0 && !slices.ContainsFunc(info.Agents, func(a session.Agent) bool { return slices.Contains(r.Agents, a.Name) }) {
		return false
	}
	return r.holds(info.Cwd)
}

// holds reports whether what happens in a folder may be sent.
func (r *Rules) holds(path string) bool {
	return r.All || slices.ContainsFunc(r.Folders, func(folder string) bool { return within(path, folder) })
}

// stray returns the first folder that is outside of those that are sent; else "". home is what ~
// names. What an agent shows may be the end of a path only, or made up, so that must be there.
func (r *Rules) stray(visits []store.Visit, home string) string {
	for _, v := range visits {
		folder := v.Folder
		if rest, ok := strings.CutPrefix(folder, "~"); ok && v.Shown && (rest == "" || rest[0] == '/') {
			folder = home + rest
		}
		if !filepath.IsAbs(folder) || r.holds(folder) {
			continue
		}
		if _, err := os.Stat(folder); err == nil || !v.Shown {
			return folder
		}
	}
	return ""
}

// within reports whether a path is a folder or in it, with all symbolic links followed.
func within(path, folder string) bool {
	rel, err := filepath.Rel(followed(folder), followed(path))
	return err == nil && filepath.IsAbs(path) && rel != ".." && !strings.HasPrefix(rel, "../")
}

// followed returns a path without symbolic links, as far as it exists.
func followed(path string) string {
	path = filepath.Clean(path)
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, path[len(at):])
		}
		if at == filepath.Dir(at) {
			return path
		}
	}
}

// spaceOf returns the space of a session: that of the innermost folder.
func (r *Rules) spaceOf(info *store.Info) string {
	space, depth := r.Space, 0
	for _, f := range r.Spaces {
		if len(f.Folder) > depth && within(info.Cwd, f.Folder) {
			space, depth = f.Space, len(f.Folder)
		}
	}
	return space
}
