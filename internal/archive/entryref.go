package archive

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Last is the reference to the newest session.
const Last = "last"

// ErrRef reports a text that is not of the form S#N or S#N..S#M.
var ErrRef = errors.New("is not a reference to entries")

// Ref refers to a session and, unless First is 0, to its entries with a Seq from First to To. If To
// is 0, it means the last entry.
type Ref struct {
	Session      string
	First, To    int
	Since, Until Bound  // the first and last entry by time; replaced by Resolve
	Only         string // roles of messages, separated by commas; empty: all entries
}

// ParseRef parses S, S#N or S#N..S#M. S is an id, its beginning or end, or "last", which is the
// default; the second S is optional. ParseRef does not check that the session exists. The error
// wraps ErrRef.
func ParseRef(text string) (Ref, error) {
	name, rest, ranged := strings.Cut(text, "#")
	r := Ref{Session: name}
	if !ranged {
		return r, nil
	}
	if name == "" {
		r.Session = Last
	}
	first, last, open := strings.Cut(rest, "..")
	var ok bool
	if r.First, ok = number(first); !ok {
		return Ref{}, fmt.Errorf("%q %w", text, ErrRef)
	}
	if !open {
		return r, nil
	}
	other, last, both := strings.Cut(last, "#")
	if !both {
		other, last = "", other
	}
	if r.To, ok = number(last); !ok || other != "" && other != name {
		return Ref{}, fmt.Errorf("%q %w", text, ErrRef)
	}
	if r.To < r.First {
		return Ref{}, fmt.Errorf("%q %w: #%d comes after #%d", text, ErrRef, r.First, r.To)
	}
	return r, nil
}

func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0 && text[0] != '+'
}

// Whole reports whether r refers to a whole session.
func (r Ref) Whole() bool {
	return r.First == 0 && r.To == 0 && r.Only == "" && !r.Since.Given && !r.Until.Given
}

// has reports whether r includes the entry seq.
func (r Ref) has(seq int) bool { return seq >= r.First && (r.To == 0 || seq <= r.To) }

// MissingError reports that a session has no entry with this number.
type MissingError struct {
	Session string
	Seq     int
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("session %s has no entry #%d", e.Session, e.Seq)
}

// check returns a *MissingError if the first or the last entry of r does not exist.
func (r Ref) check(t *session.Transcript) error {
	for _, seq := range []int{r.First, r.To} {
		if seq > 0 && Entry(t.Entries, seq) == nil {
			return &MissingError{t.Session.ID, seq}
		}
	}
	return nil
}

// Entry returns the entry with this number, or nil.
func Entry(entries []*session.Entry, seq int) *session.Entry {
	for _, e := range entries {
		if e.Seq == seq {
			return e
		}
	}
	return nil
}

// Cut returns the transcript with only the entries of r. The session keeps its title only if the
// user set it (named); otherwise its title is the first remaining prompt. Its command is cut to the
// program, because the arguments may contain a prompt, and the state of the repository is omitted.
// If r is a whole session, Cut returns t itself. The error is a *MissingError.
func (r Ref) Cut(t *session.Transcript, named bool) (*session.Transcript, error) {
	if r.Whole() {
		return t, nil
	}
	if err := r.check(t); err != nil {
		return nil, err
	}
	cut := *t
	cut.Entries = []*session.Entry{}
	for _, e := range t.Entries {
		if r.chooses(e) {
			cut.Entries = append(cut.Entries, e)
		}
	}
	cut.Session.Command = t.Session.Command[:min(1, len(t.Session.Command))]
	cut.Session.Git = nil // describes the whole session
	if !named {
		cut.Session.Title = promptOf(cut.Entries)
	}
	return &cut, nil
}

// promptOf returns the first line of the first prompt, else of the first shell command.
func promptOf(entries []*session.Entry) string {
	for _, role := range []string{session.RoleUser, session.RoleShell} {
		for _, e := range entries {
			if e.Role == role {
				line, _, _ := strings.Cut(e.Text, "\n")
				return line
			}
		}
	}
	return ""
}
