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
		hints    int  // at commands that replace a flag
	}{
		{nil, true, true, 0},
		{[]string{"--read-only"}, true, true, 0},
		{[]string{"--allow-run", "--unsafe-no-token"}, true, false, 1},
		{[]string{"--mcp"}, true, false, 0},
		{[]string{"--open-reading"}, true, false, 0},
		{[]string{"--token-file", "F"}, true, false, 0},
		{[]string{"--read-only", "--allow-run"}, false, false, 1},
		{[]string{"--unsafe-no-token"}, false, true, 1},
		{[]string{"--max-commands", "0"}, false, true, 1},
		{[]string{"--cert", "C"}, false, true, 0},
		{[]string{"--allow-run", "--public-links"}, true, false, 2},
	} {
		f := defaults()
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		f.registerAddress(flags)
		f.registerToken(flags)
		f.registerReadOnly(flags)
		f.registerPage(flags)
		moved := f.registerMoved(flags)
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		var usage *failure.Error
		if err := f.Check(); (err == nil) != c.ok || err != nil && (!errors.As(err, &usage) || !usage.Misuse) {
			t.Errorf("%q: %v", c.args, err)
		}
		if n := len(moved.Hints(flags)); n != c.hints {
			t.Errorf("%q: %d hints", c.args, n)
		}
		if err := f.CheckTeam(); (err == nil) != c.team {
			t.Errorf("%q, for a team: %v", c.args, err)
		}
	}
}
