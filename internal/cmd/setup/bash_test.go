//go:build linux

package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// startups are bash's startup files: INIT is what `ptyrec init bash` prints. Where a name begins
// with "lost:", there may be no marks.
var startups = map[string]string{
	"plain":                           "PS1='$ '\nINIT",
	"no PS1":                          "unset PS1\nINIT\nPS1='$ '",
	"PS1 behind it":                   "INIT\nPS1='> '",
	"PS1 with commands and status":    `PS1='$(false)[$?] $(echo "\w") \$ '` + "\nINIT",
	"PS1 in PROMPT_COMMAND":           "p() { PS1=\"[$?] \"; }\nPROMPT_COMMAND=p\nINIT",
	"PS1 in PROMPT_COMMAND, in front": "p() { PS1=\"[$?] \"; }\nINIT\nPROMPT_COMMAND=\"p; $PROMPT_COMMAND\"",
	"PS1 in PROMPT_COMMAND, behind":   "p() { PS1=\"[$?] \"; }\nINIT\nPROMPT_COMMAND=\"$PROMPT_COMMAND; p\"",
	"PS1 in PROMPT_COMMAND, appended": "p() { PS1=\"[$?] \"; }\nINIT\nPROMPT_COMMAND+=(p)",
	"history in front":                "PS1='$ '\nINIT\nPROMPT_COMMAND=\"history -a; $PROMPT_COMMAND\"",
	"history behind": "PS1='$ '\nINIT\nPROMPT_COMMAND=\"${PROMPT_COMMAND:+$PROMPT_COMMAND; " +
		"}history -a\"",
	"history before it, with a semicolon": "PS1='$ '\nPROMPT_COMMAND='history -a;'\nINIT",
	"history before it, with a comment":   "PS1='$ '\nPROMPT_COMMAND='history -a # all'\nINIT",
	"an array":                            "PS1='$ '\nPROMPT_COMMAND=('history -a' false)\nINIT",
	"an array, more in front": "PS1='$ '\nPROMPT_COMMAND=(true)\nINIT\n" +
		"PROMPT_COMMAND=('history -a' \"${PROMPT_COMMAND[@]}\")",
	"an array of what it made": "PS1='$ '\nINIT\nPROMPT_COMMAND=(false \"$PROMPT_COMMAND\" false)",
	"an exported array":        "PS1='$ '\ndeclare -ax PROMPT_COMMAND=(true)\nINIT",
	"an empty array":           "set -u; PS1='$ '\nPROMPT_COMMAND=()\nINIT",
	"emptied":                  "PS1='$ '\nINIT\nPROMPT_COMMAND=",
	"unset":                    "PS1='$ '\nINIT\nunset PROMPT_COMMAND",
	"replaced":                 "PS1='$ '\nINIT\nPROMPT_COMMAND='history -a'",
	"read-only":                "PS1='$ '\nreadonly PROMPT_COMMAND='history -a'\nINIT",
	"PS0 replaced":             "PS1='$ '\nINIT\nPS0='[run]'",
	"PS0 unset":                "PS1='$ '\nINIT\nunset PS0",
	"sourced twice":            "PS1='$ '\nINIT\nINIT",
	"sourced twice, all anew":  "PS1='$ '\nINIT\nPS1='% ' PS0= PROMPT_COMMAND=\nINIT",
	"sourced twice, in front":  "PS1='$ '\nINIT\nPROMPT_COMMAND=\"history -a; $PROMPT_COMMAND\"\nINIT",
	"set -u":                   "set -u\nPS1='$ '\nINIT",
	"a DEBUG trap":             "PS1='$ '\ntrap 'false; last=$BASH_COMMAND' DEBUG\nINIT",
	"another's marks": `PS1='\[\e]133;A\a\]$ \[\e]133;B\a\]'` +
		"\nPROMPT_COMMAND='printf \"\\e]133;D;%s\\a\" $?'\nINIT",
	"direnv": "PS1='$ '\nINIT\n_hook() { local s=$?; true; return $s; }\n" +
		"PROMPT_COMMAND=\"_hook${PROMPT_COMMAND:+;$PROMPT_COMMAND}\"",
	"starship": "INIT\nKEPT=$PROMPT_COMMAND\nstar() { local s=$?; true; eval \"$KEPT\"; " +
		"PS1=\"[$s] \"; }\nPROMPT_COMMAND=star",
	"bash-preexec": "PS1='$ '\nINIT\n_in() { __s=$?; true; }\n_set() { return $__s; }\n" +
		"PROMPT_COMMAND=$'_in\\n_set\\n'\"$PROMPT_COMMAND\"$'\\ntrue'",
	"the last of its commands fails":       "PS1='$ '\nPROMPT_COMMAND='(exit 7)'\nINIT",
	"its commands print":                   "PS1='$ '\nPROMPT_COMMAND='echo; echo text'\nINIT",
	"lost: all replaced":                   "PS1='$ '\nINIT\nPS1='% ' PS0= PROMPT_COMMAND=",
	"lost: prompts are not expanded":       "shopt -u promptvars\nPS1='$ '\nINIT",
	"lost: PS1 in a PROMPT_COMMAND behind": "PS1='$ '\nINIT\np() { PS1='% '; }\nPROMPT_COMMAND=p",
}

// mark matches the marks of a command's beginning, and of its end with its status.
var mark = regexp.MustCompile("\x1b\\]133;(?:(C)|D;([0-9]*))\x07")

// statuses returns what the marks in a terminal's output say of each command: its status, or "".
func statuses(shown []byte) (of []string) {
	for _, m := range mark.FindAllSubmatch(shown, -1) {
		switch {
		case len(m[1]) > 0:
			of = append(of, "")
		case len(of) > 0 && of[len(of)-1] != "" && of[len(of)-1] != string(m[2]):
			of[len(of)-1] += " and " + string(m[2])
		case len(of) > 0:
			of[len(of)-1] = string(m[2])
		}
	}
	return of
}

// Whatever a startup file does to PROMPT_COMMAND, PS1 and PS0, the status of each command is right,
// or there is none.
func TestBashStatus(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	code, err := shellCode(root(), "bash", shellOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, startup := range startups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "rc")
			text := "HISTFILE=" + dir + "/history\n" + strings.ReplaceAll(startup, "INIT", code) + "\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			u := ptytest.New(t)
			cmd := exec.Command(bash, "--noprofile", "--rcfile", file, "-i")
			cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "LC_ALL=C"}
			u.Start(t, cmd)
			commands := []string{"true", "false", "", "(exit 3)", "true | false", "(exit 5)", "echo ready-$((40+2))"}
			want := []string{"0", "1", "3", "1", "5"}
			u.Type(t, strings.Join(commands, "\r")+"\rexit\r")
			u.Await(t, "ready-42")
			shown := u.Shown()
			_ = ptytest.Status(t, cmd)
			got := statuses(shown)
			whole := !strings.HasPrefix(name, "lost:")
			if whole && len(got) <= len(want) {
				t.Fatalf("statuses %q, want %q; shown: %q", got, want, shown)
			}
			for i, status := range got {
				if i < len(want) && status != want[i] && (whole || status != "") {
					t.Errorf("statuses %q, want %q; shown: %q", got, want, shown)
					break
				}
			}
			for _, wrong := range []string{"unbound variable", "readonly", "rror", "not found", "__ptyrec"} {
				if strings.Contains(string(shown), wrong) {
					t.Errorf("shown is %q: %q", wrong, shown)
				}
			}
		})
	}
}

// A shell that ends where a command fails does not end because of the marks.
func TestBashEndsAtNoFailureOfOurs(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	code, err := shellCode(root(), "bash", shellOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "rc")
	if err := os.WriteFile(file, []byte("PS1='$ '\n"+code+"\nset -e\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u := ptytest.New(t)
	cmd := exec.Command(bash, "--noprofile", "--rcfile", file, "-i")
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "LC_ALL=C"}
	u.Start(t, cmd)
	u.Type(t, "! true\recho ready-$((40+2))\rexit\r")
	u.Await(t, "ready-42")
	_ = ptytest.Status(t, cmd)
}
