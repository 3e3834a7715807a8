package listing

import (
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

// The maximum length of a commit's id and of a branch's name, in characters.
const (
	shownCommit = 8
	shownBranch = 60
	branchSize  = 24
)

// Git describes a session's repository on one line: its state at the start, its state at the end if
// that differs, and the number of commits. It is "" if nothing is known.
func Git(g *session.Git) string {
	if g == nil {
		return ""
	}
	start, end := gitState(g.Start), gitState(g.End)
	text := start
	switch {
	case start == "":
		text = end
	case end != "" && end != start:
		text = start + " → " + end
	}
	if len(g.Commits) > 0 {
		text += " (" + printable.Plural(len(g.Commits), "commit") + ")"
	}
	return text
}

func gitState(s *session.GitState) string {
	if s == nil {
		return ""
	}
	words := []string{printable.Clip(s.Branch, shownBranch),
		printable.Clip(s.Commit[:min(len(s.Commit), shownCommit)], shownCommit)}
	if s.Branch == "" {
		words[0] = "detached"
	}
	if s.Commit == "" {
		words[1] = "without commits"
	}
	if s.Dirty != nil && *s.Dirty {
		words = append(words, "dirty")
	}
	return strings.Join(words, " ")
}

// branchWord returns the branch of a session for a list: the one at its end, if that is known.
func branchWord(g *session.Git) string {
	if g == nil {
		return ""
	}
	s := g.End
	if s == nil {
		s = g.Start
	}
	switch {
	case s == nil:
		return ""
	case s.Branch == "":
		return printable.Clip("("+s.Commit[:min(len(s.Commit), shownCommit)]+")", branchSize)
	}
	return printable.Clip(s.Branch, branchSize)
}
