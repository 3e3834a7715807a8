package cli_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// program is a small command tree.
func program() *cobra.Command {
	nothing := func(*cobra.Command, []string) error { return nil }
	root := &cobra.Command{Use: "ptyrec", Short: "Short of root", Args: cli.Subcommand, RunE: nothing,
		SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(cli.FlagError)
	show := &cobra.Command{Use: "show S", Short: "Show it", SuggestFor: []string{"cat"}, Args: cli.Operands(1, 2),
		RunE: nothing}
	show.Flags().Int("port", 0, "listen on `PORT`")
	show.Flags().StringSlice("names", nil, "some `NAMES`")
	shell := &cobra.Command{Use: "init SHELL", Short: "Init it", Args: cli.OneOf("shell", "bash", "zsh"), RunE: nothing}
	root.AddCommand(show, shell)
	return root
}

// said runs a command line, and returns the two lines of its error.
func said(root *cobra.Command, args ...string) string {
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return ""
	}
	var f *failure.Error
	if !errors.As(err, &f) || !f.Misuse {
		return "not a usage error: " + err.Error()
	}
	return f.Err.Error() + "\n" + f.Hint
}

func TestUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"show":                "show: missing argument\nusage: ptyrec show S",
		"show a b c":          `show: unexpected argument "c"` + "\nusage: ptyrec show S",
		"show a b":            "",
		"init zhs":            `unknown shell "zhs"` + "\nuse one of bash, zsh",
		"init bashh":          `unknown shell "bashh"` + "\ndid you mean bash?",
		"showw":               `unknown command "showw"` + "\ndid you mean ptyrec show?",
		"cat":                 `unknown command "cat"` + "\ndid you mean ptyrec show?",
		"xyzzyplugh":          `unknown command "xyzzyplugh"` + "\n`ptyrec help all` lists the commands",
		"sh":                  `unknown command "sh"` + "\nto record sh: ptyrec run -- sh",
		"show a --ports 1":    "unknown flag --ports\ndid you mean --port?",
		"show a --something":  "unknown flag --something\nsee `ptyrec help show`",
		"show a -q":           "unknown flag -q\nsee `ptyrec help show`",
		"show a --port":       "--port requires a value\n--port PORT: listen on PORT",
		"show a --port seven": `--port: "seven" is not a whole number` + "\n--port PORT: listen on PORT",
	} {
		if diff := cmp.Diff(want, said(program(), strings.Fields(line)...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// The command line comes before the environment, and lists are separated by blanks there.
func TestFlagsFromEnvironment(t *testing.T) {
	t.Setenv("TEST_PORT", "7")
	t.Setenv("TEST_NAMES", "a  b")
	for _, c := range []struct {
		args []string
		want int
	}{{nil, 7}, {[]string{"--port", "8"}, 8}} {
		show, _, _ := program().Find([]string{"show"})
		if err := show.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		err := cli.FlagsFromEnvironment(show.Flags(), "TEST_")
		port, _ := show.Flags().GetInt("port")
		names, _ := show.Flags().GetStringSlice("names")
		if err != nil || port != c.want || !cmp.Equal(names, []string{"a", "b"}) {
			t.Errorf("%v: port %d, want %d; names %q, %v", c.args, port, c.want, names, err)
		}
	}
	t.Setenv("TEST_PORT", "seven")
	show, _, _ := program().Find([]string{"show"})
	var f *failure.Error
	if err := cli.FlagsFromEnvironment(show.Flags(), "TEST_"); !errors.As(err, &f) || !f.Misuse ||
		!strings.HasPrefix(err.Error(), "$TEST_PORT: ") {
		t.Errorf("a bad value: %v", err)
	}
}

func TestManual(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	m := cli.Manual{Source: "ptyrec 1.2.3", Date: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	if err := m.WriteAll(new(cli.Temporaries), dir, program()); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if diff := cmp.Diff([]string{"ptyrec-init.1", "ptyrec-show.1", "ptyrec.1"}, names); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	page, err := os.ReadFile(filepath.Join(dir, "ptyrec.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`.TH "PTYREC" "1" "Jan 2026" "ptyrec 1.2.3" "ptyrec"`, "Exit statuses:", "S#4..S#12"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in the page of the program:\n%.300s", want, page)
		}
	}
	if err := m.Write(io.Discard, program()); err != nil {
		t.Error(err)
	}
}
