package shell_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/session"
)

// repeat returns lines with numbers from 0 on.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// read shows what a terminal of 40 by 6 cells printed, a second after the other, and returns the
// commands: "folder|command=output", and the second in which that changed last; long outputs are
// their first line, their length and their last line.
func read(steps ...string) (got []string) {
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 40, Rows: 6, SessionID: "s", Started: time.Unix(0, 0),
		Command: []string{"run"}})
	at := time.Duration(0)
	for _, s := range steps {
		at += time.Second
		p.Feed(session.Event{At: at, Kind: session.Output, Data: []byte(strings.ReplaceAll(s, "\n", "\r\n"))})
		p.Changes()
	}
	p.Close(at + time.Second)
	for _, e := range p.Entries() {
		if e.Role != session.RoleShell {
			continue
		}
		out := e.Output
		if lines := strings.Split(out, "\n"); len(lines) > 20 {
			out = fmt.Sprintf("%s-%d-%s", lines[0], len(lines), lines[len(lines)-1])
		}
		if e.Cwd != "" {
			e.Text = e.Cwd + "|" + e.Text
		}
		if e.EndAt != nil {
			out += fmt.Sprint(" ", e.EndAt.Unix())
		}
		got = append(got, e.Text+"="+out)
	}
	return got
}

// TestRightMargin reads commands that do not fit on their row, as shells draw them.
func TestRightMargin(t *testing.T) {
	const on, off = "\x1b[?2004h", "\x1b[?2004l"
	bash := func(typed string) []string { return []string{on + "$ ", typed, "\n" + off + "\ra\n" + on + "$ "} }
	zsh := func(typed string) []string {
		return []string{"\r\x1b[J$ \x1b[K" + on, typed, off + "\r\na\n\r\x1b[J$ \x1b[K" + on}
	}
	x35, wide := strings.Repeat("x", 35), strings.Repeat("中", 17)
	tests := []struct {
		name  string
		steps []string
		want  string
	}{
		{"readline pads the row", bash(": " + wide + "y \x1b[K中文"), ": " + wide + "y中文"},
		{"a blank is typed there", bash(": " + wide + "y 中文"), ": " + wide + "y 中文"},
		{"readline writes a mark on the next row", bash(": " + x35 + "e \r\u0301xy"), ": " + x35 + "e\u0301xy"},
		{"by code points", bash(": " + strings.Repeat("👍🏽", 9) + " \r文"), ": " + strings.Repeat("👍🏽", 9) + "文"},
		{"zsh pads the row", zsh(": " + wide + "y\x1b[7m \x1b[27m中文\x1b[K"), ": " + wide + "y中文"},
		{"zsh wraps by itself", zsh(": " + x35 + "y \r\x1b[Kz\rz1"), ": " + x35 + "yz1"},
		{"where the row has blanks", zsh(": a   " + x35[4:] + "y \r\x1b[Kz\rz1"), ": a   " + x35[4:] + "yz1"},
		{"fish wraps by itself", zsh(": " + wide + "y\r\n中文"), ": " + wide + "y中文"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(tt.steps...); len(got) != 1 || got[0] != tt.want+"=a" {
				t.Errorf("got %q, want %q", got, tt.want+"=a")
			}
		})
	}
}

func TestReader(t *testing.T) {
	const on, off = "\x1b[?2004h", "\r\x1b[?2004l"
	const a, b, c, d, wipe = "\x1b]133;A\a", "\x1b]133;B\a", "\x1b]133;C\a", "\x1b]133;D\a", "\x1b[H\x1b[2J\x1b[3J"
	const marked, says = a + "$ " + b, "\x1b]133;C;cmdline_url="
	tests := []struct {
		name  string
		steps []string
		want  []string
	}{
		{"a prompt is learned below commands", []string{"motd\n% ls\na\n% "}, []string{"=motd", "ls=a"}},
		{"the only prompt of a recording", []string{"% ls\na\n"}, []string{"run=% ls\na"}},
		{"a prompt is learned below many commands",
			[]string{"% ", "1\na\n% ", "2\n# x\n% ", "3\nb\n% ", "sh\n# ", "4\nc\n# "},
			[]string{"1=a", "2=# x", "3=b", "sh= 6", "4=c"}},
		{"marks of output alone", []string{"$ ", "one\n" + says + "one\aa\n", d + "$ ", "two\n" + says + "two\a", d + "$ ",
			"ls\n" + says + "ls\ab\n", d + "$ ", "no\n" + says + "no\a", d +
				"$ "}, []string{"one=a 3", "two= 5", "ls=b 7", "no= 9"}},
		{"a prompt that is marked is not learned", []string{marked, "ls\n" + c + "$ x\ny\n" + marked}, []string{"ls=$ x\ny"}},
		{"an output that grows", []string{"u@h:~$ ", "ls\na", "b\n", "c\n\n", "d"}, []string{"ls=ab\nc\n\nd 5"}},
		{"an output that grows before the prompt is known", []string{"% ", "ls\na", "b\n", "c\n\n", "d", "\n% "},
			[]string{"ls=ab\nc\n\nd"}},
		{"an output on the row of the prompt", []string{"u@h:~$ ", "ls\n", "ab", "u@h:~$ ", "id\nc\nu@h:~$ "},
			[]string{"ls=ab 4", "id=c"}},
		{"that wraps to it", []string{"u@h:~$ ", "ls\n" + strings.Repeat("a", 45) + "u@h:~$ ", "id\nc\nu@h:~$ "},
			[]string{"ls=" + strings.Repeat("a", 45) + " 2", "id=c"}},

		{"a prompt longer than a row", []string{"me@h:/a/" + strings.Repeat("folder/", 5) + "$ ", "ls\na\nme@h:/a/" +
			strings.Repeat("folder/", 5) + "$ ", "id\nb\nme@h:/a/" + strings.Repeat("folder/", 5) + "$ "},
			[]string{"ls=a", "id=b"}},
		{"output of no command", []string{"u@h:~$ ", "\n" + strings.Repeat("a", 45) + "\n"},
			[]string{"=" + strings.Repeat("a", 45)}},
		{"empty lines", []string{on + "% ", "\n" + off + on + "% ", "\n" + off + on + "% ", "ls\n" + off + "a\n" + on + "% "},
			[]string{"ls=a"}},
		{"a prompt that is drawn before a shell reads", []string{"~ > " + on, "cd /usr", "\x1b[?2004l\r\n", "/usr > ", on,
			"ls",
			"\x1b[?2004l\r\na\n", "/usr > ", on}, []string{"cd /usr= 5", "ls=a 9"}},
		{"given up", []string{on + "% ", "oo", "^C\n" + off + on + "% ", "ls\n" + off + "a\n" + on + "% "},
			[]string{"ls=a"}},
		{"another sign while it is typed", []string{on + "me > ", "ls", "\r\x1b[Jme < ls\b", "s\n" + off + "a\n" + on +
			"me > "}, []string{"ls=a"}},

		{"clear", []string{"% ls\na\n% ", "clear", "\n" + wipe + "% ", "ls\nb\n% "}, []string{"ls=a", "clear=", "ls=b"}},
		{"clear twice", []string{"% ls\na\n% ", "clear", "\n" + wipe, wipe, "% "}, []string{"ls=a", "clear= 5"}},
		{"the prompt is drawn again at the top", []string{"% ls\na\n% ", "cat", wipe + "% cat", "\nb\n% "},
			[]string{"ls=a", "cat=b"}},
		{"another command at the top", []string{"% ls\na\n% ", "reset", "\n" + wipe + "% cat", "\nb\n% "},
			[]string{"ls=a", "reset=", "cat=b"}},
		{"a command that wipes", []string{"% ", "ls\na\n% ", "watch\nb\n", wipe + "c\n", wipe + "d\n% ", "ls\ne\n% "},
			[]string{"ls=a", "watch=b\nc\nd 5", "ls=e"}},
		{"a folder, behind a wipe", []string{"\x1b]7;file:///srv\a" + marked, "ls\n" + c + "a\n", wipe + d + marked,
			"pwd\n" + c + "b\n" + d + marked}, []string{"/srv|ls=a 3", "/srv|pwd=b"}},
		{"an erased command", []string{"% ", "ls\na\n% ", "cat\nb\nc", "\x1b[2A\r\x1b[J% "}, []string{"ls=a", "cat=b\nc"}},

		{"long outputs", []string{"u@h:~$ ", "1\n" + repeat(2500, "a%d") + "u@h:~$ ",
			"2\n" + repeat(2500, "b%d") + "u@h:~$ ", "3\nc\nu@h:~$ "},
			[]string{"1=a0-2500-a2499 2", "2=b0-2500-b2499 3", "3=c"}},
		{"a long output in parts", []string{"u@h:~$ ", "1\n" + repeat(1000, "a%d"), repeat(1000, "b%d"),
			repeat(1000, "c%d") + "u@h:~$ "}, []string{"1=a0-3000-c999 4"}},
		{"a long output is wiped", []string{"u@h:~$ ", "1\n" + repeat(2000, "a%d"), wipe + repeat(30, "b%d") + "u@h:~$ "},
			[]string{"1=a0-2030-b29 3"}},
		{"a long output before the prompt is known",
			[]string{"% ", "1\n" + repeat(2500, "a%d") + "% ", "2\n" + repeat(2500, "b%d") + "% ",
				"3\nc\n% "}, []string{"=% 1-2501-a2499", "2=b0-2500-b2499 4", "3=c"}},
		{"a plain program", []string{repeat(2000, "a%d")}, []string{"run=a0-2000-a1999"}},
		{"a plain program that wipes", []string{repeat(40, "a%d"), wipe + repeat(2000, "b%d")},
			[]string{"run=a0-2035-b1999"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, read(tt.steps...)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
