package team

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Rules select the sessions to send.
type Rules struct {
	Folders []string // absolute paths; nothing outside is ever sent
	All     bool     // send everything, whatever the folders are; for containers
	Agents  []string // only sessions with one of these; empty: any
	Raw     bool     // send the raw log, too
	Live    bool     // send the conversation of live sessions, too
	Space   string   // empty: only you can read the sessions
	Spaces  []Folder // spaces of particular folders
}

// Folder is a folder whose sessions are sent to a space.
type Folder struct {
	Folder string `toml:"folder"`
	Space  string `toml:"space"`
}

// Sends reports whether a session may be sent, judged by its description at the start and its
// agents.
func (r *Rules) Sends(info *store.Info) bool {
	if len(r.Agents) > 0 && !slices.ContainsFunc(info.Agents,
		func(a session.Agent) bool { return slices.Contains(r.Agents, a.Name) }) {
		return false
	}
	return r.holds(info.Cwd)
}

// holds reports whether sessions in a folder may be sent.
func (r *Rules) holds(path string) bool {
	return r.All || slices.ContainsFunc(r.Folders, func(folder string) bool { return within(path, folder) })
}

// stray returns the first folder that is outside the folders to send, or "". home is the folder
// that ~ stands for. A folder that an agent shows must exist, because it may be abbreviated or
// invented.
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

// within reports whether a path is folder or inside it, with symbolic links resolved.
func within(path, folder string) bool {
	rel, err := filepath.Rel(followed(folder), followed(path))
	return err == nil && filepath.IsAbs(path) && rel != ".." && !strings.HasPrefix(rel, "../")
}

// followed returns a path with symbolic links resolved, as far as it exists.
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
