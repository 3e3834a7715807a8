package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
)

// marked is a prompt as a shell with OSC 133 draws it.
func marked(prompt string) string { return "\x1b]133;A\x07" + prompt + "\x1b]133;B\x07" }

// run is a command line typed at a prompt, what it prints within d, and how it ends.
func (s *screenplay) run(text, output string, status int, d time.Duration) {
	s.show(time.Second, text)
	s.show(time.Second, "\n\x1b]133;C\x07")
	s.show(d, fmt.Sprintf("%s\x1b]133;D;%d\x07", output, status))
}

// TestShellMarks checks what a shell says of its commands: exit status, folder and duration were
// not kept, and a prompt that changed in mid-session ended the recognition of what followed.
func TestShellMarks(t *testing.T) {
	tests := []struct {
		name string
		play func(s *screenplay)
		want []string
	}{
		{"status, folder, duration", func(s *screenplay) {
			s.show(0, "\x1b]7;file://box/home/dev/a%20b\x07"+marked("dev@box:~$ "))
			s.run("make", "cc a.c\n", 2, 1500*time.Millisecond)
			s.show(0, "\x1b]7;file:///tmp\x07"+marked("dev@box:/tmp$ "))
			s.run("true", "", 0, 20*time.Millisecond)
			s.show(0, marked("dev@box:/tmp$ "))
		}, []string{"make=cc a.c 2 /home/dev/a b 1.5", "true= 0 /tmp 0.02"}},
		{"the prompt changes", func(s *screenplay) {
			s.show(0, marked("dev@box:~$ "))
			s.run("PS1='x '", "", 0, 0)
			s.show(0, marked("x "))
			s.run("ls", "x marks the spot\ndev@box:~$ quoted\n", 0, 0)
			s.show(0, marked("x "))
			s.run("echo a", "a\n", 0, 0)
			s.show(0, marked(""))
			s.run("pwd", "/home\n", 0, 0)
			s.show(0, marked("12:30:01 \x1b[1m~\x1b[m\n-> "))
			s.run("false", "", 1, 0)
			s.show(0, marked("12:30:02 \x1b[1m~\x1b[m\n-> "))
		}, []string{"PS1='x '= 0", "ls=x marks the spot\ndev@box:~$ quoted 0", "echo a=a 0", "pwd=/home 0", "false= 1"}},
		{"the prompt changes, without marks", func(s *screenplay) {
			for _, step := range []string{"dev@box:~$ ", "ls\na\ndev@box:~$ ", "PS1='x '\nx ", "echo a\na\nx ",
				"PS1='] '; id\ndev\n] ", "echo b\nb\n] ", "sh\n# ", "echo c\nc\n# "} {
				s.show(time.Second, step)
			}
		}, []string{"ls=a", "PS1='x '=", "echo a=a", "PS1='] '; id=dev", "echo b=b", "sh=", "echo c=c"}},
		{"a job prints at the prompt", func(s *screenplay) {
			s.show(0, marked("$ "))
			s.run("(sleep 1; echo late) &", "[1] 7\n", 0, 0)
			s.show(0, marked("$ "))
			s.show(time.Second, "late\n")
			s.show(time.Second, "\n"+marked("$ ")) // Enter
			s.run("echo a", "a\n[1]+  Done\n", 0, 0)
			s.show(0, marked("$ "))
			s.show(time.Second, "echo b")
			s.show(time.Second, "late again\n")
			s.show(time.Second, "c\n\x1b]133;C;cmdline_url=echo%20bc%3B%0Atrue\abc\n\x1b]133;D;0\a")
			s.show(0, marked("$ "))
		}, []string{"(sleep 1; echo late) &=[1] 7\n$ late 0", "echo a=a\n[1]+  Done 0", "echo bc;\ntrue=bc 0"}},
		{"no line end", func(s *screenplay) {
			s.show(0, marked("$ "))
			s.run("printf x", "x", 0, 0)
			s.show(0, marked("$ "))
			s.run("head -c 100", strings.Repeat("y", 100), 3, 0)
			s.show(0, marked("$ "))
			s.run("echo z", "z\n", 0, 0)
			s.show(0, marked("$ "))
		}, []string{"printf x=x 0", "head -c 100=" + strings.Repeat("y", 100) + " 3", "echo z=z 0"}},
		{"binary, no line end", func(s *screenplay) { // characters that make one, and are two on the screen
			s.show(0, marked("$ "))
			s.run("cat a.out", "\u06dd\u07fa\u00c0\u05a8\x00\x05", 0, 0)
			s.show(0, marked("$ "))
			s.run("echo third", "third\n", 0, 0)
			s.show(0, marked("$ "))
		}, []string{"cat a.out=\u06dd\u07fa\u00c0\u05a8 0", "echo third=third 0"}},
		{"several lines typed, completions, given up", func(s *screenplay) {
			s.show(0, marked("$ "))
			s.show(time.Second, "cat <<'}'\n> if true; then\n> }")
			s.run("", "if true; then\n", 0, 0)
			s.show(0, marked("$ "))
			s.show(time.Second, "ls a\na1  a2\n"+marked("$ ")+"ls a")
			s.run("1", "a1\n", 0, 0)
			s.show(0, marked("$ ")+"rm -^C\n"+marked("$ "))
			s.run("id", "dev\n", 0, 0)
			s.show(0, marked("$ "))
		}, []string{"cat <<'}'\nif true; then\n}=if true; then 0", "ls a1=a1 0", "id=dev 0"}},
		{"at once", func(s *screenplay) {
			s.show(0, marked("$ ")+"a\n\x1b]133;C\x07A\n\x1b]133;D;1\x07"+
				marked("$ ")+"b\n\x1b]133;C\x07\x1b]133;D;2\x07"+marked("$ "))
		}, []string{"a=A 1", "b= 2"}},
		{"long", func(s *screenplay) {
			s.show(0, marked("$ "))
			s.run("seq", strings.Repeat("line\n", 3000), 7, time.Second)
			s.show(0, marked("$ "))
		}, []string{"seq=" + strings.TrimSuffix(strings.Repeat("line\n", 3000), "\n") + " 7 1"}},
		{"marks that make no sense", func(s *screenplay) {
			s.show(0, "\x1b]133;D\x07\x1b]133;D;9\x07\x1b]133;C\x07\x1b]133;Z\x07\x1b]7;http://x\x07"+marked("$ "))
			s.show(time.Second, "ls\n\x1b]133;C\x07a\n\x1b]133;D;many\x07"+marked("$ "))
		}, []string{"ls=a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s screenplay
			tt.play(&s)
			s.show(time.Second, "")
			var got []string
			for _, e := range process(window, s.events, nil) {
				if e.Role == session.RoleShell {
					got = append(got, ran(e))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			told := map[string]session.Entry{}
			replay(window, recut(s.events, 7), func(p *transcript.Processor) { follow(p, told) })
			if len(told) != len(tt.want) {
				t.Errorf("%d commands live, want %d", len(told), len(tt.want))
			}
		})
	}
}

// ran is a command in one line: its text, output, status, folder and seconds.
func ran(e *session.Entry) string {
	out := e.Text + "=" + e.Output
	if e.ExitStatus != nil {
		out += fmt.Sprint(" ", *e.ExitStatus)
	}
	if e.Cwd != "" {
		out += " " + e.Cwd
	}
	if e.Duration != nil && *e.Duration > 0 {
		out += fmt.Sprint(" ", *e.Duration)
	}
	return out
}

// After 1,500 commands that print nothing the extractor panicked.
func TestManySilentCommands(t *testing.T) {
	for _, n := range []int{1500, 3000, 5000} {
		var s screenplay
		for i := range n {
			s.show(20*time.Millisecond, fmt.Sprintf("%strue %d\n\x1b]133;C\x07\x1b]133;D;0\x07", marked("$ "), i))
		}
		s.show(time.Second, marked("$ "))
		var got, want []string
		for _, e := range process(window, s.events, nil) {
			if e.Role == session.RoleShell {
				got = append(got, e.Text)
			}
		}
		for i := range n {
			want = append(want, fmt.Sprintf("true %d", i))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d commands (-want +got):\n%s", n, diff)
		}
	}
}
