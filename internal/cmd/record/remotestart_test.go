package record

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	wire "github.com/ptyrec/ptyrec/protocol/command"
)

func TestRequest(t *testing.T) {
	const never = wire.Never * time.Second
	for _, c := range []struct {
		order remoteOrder
		want  client.Exec
	}{
		{remoteOrder{Words: []string{"make 2>&1 | tail"}},
			client.Exec{Command: "make 2>&1 | tail", Timeout: never, IdleTimeout: away, TTL: away}},
		{remoteOrder{Words: []string{"echo", "a b", "$x"}},
			client.Exec{Command: `echo 'a b' \$x`, Timeout: never, IdleTimeout: away, TTL: away}},
		{
			remoteOrder{Words: []string{"env"}, Env: []string{"A=1", "B=2=3", "C="}, Cwd: "/src", Timeout: time.Minute,
				PTY: true, NoStdin: true},
			client.Exec{Command: "env", Env: map[string]string{"A": "1", "B": "2=3", "C": ""}, Cwd: "/src",
				Timeout: time.Minute, PTY: true, NoStdin: true, IdleTimeout: away, TTL: away},
		},
	} {
		got, err := c.order.request()
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.order.Words, diff)
		}
	}
	for _, bad := range []string{"A", "=1", ""} {
		var f *failure.Error
		if _, err := (remoteOrder{Words: []string{"x"}, Env: []string{bad}}).request(); !errors.As(err, &f) || !f.Misuse {
			t.Errorf("--env %q: %v", bad, err)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		hint   string
	}{
		{errLeft, 130, "if it is still running, continue it: ptyrec exec --resume id URL"},
		{client.ErrLost, statusUnknown, "if it is still running, continue it: ptyrec exec --resume id URL"},
		{client.ErrToken, statusUnknown, "pass the token that `ptyrec serve` printed, in $PTYREC_TOKEN or --token-file"},
		{&client.CommandError{Type: wire.CommandTimeout}, cli.StatusTimeout,
			"this error is from the server; see `ptyrec exec --help`"},
		{os.ErrClosed, statusUnknown,
			"check the URL: it must be that of `ptyrec sandbox`, or of a LangSmith dataplane"},
	} {
		var f *failure.Error
		if err := explainRemote(c.err, "id"); !errors.As(err, &f) || !errors.Is(err, c.err) || f.Status != c.status ||
			f.Hint != c.hint {
			t.Errorf("%v: %+v, want status %d and the hint %q", c.err, f, c.status, c.hint)
		}
	}
	if err := explainRemote(cli.ExitStatus(130), "id"); !errors.Is(err, cli.ExitStatus(130)) ||
		errors.As(err, new(*failure.Error)) {
		t.Errorf("an exit status became %v", err)
	}
}

// A signal is an interrupt.
func TestInterrupts(t *testing.T) {
	interrupts, stop := interruptSignals()
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	select {
	case <-interrupts:
	case <-time.After(time.Minute):
		t.Fatal("no interrupt came of a signal")
	}
}

func TestIsNull(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !isNull(null) || isNull(file) {
		t.Errorf("isNull: /dev/null %v, a file %v", isNull(null), isNull(file))
	}
}
