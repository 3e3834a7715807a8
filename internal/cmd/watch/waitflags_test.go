package watch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/protocol"
)

func TestWaitFlags(t *testing.T) {
	for _, c := range []struct {
		args  []string
		mode  protocol.Mode
		match string // a line that what is waited for matches
		fails bool
	}{
		{args: []string{"--idle"}, mode: protocol.ModeText},
		{args: []string{"--text", "PASS|FAIL"}, mode: protocol.ModeText, match: "one FAIL"},
		{args: []string{"--log", "a.b"}, mode: protocol.ModeBytes, match: "xa.b"},
		{args: []string{"--log-regexp", "a.b"}, mode: protocol.ModeBytes, match: "axb"},
		{args: []string{"--port", "80", "--timeout", "3s"}, mode: protocol.ModeBytes},
		{args: []string{"--exit"}, mode: protocol.ModeBytes},
		{args: nil, fails: true},
		{args: []string{"--idle", "--exit"}, fails: true},
		{args: []string{"--port", "70000"}, fails: true},
		{args: []string{"--text", "("}, fails: true},
	} {
		var f waitFlags
		flags := pflag.NewFlagSet("wait", pflag.ContinueOnError)
		f.Register(flags)
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		re, err := f.Check()
		var usage *failure.Error
		if c.fails {
			if !errors.As(err, &usage) || !usage.Misuse {
				t.Errorf("%q: %v", c.args, err)
			}
			continue
		}
		if err != nil || c.match != "" && !re.MatchString(c.match) || f.Attach().Mode != c.mode {
			t.Errorf("%q: %v, %v, mode %v", c.args, re, err, f.Attach().Mode)
		}
		if (f.Attach().Entries != nil) != f.Idle {
			t.Errorf("%q: entries are wanted for --idle only", c.args)
		}
	}
}

func TestWaitFailure(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	f := waitFlags{Timeout: time.Second}
	var got *failure.Error
	if err := f.Failure(ctx, ctx.Err(), "S"); !errors.As(err, &got) || got.Status != cli.StatusTimeout {
		t.Errorf("the time is over: %v", err)
	}
	if err := f.Failure(context.Background(), errAsking, "S"); !errors.As(err, &got) || got.Status != cli.StatusAsking {
		t.Errorf("the agent asks: %v", err)
	}
	if err := f.Failure(ctx, nil, "S"); err != nil {
		t.Errorf("no error became %v", err)
	}
}
