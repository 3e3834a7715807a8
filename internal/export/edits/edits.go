// Package edits reads the changes to files that agents have shown out of a transcript.
//
// Agents show a change as lines with numbers, the sign of what was added or removed, and a few
// lines around it; or a file that they have written with the number of each line. What is shown is
// all there is: an edit that was cut, folded or wrapped is known in part only, and says so.
package edits

import (
	"path"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Edit is one change to one file, as it was shown.
type Edit struct {
	Seq     int       `json:"seq"` // of the entry
	Agent   string    `json:"agent,omitempty"`
	Tool    string    `json:"tool"`
	Path    string    `json:"path"` // below the agent's folder if it is there
	At      time.Time `json:"at"`
	Created bool      `json:"created,omitempty"` // the file was written as a whole
	Deleted bool      `json:"deleted,omitempty"`
	Partial string    `json:"partial,omitempty"` // why it is known in part only; empty: all of it was shown
	Added   int       `json:"added"`             // lines
	Removed int       `json:"removed"`
	Hunks   []Hunk    `json:"hunks"`
}

// Hunk is a run of lines of an Edit, each with its sign: "+", "-" or " ". Lines are counted from 1.
type Hunk struct {
	OldStart int      `json:"old_start"`
	OldLines int      `json:"old_lines"`
	NewStart int      `json:"new_start"`
	NewLines int      `json:"new_lines"`
	Lines    []string `json:"lines"`
}

// tools are the names of the tools that change files, in lower case.
var tools = map[string]bool{
	"update": true, "edit": true, "edited": true, "multiedit": true, "patch": true, "applypatch": true, "replace": true, "deleted": true,
	"write": true, "writefile": true, "wrote": true, "create": true, "created": true, "added": true,
}

// writers are those that write a whole file.
var writers = map[string]bool{"write": true, "writefile": true, "wrote": true, "create": true, "created": true, "added": true}

// Of returns the edits of a transcript, in order. Those that failed or were rejected are left out.
func Of(s *session.Session, entries []*session.Entry) []Edit {
	out := []Edit{}
	folder := s.Cwd
	seen := map[string]bool{}
	for _, e := range entries {
		if e.Event == session.EventNewSession {
			if cwd, _ := e.Data["cwd"].(string); cwd != "" {
				folder = cwd
			}
		}
		if e.Tool == nil || !tools[strings.ToLower(e.Tool.Name)] || e.Tool.Status == session.ToolError || e.Tool.Status == session.ToolRejected {
			continue
		}
		x := read(e)
		x.Path = below(target(e.Tool.Input), folder, s.Cwd)
		if x.Created && seen[x.Path] && x.Partial == "" {
			x.Partial = "it replaces a file that was changed before"
		}
		seen[x.Path] = true
		out = append(out, x)
	}
	return out
}

// target returns the path in a tool's input.
func target(input string) string {
	input, _, _ = strings.Cut(input, "\n")
	input = strings.TrimPrefix(input, "Writing to ")
	if before, _, ok := strings.Cut(input, " => "); ok { // Gemini: "main.go: old text... => new text..."
		if name, _, ok := strings.Cut(before, ": "); ok {
			input = name
		}
	}
	return strings.TrimSpace(input)
}

// below returns a path relative to the first of the folders that it is in. Any other path is
// returned without the root: a patch may not have it.
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

// read reads what an entry shows of its edit.
func read(e *session.Entry) Edit {
	x := Edit{Seq: e.Seq, Agent: e.Agent, Tool: e.Tool.Name, At: e.At, Hunks: []Hunk{}}
	r := reader{edit: &x, agent: e.Agent, writes: writers[strings.ToLower(e.Tool.Name)]}
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
