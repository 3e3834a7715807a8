package session

import (
	"bytes"
	"encoding/json"
)

// Git is what git knew of the repository in a session's folder.
type Git struct {
	Start   *GitState `json:"start,omitempty"`
	End     *GitState `json:"end,omitempty"`     // nil while the session runs, or where it was cut off
	Commits []string  `json:"commits,omitempty"` // made while it ran, and there at its end; the newest first
}

// GitState is the state of a repository at a moment.
type GitState struct {
	Branch string `json:"branch,omitempty"` // empty: HEAD is detached
	Commit string `json:"commit,omitempty"` // id of HEAD's commit; empty: there is none yet
	Dirty  *bool  `json:"dirty,omitempty"`  // files differ from the commit, or are new; nil: not known
}

// gitMarkStart is how the label of a marker with the state of a repository begins.
const gitMarkStart = `{"ptyrec":"git:state"`

// GitMark returns the label of the marker that records what is known of a repository. Of several in
// a raw log the last one counts.
func GitMark(g Git) []byte {
	label, _ := json.Marshal(struct {
		Event string `json:"ptyrec"`
		Data  Git    `json:"data"`
	}{"git:state", g}) // its fields are strings and booleans
	return label
}

// ReadGitMark returns what a marker records of a repository. ok is false for other labels.
func ReadGitMark(label []byte) (g Git, ok bool) {
	if !bytes.HasPrefix(label, []byte(gitMarkStart)) {
		return Git{}, false
	}
	var mark struct {
		Data *Git `json:"data"`
	}
	if json.Unmarshal(label, &mark) != nil || mark.Data == nil {
		return Git{}, false
	}
	return *mark.Data, true
}
