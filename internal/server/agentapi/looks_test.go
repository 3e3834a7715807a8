//go:build linux

package agentapi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// The program reads lines in a real terminal, and answers each: "many" with 1500 rows, "table" with
// a box, others with the same text. A look defines ask, which draws the input area, and taken,
// which erases it and shows the prompt as a part of the conversation.
const (
	asked   = "\x1b]0;asked\x07" // written when the program waits for a line
	program = `stty -echo
out() { printf '%b' "$1"; }
answer() {
case "$1" in
many) i=0; while [ $i -lt 1500 ]; do echo "row $i of it"; i=$((i+1)); done ;;
table*) out '┌──────────┬─────┐\n│ cell one │ two │\n└──────────┴─────┘\n' ;;
*) out 'The same answer.\n\nIn two paragraphs.\n' ;;
esac
}
command -v put >/dev/null || put() { cat; }
out 'Welcome to it\n\n' | put
while ask; out '\033]0;asked\007'; read -r line; do taken "$line"; answer "$line" | put; done
`
	rule = "────────────────────────────────────────────────────────────"
)

var looks = map[string]string{
	"a box": `ask() { out '╭──────────────────────────────────────╮\n│ > Type here                          ` +
		`│\n╰──────────────────────────────────────╯\n  ? for help        87% left\033[2A\033[5G'; }
taken() { out '\033[1A\r\033[J'; out "> $1\n\n"; }`,
	"a box, the cursor hidden below it": `ask() { out '\033[?25l╭──────────────────────────────────────╮\n│ > \033[7m ` +
		`\033[m                                  │\n╰──────────────────────────────────────╯\n  1.2k tokens\n'; }
taken() { out '\033[4A\r\033[J'; out "● $1\n\n"; }`,
	"a box of ASCII": `ask() { out '+--------------------------------------+\n|                                      ` +
		`|\n+--------------------------------------+\033[1A\033[3G'; }
taken() { out '\033[1A\r\033[J'; out "you: $1\n"; }`,
	"a box with a title, of several rows": `ask() { out '┌─ Message ────────────────────────────┐\n│                   ` +
		`                   │\n│                                      │\n│                                      ` +
		`│\n└──────────────────── enter to send ───┘\n model-x · ~/src\033[4A\033[3G'; }
taken() { out '\033[1A\r\033[J'; out "$1\n"; }`,
	"the prompts in boxes, too": `ask() { out '╔══════════════════════════════════════╗\n║                             ` +
		`         ║\n╚══════════════════════════════════════╝\033[1A\033[3G'; }
taken() { out '\033[1A\r\033[J'; out "╭──────────────────────╮\n│ $1\n╰──────────────────────╯\n"; }`,
	"two rules": `ask() { out '` + rule + `\n> \n` + rule + `\n  ctx 12%%  auto\033[2A\033[3G'; }
taken() { out '\033[1A\r\033[J'; out "> $1\n\n"; }`,
	"two rules of ASCII, the cursor hidden": `ask() { out '\033[?25l---------------------------------------------------` +
		`---------\n  >_ \n------------------------------------------------------------\n'; }
taken() { out '\033[3A\r\033[J'; out ">> $1\n"; }`,
	"a rule above": `ask() { out '` + rule + `\n> '; }
taken() { out "\r\033[K> $1\n"; }`,
	"a panel": `ask() { out '\n\033[48;5;236m                                                            \n  >         ` +
		`                                                \n                                                            ` +
		`\033[m\n  tab to queue\033[2A\033[5G'; }
taken() { out '\033[2A\r\033[J'; out "› $1\n\n"; }`,
	"a bar": `ask() { out '┃\n┃ \n┃  build  model-y\n╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\033[2A\033[3G'; }
taken() { out '\033[1A\r\033[J'; out "$1\n\n"; }`,
	"a bare prompt": `ask() { out '> '; }
taken() { out "$1\n"; }`,
	"a status below the prompt": `n=0; ask() { n=$((n+7)); out "\n\n  $n tokens used\033[2A\r> "; }
taken() { out "$1\033[K\n\033[J"; }`,
	"prompts with numbers": `n=0; ask() { n=$((n+1)); out "In [$n]: "; }
taken() { out "$1\n"; }`,
	"a status above the box, which counts": `n=0; ask() { n=$((n+3)); out "\\n  $n tokens, ` +
		`auto\\n╭──────────────────────────────────────╮\\n│ >                                    ` +
		`│\\n╰──────────────────────────────────────╯\\033[1A\\033[5G"; }
taken() { out '\033[3A\r\033[J'; out "> $1\n\n"; }`,
	"a prompt that changes": `n=x; ask() { out "~/$n\$ "; n=y$n; }
taken() { out "$1\n"; }`,
	"a full screen": `put() { cat >>"$0.log"; }
ask() { out '\033[?1049h\033[?25l\033[H\033[2J'; tail -n 9 "$0.log" | while IFS= read -r row; do out "$row\r\n"; done
out '\033[11;1H╭────────────────────────────────────────────────────────╮\r\n│ >                                    ` +
		`                  │\r\n╰────────────────────────────────────────────────────────╯\r\n  ready'; }
taken() { out "\n> $1\n\n" | put; }`,
	"no prompt at all": `ask() { :; }
taken() { out "$1\n"; }`,
}

// Each message of an unknown program is one answer, without the input area, whatever the program
// looks like, and even if it gives the same answer again.
func TestUnknownProgramsOfManyLooks(t *testing.T) {
	for name, look := range looks {
		t.Run(name, func(t *testing.T) { converse(t, look) })
	}
}

func converse(t *testing.T, look string) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(script, []byte(look+"\n"+program), 0o600); err != nil {
		t.Fatal(err)
	}
	u := ptytest.New(t)
	u.Resize(t, 60, 14)
	u.Start(t, exec.Command("sh", script))
	page, read := agentapi.NewPage(60, 14), 0
	answer := func() string {
		u.Await(t, asked)
		shown := u.Shown()
		page.Write(shown[read:])
		read = len(shown)
		return page.Text()
	}
	if first := answer(); strings.Count(first, "\n") > 3 || strings.Contains(first, "│") ||
		!strings.HasPrefix(first, "Welcome to it") {
		t.Errorf("at first it says:\n%s", first)
	}
	var rows []string
	for i := range 1500 {
		rows = append(rows, fmt.Sprintf("row %d of it", i))
	}
	const same = "The same answer.\n\nIn two paragraphs."
	const table = "┌──────────┬─────┐\n│ cell one │ two │\n└──────────┴─────┘"
	for i, turn := range [][2]string{
		{"hello", same}, {"hello", same}, {"again", same}, {"table", table}, {"table", table},
		{"many", strings.Join(rows, "\n")}, {"hello", same}, {"hello", same},
	} {
		page.Mark(turn[0])
		u.Type(t, turn[0]+"\n")
		got := answer()
		if turn[0] == "many" && page.Alt() && got != "" && strings.HasSuffix(turn[1], got) {
			continue // rows that have left the alternate screen are lost
		}
		if diff := cmp.Diff(turn[1], got); diff != "" {
			t.Errorf("prompt %d, %s (-want +got):\n%s", i, turn[0], diff)
		}
	}
}
