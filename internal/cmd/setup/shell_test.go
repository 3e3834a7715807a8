package setup

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// root is a program with a command to complete.
func root() *cobra.Command {
	cmd := &cobra.Command{Use: "ptyrec"}
	cmd.AddCommand(&cobra.Command{Use: "show", Run: func(*cobra.Command, []string) {}})
	return cmd
}

func TestCode(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		for _, whole := range []bool{false, true} {
			code, err := shellCode(root(), shell, shellOptions{Agents: []string{"claude", "my-agent.1"}, Shell: whole})
			if err != nil {
				t.Errorf("%s: %v", shell, err)
				continue
			}
			for _, want := range []string{"ptyrec run --anyway -- claude ", "ptyrec run --anyway -- my-agent.1 ", "133;A",
				"__complete"} {
				if !strings.Contains(code, want) {
					t.Errorf("%s: no %q in the code", shell, want)
				}
			}
			for _, mark := range []string{"AGENT", "#agent", "#record", "#end\n", "#completion\n"} {
				if strings.Contains(code, mark) {
					t.Errorf("%s: the mark %q is left in the code", shell, mark)
				}
			}
			if got := strings.Contains(code, "exec ptyrec run --anyway"); got != whole {
				t.Errorf("%s: it records the shell: %v, want %v", shell, got, whole)
			}
			check(t, shell, code)
		}
	}
}

// check has the shell itself parse its code, if it is installed.
func check(t *testing.T, shell, code string) {
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Logf("%s is not installed: its code is not parsed", shell)
		return
	}
	cmd := exec.Command(path, "-n")
	cmd.Stdin = strings.NewReader(code)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s -n: %v: %s", shell, err, out)
	}
}

func TestCodeRefusesNames(t *testing.T) {
	for _, name := range []string{"", "-x", "a b", "a;b", "$(x)", "a\nb", "../x"} {
		_, err := shellCode(root(), "bash", shellOptions{Agents: []string{name}})
		var refused *nameError
		if !errors.As(err, &refused) || refused.Name != name {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := shellCode(root(), "csh", shellOptions{}); err == nil {
		t.Error("an unknown shell has code")
	}
}
