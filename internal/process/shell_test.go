package process_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
)

// sh runs a command in the session default.
func (b *bench) sh(text string, change ...func(*process.Spec)) (stdout, stderr string, code int) {
	b.t.Helper()
	s := process.Spec{Command: text, Session: "default", CloseStdin: true, Timeout: time.Minute}
	for _, fn := range change {
		fn(&s)
	}
	stdout, stderr, info := b.output(b.start(s))
	return stdout, stderr, info.ExitCode
}

// What a command leaves for the next one of its session.
func TestShellStateIsKept(t *testing.T) {
	b := newBench(t)
	for i, c := range []struct{ first, second, want string }{
		{"cd /usr/bin", "pwd", "/usr/bin\n"},
		{"cd /usr; cd /tmp", "cd - >/dev/null; pwd", "/usr\n"},
		{"a=1; export B='x y'", "echo $a $B; env | grep ^B=; env | grep -c ^a=", "1 x y\nB=x y\n0\n"},
		{"f() { echo \"in f: $1\"; }", "f 3", "in f: 3\n"},
		{"g() { echo exported; }; export -f g", "bash -c g", "exported\n"},
		{"list=(one 'two three' $'four\\nfive'); declare -A map=([k]=v [\"a b\"]='$x')",
			"echo ${#list[@]} \"${list[2]}\" \"${map[a b]}\"", "3 four\nfive $x\n"},
		{"readonly R=7", "echo $R; (R=8) 2>/dev/null || echo kept", "7\nkept\n"},
		{"readonly R2=7; echo x >/dev/null", "R3=1; echo $R2$R3", "71\n"},
		{"unset HOME", "echo ${HOME-unset}", "unset\n"},
		{"set -o pipefail; shopt -s extglob nullglob", "false | true || echo pipefail; shopt -q extglob && echo extglob",
			"pipefail\nextglob\n"},
		{"alias hi='echo hello'; shopt -s expand_aliases", "hi", "hello\n"},
		{"umask 027", "umask", "0027\n"},
		{"IFS=,", "x=a,b; set -- $x; echo $#", "2\n"},
		{"unset IFS", "x='a b'; set -- $x; echo $#", "2\n"},
		{"v=1; exit 3", "echo $v", "1\n"},
		{"w=1; set -e; false; w=2", "echo $w", "1\n"},
		{"set +e; h() { echo 'if'; }; eval 'if'", "h", "if\n"},
		{"y=1; exec true", "echo ${y-none}", "none\n"},
		{"z=1", "kill -9 $$", ""},
		{":", "echo $z", "1\n"},
		{"cat <<E >/dev/null\nx\nE\nk=5", "echo $k", "5\n"},
		{"k='\"'\\''`$(x)\\!'", "printf %s \"$k\"", "\"'`$(x)\\!"},
		{"big=$(head -c 200000 /dev/zero | tr '\\0' x)", "echo ${#big}", "200000\n"},
		{"unset big; n=$'\\xff\\x01\\n'", "printf %s \"$n\" | od -An -tx1", " ff 01 0a\n"},
		{"set -u; declare -i count=5; declare -n ref=count", "set +u; ref+=1; echo $count", "6\n"},
		{"set -x", "set +x", ""},
		{"set -C; : ; trap 'echo bye' EXIT; q=1", "set +C; echo $q", "1\n"},
	} {
		b.sh(c.first)
		if out, errs, _ := b.sh(c.second); out != c.want {
			t.Errorf("%d: %q, then %q: %q, want %q; %s", i, c.first, c.second, out, c.want, errs)
		}
	}
	if _, errs, _ := b.sh("set -x; true"); errs != "++ true\n" { // bash counts the eval
		t.Errorf("traced: %q", errs)
	}
	if _, errs, _ := b.sh("true; set +x"); errs != "++ true\n++ set +x\n" {
		t.Errorf("traced: %q", errs)
	}
	for command, want := range map[string]int{"exit 3": 3, "(exit 3)": 3, "true": 0, "set -e; (exit 4)": 4} {
		if _, _, code := b.sh(command); code != want {
			t.Errorf("%s: %d", command, code)
		}
	}
	if _, errs, code := b.sh("if"); code == 0 || !strings.Contains(errs, "syntax error") {
		t.Errorf("a syntax error: %d %q", code, errs)
	}
	if _, _, code := b.sh("false"); code != 1 {
		t.Errorf("false: %d", code)
	}
}

// The directory and environment of a request apply to it alone.
func TestRequestsOwnStateIsForItAlone(t *testing.T) {
	b := newBench(t)
	alone := func(s *process.Spec) { s.Cwd, s.Env = "bin", map[string]string{"V": "it's", "W": "w"} }
	b.sh("cd /usr; V=old; cd /; cd /usr")
	if out, errs, _ := b.sh("pwd; echo $V $W; env | grep ^V=; V=changed; cd /tmp; n=1",
		alone); out != "/usr/bin\nit's w\nV=it's\n" {
		t.Errorf("%q %q", out, errs)
	}
	if out, _, _ := b.sh("pwd; echo $V ${W-none} $n $OLDPWD; env | grep -c ^V="); out != "/usr\nold none 1 /\n0\n" {
		t.Errorf("afterwards: %q", out)
	}
	if _, errs, code := b.sh("echo ran", func(s *process.Spec) { s.Cwd = "/nowhere" }); code != 1 ||
		!strings.Contains(errs, "/nowhere") {
		t.Errorf("no such directory: %d %q", code, errs)
	}
}

// Processes begin with the session's state, beside it, and leave it unchanged.
func TestCommandBesideTheShell(t *testing.T) {
	b := newBench(t)
	b.sh("cd /usr; a=1")
	slow := b.start(process.Spec{Command: "sleep 600", Session: "default", CloseStdin: true})
	out, _, _ := b.sh("pwd; echo $a; a=2; cd /", func(s *process.Spec) { s.Apart = true })
	if out != "/usr\n1\n" {
		t.Errorf("%q", out)
	}
	if err := slow.Kill(t.Context(), process.Kill, 0); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := b.sh("pwd; echo $a"); out != "/usr\n1\n" {
		t.Errorf("%q", out)
	}
}

// Commands of a session run one after another, also after a restart of the server.
func TestCommandsRunOneAfterAnother(t *testing.T) {
	b := newBench(t)
	b.sh("cd /usr; v=1; f() { echo f; }")
	first := b.start(process.Spec{ID: "first", Command: "read line; echo $line; v=$line", Session: "default"})
	b.close()
	b.open()
	done := make(chan string)
	go func() {
		out, _, _ := b.sh("pwd; echo $v; f")
		done <- out
	}()
	first, err := b.Get(t.Context(), "box", first.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Write(t.Context(), []byte("2\n")); err != nil {
		t.Fatal(err)
	}
	if out := <-done; out != "/usr\n2\nf\n" {
		t.Errorf("%q", out)
	}
}

// Jobs in the background go on, and their output is recorded.
func TestBackgroundJobsAreRecorded(t *testing.T) {
	b := newBench(t)
	out, _, _ := b.sh("(read line <$HOME/fifo; echo late) & echo $!", func(s *process.Spec) {
		s.Env = map[string]string{"HOME": t.TempDir()}
		s.Command = "mkfifo $HOME/fifo; " + s.Command + "; keep=$HOME"
	})
	pid := strings.TrimSpace(out)
	if out, _, _ := b.sh("kill -0 " + pid + " && echo alive; echo go >$keep/fifo"); out != "alive\n" {
		t.Errorf("the job: %q", out)
	}
}

// Sessions are created and deleted by name.
func TestShellsByName(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	named := func(s *process.Spec) { s.Session = "work" }
	if _, _, err := b.Start(ctx, process.Spec{Sandbox: "box", Session: "work", Command: "true"}); err == nil {
		t.Error("a session that was not created takes a command")
	}
	if err := b.CreateShell(ctx, "box", "work", process.Shell{Cwd: "/usr", Env: map[string]string{"K": "v"}}); err != nil {
		t.Fatal(err)
	}
	if err := b.CreateShell(ctx, "box", "work", process.Shell{}); err == nil {
		t.Error("created twice")
	}
	for range 2 {
		if out, _, _ := b.sh("pwd; echo $K", named); out != "/usr\nv\n" {
			t.Errorf("%q", out)
		}
	}
	if names, err := b.Shells(ctx, "box"); err != nil || len(names) != 1 {
		t.Errorf("%q, %v", names, err)
	}
	if err := b.DeleteShell(ctx, "box", "work"); err != nil {
		t.Fatal(err)
	}
	if err := b.DeleteShell(ctx, "box", "work"); err == nil {
		t.Error("deleted twice")
	}
}
