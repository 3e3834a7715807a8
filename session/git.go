package session

import (
	"bytes"
	"encoding/json"
)

// Git is the state of the git repository around a session's folder.
type Git struct {
	Start   *GitState `json:"start,omitempty"`
	End     *GitState `json:"end,omitempty"`     // nil while the session runs, or if it was cut off
	Commits []string  `json:"commits,omitempty"` // commits made during the session that existed at its end, newest first
}

// GitState is the state of a repository at one moment.
type GitState struct {
	Branch string `json:"branch,omitempty"` // empty if HEAD is detached
	Commit string `json:"commit,omitempty"` // id of HEAD's commit; empty if there is none yet
	Dirty  *bool  `json:"dirty,omitempty"`  // whether files differ from the commit or are new; nil if unknown
}

// gitMarkStart is the prefix of labels made by GitMark.
const gitMarkStart = `{"ptyrec":"git:state"`

// GitMark returns the marker label that records g. The last such marker in a raw log counts.
func GitMark(g Git) []byte {
	label, _ := json.Marshal(struct {
		Event string `json:"ptyrec"`
		Data  Git    `json:"data"`
	}{"git:state", g}) // cannot fail: strings and booleans
	return label
}

// ReadGitMark decodes a label made by GitMark. ok is false for other labels.
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
