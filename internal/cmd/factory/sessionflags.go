package factory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/git"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/store"
)

// SessionFlags are the values of the flags.
type SessionFlags struct {
	filterFields     // as given: Cwd and Commit may be relative to this machine
	since, until, on string
	Team             bool // select among the sessions on the team's server

	Folded bool // not a flag: leave out the commands of sandboxes

	understood string
}

// filterFields are the fields of a filter that have a flag of the same kind.
type filterFields = store.Filter

// Register adds the flags to a command.
func (f *SessionFlags) Register(flags *pflag.FlagSet) {
	f.register(flags, false)
	flags.StringVar(&f.on, "on", "", "select sessions started on `DAY`")
	cli.GroupFlags(flags, groupTitle, "on")
}

// groupTitle is the title of the flags on help pages.
const groupTitle = "Select sessions"

func (f *SessionFlags) register(flags *pflag.FlagSet, team bool) {
	times := map[string]*string{"since": &f.since, "until": &f.until}
	for _, field := range store.Fields() {
		usage := field.Usage
		if usage == "" || field.Team != team {
			continue
		}
		if field.Name == "agent" {
			usage += ": " + strings.Join(extractor.Agents(), ", ")
		}
		switch v := field.In(&f.filterFields).(type) {
		case *string:
			flags.StringVar(v, field.Name, "", usage)
		case *bool:
			flags.BoolVar(v, field.Name, false, usage)
		case *time.Time:
			flags.StringVar(times[field.Name], field.Name, "", usage)
		}
		cli.GroupFlags(flags, groupTitle, field.Name)
	}
}

// TeamUsage is the usage of the flag --team for commands that have it without the other flags.
const TeamUsage = "use the sessions on your team's server"

// RegisterTeam adds the flags that select among the sessions of a team.
func (f *SessionFlags) RegisterTeam(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Team, "team", false, TeamUsage)
	cli.GroupFlags(flags, groupTitle, "team")
	f.register(flags, true)
}

// Any reports whether one of the flags is set.
func (f SessionFlags) Any() bool {
	f.Folded, f.understood = false, "" // not set by the user
	return f != SessionFlags{}
}

// Understood returns the date for which a weekday was taken, or "" if no flag contains one. Filter
// must have been called.
func (f *SessionFlags) Understood() string { return f.understood }

// Filter returns the filter for the flags. Words such as yesterday are relative to now. The error
// is a *failure.Error if a flag is invalid.
func (f *SessionFlags) Filter(now time.Time) (store.Filter, error) {
	f.understood = ""
	if !f.Team && (f.Owner != "" || f.Space != "") {
		return store.Filter{}, &failure.Error{Err: errors.New("--owner and --space require --team"), Misuse: true}
	}
	out := f.filterFields
	out.Outside, out.Cwd, out.Commit = f.Folded && !f.Team, "", ""
	if f.on != "" && (f.since != "" || f.until != "") {
		return out, &failure.Error{Err: errors.New("--on cannot be combined with --since or --until"), Misuse: true}
	}
	if err := f.dates(&out, now); err != nil {
		return out, err
	}
	if f.Cwd != "" {
		dir, err := absolute(f.Cwd)
		if err != nil {
			return out, err
		}
		out.Cwd = dir
	}
	if f.Commit != "" {
		id, err := commit(f.Commit)
		if err != nil {
			return out, err
		}
		out.Commit = id
	}
	return out, nil
}

// dates sets the dates of a filter.
func (f *SessionFlags) dates(out *store.Filter, now time.Time) error {
	for _, t := range []struct {
		flag, text   string
		since, until bool
	}{{"since", f.since, true, false}, {"until", f.until, false, true}, {"on", f.on, true, true}} {
		if t.text == "" {
			continue
		}
		s, err := human.ParseSpan(t.text, now)
		if err != nil {
			return &failure.Error{Err: err, Hint: human.TimeHelp, Misuse: true}
		}
		if s.Weekday {
			if f.understood != "" {
				f.understood += ", "
			}
			f.understood += fmt.Sprintf("--%s %s is %s", t.flag, t.text, s.Start.Format("Mon 2006-01-02"))
		}
		if t.since {
			out.Since = s.Start
		}
		if t.until {
			out.Until = s.End
			if s.End.Equal(s.Start) {
				out.Until = s.End.Add(time.Nanosecond) // the end is inclusive
			}
		}
	}
	return nil
}

// gitWait is how long to wait for git to find a commit.
const gitWait = 5 * time.Second

// digits matches the possible beginning of a commit's id.
var digits = lazy.Regexp(`^[0-9a-fA-F]{4,64}$`)

// commit returns the id of the commit that rev names in the repository of the current folder, or
// rev itself if it may be the beginning of an id in another repository.
func commit(rev string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitWait)
	defer cancel()
	here, err := os.Getwd()
	if err == nil {
		var id string
		if id, err = git.Resolve(ctx, here, rev); err == nil {
			return id, nil
		}
	}
	if digits().MatchString(rev) {
		return strings.ToLower(rev), nil
	}
	return "", &failure.Error{Err: fmt.Errorf("--commit %s: no such commit here: %w", rev, err),
		Hint: "run this in the repository, or write at least 4 digits of the commit's id", Misuse: true}
}

// absolute returns a folder's absolute path. A ~ that no shell has expanded is the home folder.
func absolute(dir string) (string, error) {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = home + rest
	}
	return filepath.Abs(dir)
}
