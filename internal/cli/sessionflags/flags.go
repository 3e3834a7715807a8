// Package sessionflags has the flags by which commands choose sessions.
package sessionflags

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
	"github.com/ptyrec/ptyrec/internal/git"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/timespan"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/store"
)

// Flags are the values of the flags.
type Flags struct {
	Agent, Since, Until, On, Cwd, Command, Tag, Sandbox string
	Branch, Commit                                      string
	Live                                                bool
	Team                                                bool   // of the sessions on the server of the user's team
	Owner, Space                                        string // only with Team

	Folded bool // no flag: leave out the commands of sandboxes

	understood string
}

// Register adds the flags to a command.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Agent, "agent", "", "only sessions with this agent: "+strings.Join(extractor.Agents(), ", "))
	flags.StringVar(&f.Since, "since", "", "only those started at this `TIME` or later: 2026-11-20, tuesday, 3d, …")
	flags.StringVar(&f.Until, "until", "", "only those started at this `TIME` or before; a day is meant to its end")
	flags.StringVar(&f.On, "on", "", "only those started on this `DAY`")
	flags.StringVar(&f.Cwd, "cwd", "", "only those started in this `FOLDER` or below")
	flags.StringVar(&f.Command, "command", "", "only those whose command line holds this `TEXT`")
	flags.StringVar(&f.Tag, "tag", "", "only those with this tag")
	flags.StringVar(&f.Branch, "branch", "", "only those started or ended on this git `BRANCH`")
	flags.StringVar(&f.Commit, "commit", "", "only those started or ended at this git commit, or that made it: a `REV` of the repository here, or the start of an id")
	flags.StringVar(&f.Sandbox, "sandbox", "", "only commands that programs ran in the sandbox of this `NAME`")
	flags.BoolVar(&f.Live, "live", false, "only those being recorded")
}

// TeamUsage is the usage of the flag --team, for commands that take it without the other flags.
const TeamUsage = "on the server of your team, as far as you may read there (docs/team.md)"

// RegisterTeam adds the flags that choose among the sessions of a team.
func (f *Flags) RegisterTeam(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Team, "team", false, TeamUsage)
	flags.StringVar(&f.Owner, "owner", "", "with --team: only sessions of this `USER`")
	flags.StringVar(&f.Space, "space", "", "with --team: only those in this `SPACE`")
}

// Any reports whether one of the flags is given.
func (f Flags) Any() bool {
	f.Folded, f.understood = false, "" // by default
	return f != Flags{}
}

// Understood says which day a weekday was taken for, once Filter has returned; "" where no flag
// names one.
func (f *Flags) Understood() string { return f.understood }

// Filter returns what the flags choose. now is the time by which words such as yesterday are read.
// An error is a *failure.Error if a flag cannot be understood.
func (f *Flags) Filter(now time.Time) (store.Filter, error) {
	f.understood = ""
	if !f.Team && (f.Owner != "" || f.Space != "") {
		return store.Filter{}, &failure.Error{Err: errors.New("--owner and --space go with --team"), Misuse: true}
	}
	out := store.Filter{Owner: f.Owner, Space: f.Space, Agent: f.Agent, Command: f.Command, Tag: f.Tag, Branch: f.Branch, Live: f.Live, Sandbox: f.Sandbox, Outside: f.Folded && !f.Team}
	if f.On != "" && (f.Since != "" || f.Until != "") {
		return out, &failure.Error{Err: errors.New("--on cannot be combined with --since or --until"), Misuse: true}
	}
	for _, t := range []struct {
		flag, text   string
		since, until bool
	}{{"since", f.Since, true, false}, {"until", f.Until, false, true}, {"on", f.On, true, true}} {
		if t.text == "" {
			continue
		}
		s, err := timespan.Parse(t.text, now)
		if err != nil {
			return out, &failure.Error{Err: err, Hint: timespan.Help, Misuse: true}
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
				out.Until = s.End.Add(time.Nanosecond) // the moment itself belongs to it
			}
		}
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

// gitWait is how long git may take to find a commit.
const gitWait = 5 * time.Second

// digits matches what can be the start of a commit's id.
var digits = lazy.Regexp(`^[0-9a-fA-F]{4,64}$`)

// commit returns the id of the commit that rev names in the repository of the current folder, or
// the start of an id, which may be that of another repository.
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
	return "", &failure.Error{Err: fmt.Errorf("--commit %s: no such commit here: %w", rev, err), Hint: "run this in the repository, or write at least 4 digits of the commit's id", Misuse: true}
}

// absolute returns a folder's path as sessions have it. A ~ that no shell expanded is the home
// folder.
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
