package export

import (
	"path"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Agents show a change as lines with numbers, signs for added and removed lines, and some context;
// or they show a file that they have written with a number on each line. Only what was shown is
// known: an edit that was cut, folded or wrapped is partial, and marked as such.

// Edit is one change to one file, as it was shown.
type Edit struct {
	Seq     int       `json:"seq"` // number of the entry
	Agent   string    `json:"agent,omitempty"`
	Tool    string    `json:"tool"`
	Path    string    `json:"path"` // relative to the agent's folder if it is inside
	At      time.Time `json:"at"`
	Created bool      `json:"created,omitempty"` // whether the whole file was written
	Deleted bool      `json:"deleted,omitempty"`
	Partial string    `json:"partial,omitempty"` // why the edit is incomplete; empty if it is complete
	Added   int       `json:"added"`             // in lines
	Removed int       `json:"removed"`
	Hunks   []Hunk    `json:"hunks"`
}

// Hunk is a run of lines of an Edit, each with its sign: "+", "-" or " ". Line numbers start at 1.
type Hunk struct {
	OldStart int      `json:"old_start"`
	OldLines int      `json:"old_lines"`
	NewStart int      `json:"new_start"`
	NewLines int      `json:"new_lines"`
	Lines    []string `json:"lines"`
}

// editTools are the names of the tools that change files, in lower case.
var editTools = map[string]bool{
	"update": true, "edit": true, "edited": true, "multiedit": true, "patch": true, "applypatch": true, "replace": true,
	"deleted": true,
	"write":   true, "writefile": true, "wrote": true, "create": true, "created": true, "added": true,
}

// writingTools are the tools that write a whole file.
var writingTools = map[string]bool{"write": true, "writefile": true, "wrote": true, "create": true, "created": true,
	"added": true}

// AllEdits returns the edits in a transcript, in order, without those that failed or were rejected.
func AllEdits(s *session.Session, entries []*session.Entry) []Edit {
	out := []Edit{}
	folder := s.Cwd
	seen := map[string]bool{}
	for _, e := range entries {
		if e.Event == session.EventNewSession {
			if cwd, _ := e.Data["cwd"].(string); cwd != "" {
				folder = cwd
			}
		}
		if e.Tool == nil || !editTools[strings.ToLower(e.Tool.Name)] || e.Tool.Status == session.ToolError ||
			e.Tool.Status == session.ToolRejected {
			continue
		}
		x := readEdit(e)
		x.Path = below(editTarget(e.Tool.Input), folder, s.Cwd)
		if x.Created && seen[x.Path] && x.Partial == "" {
			x.Partial = "it replaces a file that was changed before"
		}
		seen[x.Path] = true
		out = append(out, x)
	}
	return out
}

// editTarget returns the path in a tool's input.
func editTarget(input string) string {
	input, _, _ = strings.Cut(input, "\n")
	input = strings.TrimPrefix(input, "Writing to ")
	if before, _, ok := strings.Cut(input, " => "); ok { // Gemini: "main.go: old text... => new text..."
		if name, _, ok := strings.Cut(before, ": "); ok {
			input = name
		}
	}
	return strings.TrimSpace(input)
}

// below returns a path relative to the first of the folders that contains it. Any other path is
// returned without a leading slash, which a patch may not have.
func below(name string, folders ...string) string {
	for _, folder := range folders {
		if rest, ok := strings.CutPrefix(name, strings.TrimRight(folder, "/")+"/"); ok && folder != "" && rest != "" {
			name = rest
			break
		}
	}
	if name == "" {
		return "unknown"
	}
	return strings.TrimLeft(path.Clean(name), "/")
}

// readEdit parses the edit that an entry shows.
func readEdit(e *session.Entry) Edit {
	x := Edit{Seq: e.Seq, Agent: e.Agent, Tool: e.Tool.Name, At: e.At, Hunks: []Hunk{}}
	r := editReader{edit: &x, agent: e.Agent, writes: writingTools[strings.ToLower(e.Tool.Name)]}
	r.lines(e.Tool.Output)
	r.finish()
	switch {
	case x.Partial != "":
	case e.Tool.Status == session.ToolRunning:
		x.Partial = "the recording ends in it"
	case (e.Tool.Truncated || e.Truncated || e.OmittedLines > 0) && !r.explained(e):
		x.Partial = "lines were not shown"
	case len(x.Hunks) == 0:
		x.Partial = "nothing of it was shown"
	}
	x.Deleted = strings.EqualFold(e.Tool.Name, "deleted") && x.Added == 0
	return x
}
