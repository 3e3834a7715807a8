package factory_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/store"
)

// parse returns the flags of a command line.
func parse(t *testing.T, args ...string) *factory.SessionFlags {
	t.Helper()
	f := new(factory.SessionFlags)
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Register(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFilter(t *testing.T) {
	now := time.Date(2026, 11, 20, 15, 30, 0, 0, time.UTC)
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]store.Filter{
		"": {},
		"--agent claude --command make --tag red --sandbox box --live": {Agent: "claude", Command: "make", Tag: "red",
			Sandbox: "box", Live: true},
		"--since yesterday":     {Since: day(19)},
		"--until yesterday":     {Until: day(20)},
		"--on 2026-11-03":       {Since: day(3), Until: day(4)},
		"--on friday":           {Since: day(20), Until: day(21)},
		"--until 2h":            {Until: now.Add(-2*time.Hour + time.Nanosecond)},
		"--since 3d --until 1d": {Since: now.AddDate(0, 0, -3), Until: now.AddDate(0, 0, -1).Add(time.Nanosecond)},
		"--cwd ~/src":           {Cwd: filepath.Join(home, "src")},
		"--cwd .":               {Cwd: here},
	} {
		f := parse(t, strings.Fields(args)...)
		got, err := f.Filter(now)
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(store.Position{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", args, diff)
		}
		if f.Any() != (args != "") {
			t.Errorf("%q: Any() = %v", args, f.Any())
		}
	}
	for args, want := range map[string]string{
		"--on friday":              "--on friday is Fri 2026-11-20",
		"--since tue --until thu":  "--since tue is Tue 2026-11-17, --until thu is Thu 2026-11-19",
		"--since 3d --until today": "",
	} {
		f := parse(t, strings.Fields(args)...)
		if _, err := f.Filter(now); err != nil || f.Understood() != want {
			t.Errorf("%q is understood as %q, want %q; %v", args, f.Understood(), want, err)
		}
	}
	for _, args := range []string{"--since someday", "--on today --since 3d"} {
		_, err := parse(t, strings.Fields(args)...).Filter(now)
		if f := (*failure.Error)(nil); !errors.As(err, &f) || !f.Misuse {
			t.Errorf("%q: %v, want a usage error", args, err)
		}
	}
}

func TestFolded(t *testing.T) {
	f := &factory.SessionFlags{Folded: true}
	if got, err := f.Filter(time.Now()); err != nil || !got.Outside || f.Any() {
		t.Errorf("%+v, %v, any: %v", got, err, f.Any())
	}
}

// Each field that the API takes has a flag, and a value of the flag gets into the filter.
func TestEachFieldHasAFlag(t *testing.T) {
	for _, field := range store.Fields() {
		if field.Usage == "" {
			continue
		}
		f := new(factory.SessionFlags)
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.Register(set)
		f.RegisterTeam(set)
		f.Team = field.Team
		flag := set.Lookup(field.Name)
		if flag == nil {
			t.Errorf("--%s is missing", field.Name)
			continue
		}
		text := map[string]string{"bool": "true", "string": "c0ffee"}[flag.Value.Type()]
		if field.Name == "since" || field.Name == "until" {
			text = "2026-11-20"
		}
		if err := set.Set(field.Name, text); err != nil {
			t.Fatal(err)
		}
		got, err := f.Filter(time.Now())
		if given := len(got.Values()); err != nil || given != 1 || !f.Any() {
			t.Errorf("--%s %s: %+v, %v", field.Name, text, got, err)
		}
	}
}
