package watch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
)

// waitFlags are the flags of `ptyrec wait`: the condition and the time limit.
type waitFlags struct {
	Idle    bool
	Text    string // regular expression for the screen
	Log     string // text to find in a line
	Pattern string // regular expression for a line
	Port    int
	Exit    bool
	Timeout time.Duration // 0: no limit
}

// Register defines the flags.
func (f *waitFlags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Idle, "idle", false, "wait until the agent is ready for a prompt")
	flags.StringVar(&f.Text, "text", "", "wait until the screen shows a match of `RE`")
	flags.StringVar(&f.Log, "log", "", "wait for a line that contains `TEXT`")
	flags.StringVar(&f.Pattern, "log-regexp", "", "wait for a line that matches `RE`")
	flags.IntVar(&f.Port, "port", 0, "wait until a program listens on `PORT`")
	flags.BoolVar(&f.Exit, "exit", false, "wait until the session ends")
	flags.DurationVar(&f.Timeout, "timeout", 0, "give up after `TIME`, such as 30s or 10m")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "for" { // former name of --timeout
			name = "timeout"
		}
		return pflag.NormalizedName(name)
	})
}

// Check returns a usage error unless there is exactly one condition. It returns the expression that
// the screen or a line must match.
func (f *waitFlags) Check() (re *regexp.Regexp, err error) {
	wanted := 0
	for _, given := range []bool{f.Idle, f.Text != "", f.Log != "", f.Pattern != "", f.Port != 0, f.Exit} {
		if given {
			wanted++
		}
	}
	if wanted != 1 {
		return nil, failure.Usage(errors.New("wait: pass one of --idle, --text, --log, --log-regexp, --port and --exit"))
	}
	if f.Port < 0 || f.Port > 65535 {
		return nil, failure.Usage(fmt.Errorf("--port must be 1 to 65535, not %d", f.Port))
	}
	if f.Log != "" {
		return regexp.MustCompile(regexp.QuoteMeta(f.Log)), nil
	}
	if re, err = regexp.Compile(f.Text + f.Pattern); err != nil {
		flag := "--text"
		if f.Pattern != "" {
			flag = "--log-regexp"
		}
		return nil, failure.Usage(fmt.Errorf("%s: %w", flag, err))
	}
	return re, nil
}

// Attach returns the options for attaching to a session to wait for the condition.
func (f *waitFlags) Attach() client.AttachOptions {
	o := client.AttachOptions{Name: "wait", Kind: protocol.Agent, Mode: protocol.ModeText}
	if f.Idle {
		o.Entries = new(int) // entries include what was typed
	} else if f.Text == "" {
		o.Mode = protocol.ModeBytes // from the beginning
	}
	return o
}

// For attaches to a session with join, and waits for the condition. It returns the line that --text
// or the log matched, if any.
func (f *waitFlags) For(ctx context.Context, join prompt.Join, re *regexp.Regexp) (found *string, err error) {
	var s *client.Stream
	var hello protocol.Hello
	var text *prompt.Text
	if f.Text != "" {
		s, hello, text, err = prompt.AttachText(ctx, f.Attach(), join)
	} else {
		s, hello, err = join(ctx, f.Attach())
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // never fails
	var line string
	switch {
	case f.Idle:
		return nil, waitIdle(ctx, s, hello)
	case f.Exit:
		return nil, waitExit(ctx, s)
	case f.Port != 0:
		return nil, waitPort(ctx, s, f.Port)
	case f.Text != "":
		line, err = waitText(ctx, s, re, text)
	default:
		line, err = waitLog(ctx, s, re)
	}
	return &line, err
}

// Failure returns err with the exit status and the hint of `ptyrec wait` for the session ref. ctx
// must be the one that was passed to For.
func (f *waitFlags) Failure(ctx context.Context, err error, ref string) error {
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &failure.Error{Err: fmt.Errorf("timed out after %v", f.Timeout),
			Hint: "`ptyrec screen " + ref + "` shows its screen", Status: cli.StatusTimeout}
	case errors.Is(err, errAsking):
		return &failure.Error{Err: err, Hint: "answer it, or type the key with `ptyrec send`", Status: cli.StatusAsking}
	}
	return err
}
