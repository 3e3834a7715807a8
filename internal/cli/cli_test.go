package cli_test

import (
	"slices"
	"testing"

	"github.com/ptyrec/ptyrec/internal/cli"
)

func lookup(environ map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		text, ok := environ[name]
		return text, ok
	}
}

// TestPagerOnBareTerminals: less ran with TERM=dumb, and in the C locale it showed … as
// <E2><80><A6>.
func TestPagerOnBareTerminals(t *testing.T) {
	for _, term := range []string{"", "dumb", "unknown"} {
		p := cli.PagerFrom(lookup(map[string]string{"TERM": term, "PAGER": "more"}))
		if p.Command != "" {
			t.Errorf("TERM=%q starts %q", term, p.Command)
		}
	}
	tests := []struct {
		environ map[string]string
		command string
		env     []string
	}{
		{map[string]string{"PAGER": "more"}, "more", []string{"LESS=FRX", "LESSCHARSET=utf-8", "LV=-c"}},
		{map[string]string{"PAGER": "more", "PTYREC_PAGER": " less -S ", "LESS": "R", "LESSCHARSET": "latin1", "LV": "-z"},
			"less -S", []string{}},
		{map[string]string{"PAGER": "less", "LESS": "FX", "LESSCHARSET": "utf-8", "LV": "-c"}, "less",
			[]string{"LESS=FX -R"}},
		{map[string]string{"PAGER": "more", "PTYREC_PAGER": ""}, "", nil},
		{map[string]string{"PAGER": "cat"}, "", nil},
	}
	for _, tt := range tests {
		tt.environ["TERM"] = "xterm"
		p := cli.PagerFrom(lookup(tt.environ))
		if p.Command != tt.command {
			t.Errorf("%v: command %q, want %q", tt.environ, p.Command, tt.command)
		}
		if tt.env != nil && !slices.Equal(p.Env, tt.env) {
			t.Errorf("%v: environment %q, want %q", tt.environ, p.Env, tt.env)
		}
	}
}

func TestEditsOnTerminal(t *testing.T) {
	for command, want := range map[string]bool{"vi": true, "/usr/bin/vim -u NONE": true, "code --wait": false,
		"sed -i s/a/b/": false, "": false} {
		if got := cli.EditsOnTerminal(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}
