package serve

import (
	"errors"
	"testing"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

func TestServeFlags(t *testing.T) {
	for _, c := range []struct {
		args     []string
		ok, team bool // for this machine's sessions, and for a team's
	}{
		{nil, true, true},
		{[]string{"--read-only"}, true, true},
		{[]string{"--allow-run", "--unsafe-no-token"}, true, false},
		{[]string{"--mcp"}, true, false},
		{[]string{"--open-reading"}, true, false},
		{[]string{"--token-file", "F"}, true, false},
		{[]string{"--read-only", "--allow-run"}, false, false},
		{[]string{"--unsafe-no-token"}, false, true},
		{[]string{"--max-commands", "0"}, false, true},
		{[]string{"--cert", "C"}, false, true},
	} {
		var f webFlags
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		f.Register(flags)
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		var usage *failure.Error
		if err := f.Check(); (err == nil) != c.ok || err != nil && (!errors.As(err, &usage) || !usage.Misuse) {
			t.Errorf("%q: %v", c.args, err)
		}
		if err := f.CheckTeam(); (err == nil) != c.team {
			t.Errorf("%q, for a team: %v", c.args, err)
		}
	}
}
