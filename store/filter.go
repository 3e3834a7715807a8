package store

import (
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Filter selects sessions. Its zero value selects all.
type Filter struct {
	Agent     string    // name of an agent that took part
	Command   string    // part of the command line
	Cwd       string    // started in this folder or below it
	Tag       string    // a tag that the user has set
	Owner     string    // the owner's name, in a team's database; sessions elsewhere have none
	Space     string    // the space's name, in a team's database
	Branch    string    // started or ended on this branch
	Commit    string    // started or ended at this commit, or made it; the beginning of its id in lower case
	Sandbox   string    // only commands that programs started under this sandbox name
	Outside   bool      // only sessions that no program started
	Processes bool      // only commands that programs started
	Since     time.Time // started then or later
	Until     time.Time // started before
	Live      bool      // only those being recorded
	Unread    bool      // only those whose raw log is not extracted to its end
	ID        string    // only this session
	After     Position  // only sessions after it in the order of Sessions
	Limit     int       // 0: no limit
}

// A Field is a field of Filter. Each database has a condition for each field.
type Field struct {
	// Name is the name of the flag and of the parameter of the API.
	Name string
	// Usage is the help of the flag. Fields without one are neither flags nor parameters.
	Usage string
	// Team is set if only sessions of a team have the field.
	Team bool

	in      func(*Filter) any // returns a *string, *bool, *time.Time or *Position
	clean   func(string) string
	matches func(*Filter, *Info) bool
}

// fields are all fields of a Filter but Limit.
var fields = []Field{
	{
		Name: "agent", Usage: "select sessions with `AGENT`",
		in: func(f *Filter) any { return &f.Agent },
		matches: func(f *Filter, i *Info) bool {
			return slices.ContainsFunc(i.Agents, func(a session.Agent) bool { return a.Name == f.Agent })
		},
	},
	{
		Name: "command", Usage: "select sessions whose command line contains `TEXT`",
		in: func(f *Filter) any { return &f.Command },
		matches: func(f *Filter, i *Info) bool {
			return slices.ContainsFunc(i.Command, func(arg string) bool { return strings.Contains(arg, f.Command) })
		},
	},
	{
		Name: "cwd", Usage: "select sessions started in or below `FOLDER`",
		in:    func(f *Filter) any { return &f.Cwd },
		clean: func(dir string) string { return strings.TrimSuffix(dir, "/") },
		matches: func(f *Filter, i *Info) bool {
			return i.Cwd == f.Cwd || strings.HasPrefix(i.Cwd, strings.TrimRight(f.Cwd, "/")+"/")
		},
	},
	{
		Name: "tag", Usage: "select sessions with `TAG`",
		in:      func(f *Filter) any { return &f.Tag },
		matches: func(f *Filter, i *Info) bool { return slices.Contains(i.Tags, f.Tag) },
	},
	{
		Name: "owner", Usage: "with --team: select sessions of `USER`", Team: true,
		in:      func(f *Filter) any { return &f.Owner },
		matches: func(f *Filter, i *Info) bool { return i.Owner == f.Owner },
	},
	{
		Name: "space", Usage: "with --team: select sessions in `SPACE`", Team: true,
		in:      func(f *Filter) any { return &f.Space },
		matches: func(f *Filter, i *Info) bool { return i.Space == f.Space },
	},
	{
		Name: "branch", Usage: "select sessions on git `BRANCH`",
		in: func(f *Filter) any { return &f.Branch },
		matches: func(f *Filter, i *Info) bool {
			return slices.ContainsFunc(gitStates(i), func(s *session.GitState) bool { return s.Branch == f.Branch })
		},
	},
	{
		Name:  "commit",
		Usage: "select sessions at git commit `REV`, or that made it",
		in:    func(f *Filter) any { return &f.Commit },
		clean: strings.ToLower,
		matches: func(f *Filter, i *Info) bool {
			made := func(id string) bool { return strings.HasPrefix(id, f.Commit) }
			return slices.ContainsFunc(gitStates(i), func(s *session.GitState) bool { return made(s.Commit) }) ||
				i.Git != nil && slices.ContainsFunc(i.Git.Commits, made)
		},
	},
	{
		Name: "sandbox", Usage: "select commands of sandbox `NAME`",
		in:      func(f *Filter) any { return &f.Sandbox },
		matches: func(f *Filter, i *Info) bool { return i.Sandbox == f.Sandbox },
	},
	{
		Name:    "outside",
		in:      func(f *Filter) any { return &f.Outside },
		matches: func(_ *Filter, i *Info) bool { return i.Sandbox == "" },
	},
	{
		Name:    "processes",
		in:      func(f *Filter) any { return &f.Processes },
		matches: func(_ *Filter, i *Info) bool { return i.Sandbox != "" },
	},
	{
		Name: "since", Usage: "select sessions started since `TIME` (2026-11-20, tuesday, 3d)",
		in:      func(f *Filter) any { return &f.Since },
		matches: func(f *Filter, i *Info) bool { return !i.StartedAt.Before(f.Since) },
	},
	{
		Name: "until", Usage: "select sessions started until `TIME` (a day: to its end)",
		in:      func(f *Filter) any { return &f.Until },
		matches: func(f *Filter, i *Info) bool { return i.StartedAt.Before(f.Until) },
	},
	{
		Name: "live", Usage: "select live sessions",
		in:      func(f *Filter) any { return &f.Live },
		matches: func(_ *Filter, i *Info) bool { return i.Status == Live },
	},
	{
		Name:    "unread",
		in:      func(f *Filter) any { return &f.Unread },
		matches: func(_ *Filter, i *Info) bool { return i.Unread },
	},
	{
		Name:    "id",
		in:      func(f *Filter) any { return &f.ID },
		matches: func(f *Filter, i *Info) bool { return i.ID == f.ID },
	},
	{
		Name:    "after",
		in:      func(f *Filter) any { return &f.After },
		matches: func(f *Filter, i *Info) bool { return i.Position().compare(f.After) < 0 },
	},
}

// gitStates returns what is known of the repository at a session's start and end.
func gitStates(i *Info) (states []*session.GitState) {
	if i.Git == nil {
		return nil
	}
	for _, s := range []*session.GitState{i.Git.Start, i.Git.End} {
		if s != nil {
			states = append(states, s)
		}
	}
	return states
}

// Fields returns the fields of filters, except for Limit.
func Fields() []Field { return slices.Clone(fields) }

// In returns a pointer to the field in f: a *string, *bool, *time.Time or *Position.
func (d Field) In(f *Filter) any { return d.in(f) }

// Given returns the fields that are set in the filter, each with its value for a database: a
// string, true, a Position, or a time in nanoseconds since 1970.
func (f Filter) Given() iter.Seq2[Field, any] {
	return func(yield func(Field, any) bool) {
		for _, d := range fields {
			if value := d.value(&f); value != nil && !yield(d, value) {
				return
			}
		}
	}
}

// value returns the field's value for a database, or nil if the field is not set in f.
func (d Field) value(f *Filter) any {
	switch v := d.in(f).(type) {
	case *string:
		if *v != "" {
			return *v
		}
	case *bool:
		if *v {
			return true
		}
	case *time.Time:
		if !v.IsZero() {
			return Nanos(*v)
		}
	case *Position:
		if *v != (Position{}) {
			return *v
		}
	}
	return nil
}

// Matches reports whether the filter selects the session.
func (f Filter) Matches(i *Info) bool {
	for d := range f.Given() {
		if !d.matches(&f, i) {
			return false
		}
	}
	return true
}

// Values returns the filter as query parameters of the API. Fields that are not parameters are
// omitted.
func (f Filter) Values() url.Values {
	q := url.Values{}
	for d := range f.Given() {
		if d.Usage == "" {
			continue
		}
		switch v := d.in(&f).(type) {
		case *string:
			q.Set(d.Name, *v)
		case *bool:
			q.Set(d.Name, strconv.FormatBool(*v))
		case *time.Time:
			q.Set(d.Name, v.UTC().Format(time.RFC3339Nano))
		}
	}
	return q
}

// Parse sets the field in f from the value of a query parameter of the API.
func (d Field) Parse(f *Filter, text string) (err error) {
	if d.clean != nil {
		text = d.clean(text)
	}
	switch v := d.in(f).(type) {
	case *string:
		*v = text
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *time.Time:
		*v, err = time.Parse(time.RFC3339Nano, text)
	default:
		err = fmt.Errorf("%s is not a parameter", d.Name)
	}
	return err
}
