package archive

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
)

// Bound is the beginning or end of a part as a time: since the session's start, or of the day.
type Bound struct {
	Given bool
	After time.Duration // since the start, unless Clock is set
	Clock time.Time
}

// kinds are the names of the kinds of entries, with their roles.
var kinds = map[string]string{
	"prompts": session.RoleUser, "replies": session.RoleAssistant, "tools": session.RoleTool,
	"thinking": session.RoleThinking,
	"commands": session.RoleCommand, "shell": session.RoleShell, "system": session.RoleSystem,
}

// Kinds returns the kinds of entries that Part accepts.
func Kinds() []string {
	return []string{"prompts", "replies", "tools", "thinking", "commands", "shell", "system"}
}

const boundHint = "write the number of an entry (12), a time since the start (90s, 1:30) or a moment " +
	"(2026-11-20T14:05:00Z)"

// Part returns r limited to a part: from and to are numbers of entries or times, only is a list of
// Kinds, separated by commas. Empty strings set no limit. It returns an error if a string is
// invalid.
func (r Ref) Part(from, to, only string) (Ref, error) {
	if (from != "" || to != "") && r.First > 0 {
		return r, failure.Misuse("write S#4..S#12, or S with --from and --to", "%s#%d already selects entries",
			r.Session, r.First)
	}
	for _, b := range []struct {
		text  string
		entry *int
		bound *Bound
	}{{from, &r.First, &r.Since}, {to, &r.To, &r.Until}} {
		if b.text == "" {
			continue
		}
		n, ok := number(strings.TrimPrefix(b.text, "#"))
		if ok {
			*b.entry = n
			continue
		}
		var err error
		if *b.bound, err = parseBound(b.text); err != nil {
			return r, failure.Misuse(boundHint, "%q is neither an entry nor a time", b.text)
		}
	}
	if r.First > 0 && r.To > 0 && r.To < r.First {
		return r, failure.Misuse("write the smaller number first", "#%d comes after #%d", r.First, r.To)
	}
	var roles []string
	for _, kind := range strings.FieldsFunc(only, func(c rune) bool { return c == ',' || c == ' ' }) {
		role, ok := kinds[kind]
		if !ok {
			role, ok = kinds[kind+"s"] // the singular, as in prompt or tool
		}
		if !ok && kind == "reply" {
			role, ok = session.RoleAssistant, true
		}
		if !ok {
			return r, failure.Misuse("use a list of "+strings.Join(Kinds(), ", "), "unknown kind of entry %q", kind)
		}
		roles = append(roles, role)
	}
	slices.Sort(roles)
	r.Only = strings.Join(slices.Compact(roles), ",")
	if only != "" && r.Only == "" {
		return r, failure.Misuse("use a list of "+strings.Join(Kinds(), ", "), "no kind of entry is given")
	}
	return r, nil
}

var errBound = errors.New("no time")

func parseBound(text string) (Bound, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return Bound{Given: true, Clock: t}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return Bound{Given: true, After: d}, nil
	}
	fields := strings.Split(text, ":")
	if len(fields) > 3 {
		return Bound{}, errBound
	}
	var seconds float64
	for i, f := range fields {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil || !(n >= 0 && n < 1e6) || i > 0 && n >= 60 {
			return Bound{}, errBound
		}
		seconds = seconds*60 + n
	}
	return Bound{Given: true, After: time.Duration(seconds * float64(time.Second))}, nil
}

// Resolve replaces the times of r by the numbers of t's entries. It returns an error if there is no
// entry between them.
func (r Ref) Resolve(t *session.Transcript) (Ref, error) {
	if !r.Since.Given && !r.Until.Given {
		if r.To > 0 && r.First == 0 {
			r.First = 1
		}
		return r, nil
	}
	at := func(b Bound) time.Time {
		if b.Clock.IsZero() {
			return t.Session.StartedAt.Add(b.After)
		}
		return b.Clock
	}
	first, last := 0, 0
	for _, e := range t.Entries {
		if r.Since.Given && e.At.Before(at(r.Since)) || r.Until.Given && e.At.After(at(r.Until)) || e.Seq < r.First ||
			r.To > 0 && e.Seq > r.To {
			continue
		}
		if first == 0 {
			first = e.Seq
		}
		last = e.Seq
	}
	if first == 0 {
		return r, failure.Misuse("`ptyrec show` has the times of the entries", "no entries in this time range")
	}
	r.First = first
	if r.Until.Given {
		r.To = last
	}
	r.Since, r.Until = Bound{}, Bound{}
	return r, nil
}

// chooses reports whether r includes an entry.
func (r Ref) chooses(e *session.Entry) bool {
	return r.has(e.Seq) && (r.Only == "" || e.Type == session.TypeMessage &&
		slices.Contains(strings.Split(r.Only, ","), e.Role))
}

// String returns r in the form that ParseRef accepts.
func (r Ref) String() string {
	switch {
	case r.First == 0:
		return r.Session
	case r.To == 0:
		return fmt.Sprintf("%s#%d", r.Session, r.First)
	}
	return fmt.Sprintf("%s#%d..#%d", r.Session, r.First, r.To)
}
