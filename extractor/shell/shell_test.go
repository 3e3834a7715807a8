package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/session"
)

// idle is a row with the cursor behind its text and a blank.
type idle struct{ row string }

func TestParseShell(t *testing.T) {
	type command struct {
		Text, Output string
		First, End   int
		Open         bool
	}
	tests := []struct {
		name    string
		learned []idle // prompts that the cursor was seen to wait at
		cols    int
		rows    string
		want    []command
	}{
		{"bash", nil, 80, `
motd
root@box:~/shop# echo before
before
root@box:~/shop# cat README.md
# shop

A small shop service.

root@box:/tmp# `, []command{{"echo before", "before", 1, 3, false}, {"cat README.md", "# shop\n\nA small shop " +
			"service.", 3, 8, false}}},
		{"the last command goes on", nil, 80, "dev@box:~$ make\ncc a.c\n", []command{{"make", "cc a.c", 0, 2, true}}},
		{"half typed", nil, 80, "dev@box:~$ ls\na\ndev@box:~$ mak", []command{{"ls", "a", 0, 2, false}}},
		{"given up", nil, 80, "dev@box:~$ e^C\ndev@box:~$ ls\na", []command{{"ls", "a", 1, 3, true}}},
		{"wrapped command and output", nil, 20, "dev@box:~$ echo 1234\n+567 9\n1234567 9 and so on \n+that\ndev@box:~$",
			[]command{{"echo 1234567 9", "1234567 9 and so on that", 0, 4, false}}},
		{"continued", nil, 80, "dev@box:~$ for i in 1 2; do\n> echo $i\n> done\n1\n2\ndev@box:~$ cat <<EOF\n> a > b\n" +
			"> EOF\na > b", []command{
			{"for i in 1 2; do\necho $i\ndone", "1\n2", 0, 5, false}, {"cat <<EOF\na > b\nEOF", "a > b", 5, 9, true}}},
		{"output that begins with >", nil, 80, "dev@box:~$ cat mail\n> quoted",
			[]command{{"cat mail", "> quoted", 0, 2, true}}},
		{"a prompt quoted in output", []idle{{"dev@box:~$ "}}, 80,
			"dev@box:~$ cat log\nroot@host:/# ls\n$ make\ndev@box:/srv$", []command{{"cat log", "root@host:/# ls\n$ make", 0,
				3, false}}},
		{"brackets", nil, 80, "[dev@box shop]$ ls\na\n[root@box ~]# id", []command{{"ls", "a", 0, 2, false}}},
		{"fish, macOS", nil, 80, "dev@box ~/shop> ls\na\ndev@mac shop % pwd\n/shop",
			[]command{{"ls", "a", 0, 2, false}, {"pwd", "/shop", 2, 4, true}}},
		{"branch", nil, 80, "dev@box:~/shop (main)$ ls\na", []command{{"ls", "a", 0, 2, true}}},
		{"virtual environment", []idle{{"dev@box:~$ "}}, 80, "dev@box:~$ . v/bin/activate\n(v) dev@box:~$ ls\na",
			[]command{{". v/bin/activate", "", 0, 1, false}, {"ls", "a", 1, 3, true}}},
		{"Oh My Zsh", []idle{{"⟦b p2|➜⟧  ⟦b p6|shop⟧ "}}, 80,
			"⟦b p2|➜⟧  ⟦b p6|shop⟧ ls\na\n⟦b p1|➜⟧  ⟦b p6|shop⟧ ⟦b p4|git:(⟧⟦p1|main⟧⟦b p4|)⟧ ⟦ p3|✗⟧ pwd\n/x",
			[]command{{"ls", "a", 0, 2, false}, {"pwd", "/x", 2, 4, true}}},
		{"a sign alone is learned", []idle{{"⟦b p2|❯⟧ "}}, 80,
			"⟦b p6|~/shop⟧ on main\n⟦b p2|❯⟧ ls\na\n❯ not this\n\n⟦b p6|~/shop⟧ on main\n⟦b p1|❯⟧ pwd\n/x",
			[]command{{"ls", "a\n❯ not this", 1, 5, false}, {"pwd", "/x", 6, 8, true}}},
		{"a sign alone is no prompt", nil, 80, "❯ ls\na\n$ x\n> y", nil},
		{"what varies is learned", []idle{{"shop (3) $ "}, {"shop (4) $ "}}, 80, "shop (7) $ ls\na\nshop (8) $",
			[]command{{"ls", "a", 0, 2, false}}},
		{"right prompt", []idle{{"⟦b|❯⟧ "}}, 20, "⟦b|❯⟧ ls -l      12:30\na", []command{{"ls -l", "a", 0, 2, true}}},
		{"output without a line end", []idle{{"dev@box:~$ "}, {"no end dev@box:~$ "}}, 80,
			"dev@box:~$ printf x\na\nno end dev@box:~$ ls\nb\nno dev@box:~$ quoted",
			[]command{{"printf x", "a\nno end", 0, 2, false}, {"ls", "b\nno dev@box:~$ quoted", 2, 5, true}}},
		{"not learned: python", []idle{{">>> "}}, 80, ">>> 1\n1", nil},
		{"nothing", nil, 80, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p prompts
			for _, l := range tt.learned {
				restsAt(t, &p, l.row, "", 0)
			}
			var got []command
			for _, it := range parseShell(rowtest.Dump(t, tt.cols, tt.rows), &p) {
				if it.Role != session.RoleShell || it.Rule == "" {
					t.Errorf("role %q, rule %q", it.Role, it.Rule)
				}
				got = append(got, command{it.Text, it.Output, it.First, it.End, it.Open})
			}
			if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestShellPromptWaits(t *testing.T) {
	tests := []struct {
		name, row string
		learned   []idle
		cursor    int
		want      bool
	}{
		{"bash", "dev@box:~$ ", nil, 11, true},
		{"a command is typed", "dev@box:~$ ls", nil, 13, false},
		{"a letter is typed", "dev@box:~$ l", nil, 12, false},
		{"the cursor is elsewhere", "dev@box:~$ ", nil, 30, false},
		{"a sign alone", "❯ ", nil, 2, false},
		{"a sign alone that was learned", "⟦b|❯⟧ ", []idle{{"⟦b|❯⟧ "}}, 2, true},
		{"an agent's, plain", "❯ ", []idle{{"⟦b|❯⟧ "}}, 2, false},
		{"empty", "", nil, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p prompts
			for _, l := range tt.learned {
				restsAt(t, &p, l.row, "", 0)
			}
			if got := p.waits(rowtest.Dump(t, 80, tt.row)[0].Row, tt.cursor); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// parseShell reads the commands off shell lines, with their output.
func parseShell(lines []row.Line, p *prompts) []chat.Item {
	var items []chat.Item
	s := part{free: -1, later: true}
	s.read(lines, 0, p, "")
	for _, c := range s.commands {
		out := Output{doc: &document.Document{Lines: lines}, from: c.out, end: c.End, more: c.more, joined: c.joined}
		c.Output, _ = out.Text()
		items = append(items, c.Item)
	}
	return items
}

// TestShellAnyRows reads rows of anything.
func TestShellAnyRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rowtest.Any(t)
		var p prompts
		for i, l := range lines {
			p.learn(l.Row, rapid.IntRange(0, 40).Draw(t, "cursor"), lines, i, "sh")
			p.waits(l.Row, 3)
		}
		parseShell(lines, &p)
	})
}
