package shell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// learned returns what is known after a shell waited twice at each of rows, the first time behind a
// command: "command:row".
func learned(t *testing.T, waited ...string) *prompts {
	t.Helper()
	var p prompts
	for i, w := range waited {
		last, text, _ := strings.Cut(w, ":")
		restsAt(t, &p, text, last, 2*i)
	}
	return &p
}

// restsAt lets a shell wait at a row twice, the second time below a row where something was typed
// at it.
func restsAt(t *testing.T, p *prompts, text, last string, at int) {
	t.Helper()
	lines := append(rowtest.Dump(t, 80, strings.Repeat("-\n", at)), rowtest.Dump(t, 80, text+"ls\n"+text)...)
	lines = lines[len(lines)-at-2:]
	r := rowtest.Dump(t, 80, text)[0].Row
	p.learn(r, row.Extent(r)+1, lines, at, last)
	p.learn(r, row.Extent(r)+1, lines, at+1, last)
}

func TestLearn(t *testing.T) {
	tests := []struct {
		name   string
		waited []string
		rows   string
		want   []string
	}{
		{"any text behind an assignment", []string{"PS1=x:dev here"}, "dev here ls\na", []string{"|ls|a|open"}},
		{"a program's sign behind an assignment", []string{"PS1='> ':> "}, "> ls\na", []string{"|ls|a|open"}},
		{"nothing behind an assignment", []string{"PS1=:"}, " ls\na", nil},
		{"any text", []string{":dev here"}, "dev here ls\na", []string{"|ls|a|open"}},
		{"another shell", []string{":shop $ ", "sudo -i:# "}, "# ls\na", []string{"|ls|a|open"}},
		{"another shell with a path", []string{":shop $ ", "exec /bin/zsh -l:% "}, "% ls\na", []string{"|ls|a|open"}},
		{"no shell", []string{":shop $ ", "make:# "}, "# ls\na", nil},
		{"no command", []string{":shop $ ", ":# "}, "# ls\na", nil},
		{"a program with a prompt", []string{":(gdb) "}, "(gdb) ls\na", nil},
		{"in another style", []string{":shop (3) $ ", ":⟦b|shop (4) $ ⟧"}, "shop (3) $ ls\na", []string{"|ls|a|open"}},
		{"nothing alike at the end", []string{":shop (3) $ ", ":shop (4) % "}, "shop (7) % ls\na", nil},
		{"too little alike", []string{":a $ ", ":b $ "}, "~/c $ ls\na", nil},
		{"half a character alike", []string{":shop é$ ", ":shop ©$ "}, "shop x$ ls\na", []string{"|ls|a|open"}},
		{"the varying piece has a gap", []string{":shop (3) $ ", ":shop (4) $ "}, "shop (a  b) $ ls\na", nil},
		{"a folder first", []string{":~/a/shop $ ", ":/b/shop $ "}, "~/x/shop $ ls\na", []string{"|ls|a|open"}},
		{"no folder first", []string{":~/a/shop $ ", ":/b/shop $ "}, "the x/shop $ ls\na", nil},
		{"an environment around it", []string{":(v) shop $ "}, "(v) shop $ ls\na\n(w) shop $ ls",
			[]string{"|ls|a\n(w) shop $ ls|open"}},
		{"two environments", []string{":shop $ "}, "(a) (b) shop $ ls\na", []string{"|ls|a|open"}},
		{"a bracket in a row", []string{":shop $ "}, "(a shop $ ls\n() x\n(a) x", nil},
		{"output without an end, and what is wrapped", []string{":shop $ ", "printf:no end shop $ "}, "no end shop $ ls\na",
			[]string{"|ls|a|open"}},
		{"a sign alone behind output", []string{":$ ", ":x $ "}, "x $ ls\na", nil},

		{"a frame", []string{":╰─$ "}, "╭─ shop\n╰─$ ls\na\n╭─ shop\n╰─$ pwd\n/x", []string{"|ls|a", "|pwd|/x|open"}},
		{"a square frame", []string{":└─$ "}, "┌─ shop\n└─$ ls\na\n┌─ shop\n└─$ pwd\n/x", []string{"|ls|a", "|pwd|/x|open"}},
		{"no frame above", []string{":╰─$ "}, "╰─$ ls\na\n~/shop\n╰─$ pwd\n/x", []string{"|ls|a\n~/shop", "|pwd|/x|open"}},
		{"a first line of a folder", []string{":⟦b|❯⟧ "}, "⟦b|~/shop⟧\n⟦b|❯⟧ ls\na\n⟦b|~/shop⟧\n⟦b|❯⟧ pwd",
			[]string{"|ls|a"}},
		{"a first line in no style", []string{":⟦b|❯⟧ "}, "⟦b|❯⟧ ls\na\n~/shop\n⟦b|❯⟧ pwd", []string{"|ls|a\n~/shop"}},
		{"a first line that is none", []string{":⟦b|❯⟧ "}, "⟦b|❯⟧ ls\na\n⟦b|shop⟧\n⟦b|❯⟧ pwd", []string{"|ls|a\nshop"}},
		{"a line above a longer prompt", []string{":⟦b|x ❯⟧ "}, "⟦b|x ❯⟧ ls\na\n⟦b|~/shop⟧\n⟦b|x ❯⟧ pwd",
			[]string{"|ls|a\n~/shop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, said(rowtest.Dump(t, 200, tt.rows), learned(t, tt.waited...))); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestLearnMany learns more prompts, and more output before them, than are kept.
func TestLearnMany(t *testing.T) {
	var waited []string
	for i := range maxPrompts + 1 {
		waited = append(waited, fmt.Sprintf("bash:%c%d shop $ ", 'a'+i, i))
	}
	p := learned(t, waited...)
	if len(p.forms) != maxPrompts || p.forms[0].head != "b1 shop $ " {
		t.Errorf("%d prompts, the first is %q", len(p.forms), p.forms[0].head)
	}
	waited = []string{":shop $ "}
	for i := range maxAfter + 1 {
		waited = append(waited, fmt.Sprintf("printf:x%d shop $ ", i))
	}
	p = learned(t, waited...)
	if len(p.after) != maxAfter || p.after[0].head != "x1 shop $ " {
		t.Errorf("%d rows, the first is %q", len(p.after), p.after[0].head)
	}
}

// TestWraps reads commands that fill their rows.
func TestWraps(t *testing.T) {
	tests := []struct {
		name, rows string
		want       []string
	}{
		{"a shell that wraps by itself", "dev@box:~$ echo 12345\n678\nout", []string{"|echo 12345678|out|open"}},
		{"a command that just fits", "dev@box:~$ echo 12345\n\nout", []string{"|echo 12345|out|open"}},
		{"a command that just fits, and nothing", "dev@box:~$ echo 12345\n ", []string{"|echo 12345||open"}},
		{"a wide character", "dev@box:~$ echo 缓存\n+缓\nout", []string{"|echo 缓存缓|out|open"}},
		{"a row that is not full", "dev@box:~$ echo 1234\n678\nout", []string{"|echo 1234|678\nout|open"}},
		{"output behind a prompt at the right", "dev@box:~$ ls   12:30\nout", []string{"|ls|out|open"}},
		{"a gap in a command", "dev@box:~$ ls   1\nout", []string{"|ls   1|out|open"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, said(rowtest.Dump(t, 21, tt.rows), &prompts{})); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestContinued reads commands of more than one line.
func TestContinued(t *testing.T) {
	for rows, want := range map[string]string{
		"echo 'a\nquote> b'\nout":                   "echo 'a\nb'|out",
		"echo \"a\ndquote> b\"\nout":                "echo \"a\nb\"|out",
		"echo a \\\n> b\nout":                       "echo a \\\nb|out",
		"a | \n> b\nout":                            "a |\nb|out",
		"a &&\n> b\nout":                            "a &&\nb|out",
		"if a; then\n> b\n> fi\nout":                "if a; then\nb\nfi|out",
		"if a; then b\n> elif c; then d\n> fi\nout": "if a; then b\nelif c; then d\nfi|out",
		"while a; do b\n> done\nout":                "while a; do b\ndone|out",
		"case a in\n> a) b;; esac\nout":             "case a in\na) b;; esac|out",
		"f() {\n> a; }\nout":                        "f() {\na; }|out",
		"cat <<-'EOF'\n> a\n> EOF\nout":             "cat <<-'EOF'\na\nEOF|out",
		"cat <<EOF\nheredoc> a\nheredoc> EOF\nout":  "cat <<EOF\na\nEOF|out",
		"cat <<< a\n> out":                          "cat <<< a|> out",
		"cat <<\"\"\n> a\n>\nout":                   "cat <<\"\"\na\n|out",
		"echo a \\\nout":                            "echo a \\|out",
	} {
		got := said(rowtest.Dump(t, 40, "dev@box:~$ "+rows), &prompts{})
		if len(got) != 1 || got[0] != "|"+want+"|open" {
			t.Errorf("%q: got %q, want %q", rows, got, want)
		}
	}
}

// TestSign reads output whose end a shell marks with a sign, because it does not end its line.
func TestSign(t *testing.T) {
	for out, want := range map[string]string{
		"a⟦v|%⟧": "a", "a⟦v|#⟧": "a", "a⟦d|⏎⟧": "a", "a%": "a%", "a#": "a#", "a⟦v|x⟧": "ax", "a⟦b|%⟧": "a%", "": "",
	} {
		rows := "dev@box:~$ ls\n" + out + "\ndev@box:~$ "
		if got := said(rowtest.Dump(t, 40, rows), &prompts{}); len(got) != 1 || got[0] != "|ls|"+want {
			t.Errorf("%q: got %q, want %q", out, got, want)
		}
	}
}
