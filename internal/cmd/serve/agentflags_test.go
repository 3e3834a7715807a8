package serve

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
)

// parse reads a command line of these flags.
func parse(t *testing.T, args ...string) (agentServer, error) {
	t.Helper()
	var f agentFlags
	flags := pflag.NewFlagSet("server", pflag.ContinueOnError)
	f.Register(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(flags, []string{"/usr/bin/claude"}); err != nil {
		return agentServer{}, err
	}
	return f.Options()
}

func TestAgentapiFlags(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	own, err := loadToken("", false)
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := agentapi.CheckHosts(agentapi.DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	standard := agentServer{
		Agent: "claude", Cols: 80, Rows: 1000, ChatBase: "/chat", Address: "127.0.0.1:3284",
		Access: agentapi.Access{Hosts: hosts, Origins: agentapi.DefaultOrigins(), Token: own},
	}
	with := func(change func(*agentServer)) agentServer {
		o := standard
		change(&o)
		return o
	}
	for _, c := range []struct {
		args []string
		want agentServer
	}{
		{nil, standard},
		{[]string{"--type", "codex", "-p", "1234", "--listen", "::1"},
			with(func(o *agentServer) { o.Agent, o.Address = "codex", "[::1]:1234" })},
		{[]string{"--state-file", "s"},
			with(func(o *agentServer) { o.StateFile, o.LoadState, o.SaveState = "s", true, true })},
		{[]string{"--state-file", "s", "--load-state=false"},
			with(func(o *agentServer) { o.StateFile, o.SaveState = "s", true })},
		{[]string{"--content", "markdown", "--tools", "-W", "100", "-H", "40"},
			with(func(o *agentServer) { o.Markdown, o.Tools, o.Cols, o.Rows = true, true, 100, 40 })},
		{[]string{"--token-file", secret},
			with(func(o *agentServer) { o.Access.Token = "0123456789abcdef0123456789abcdef" })},
	} {
		got, err := parse(t, c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
		}
		if (got.Access.Own == nil) != (got.Access.Token != own) {
			t.Errorf("%q: who has the token %q is not known: %v", c.args, got.Access.Token, got.Access.Own == nil)
		}
		got.Access.Own = nil
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.args, diff)
		}
	}
}

func TestFlagsAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{"--type", "nobody"}, {"-W", "9"}, {"-H", "9"}, {"-p", "65536"}, {"--content", "html"}, {"--load-state"},
		{"--save-state"}, {"--experimental-acp"}, {"-a", "host:80"},
	} {
		_, err := parse(t, args...)
		var f *failure.Error
		if !errors.As(err, &f) || !f.Misuse {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := parse(t, "--token-file", "/proc/no/file"); err == nil {
		t.Error("a token's file was made in /proc")
	}
}
