package shell

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/vterm"
)

// mark is a mark on a line, at a time in seconds.
type mark struct {
	line int
	kind vterm.MarkKind
	col  int
	text string
	at   int
}

// marked returns rows with marks.
func marked(t *testing.T, cols int, rows string, marks ...mark) []row.Line {
	t.Helper()
	lines := rowtest.Dump(t, cols, rows)
	for i, m := range marks {
		r := lines[m.line].Row
		r.Marks = append(r.Marks, vterm.Mark{Kind: m.kind, Col: m.col, Text: m.text, At: time.Duration(m.at) * time.Second,
			N: 100*m.at + i + 1})
	}
	return lines
}

// said returns what is known of commands: folder, text, output, status and seconds.
func said(lines []row.Line, p *prompts) []string {
	var out []string
	for _, it := range parseShell(lines, p) {
		s := fmt.Sprintf("%s|%s|%s", it.Cwd, it.Text, it.Output)
		if it.ExitStatus != nil {
			s += fmt.Sprintf("|%d", *it.ExitStatus)
		}
		if it.Duration != nil {
			s += fmt.Sprintf("|%vs", *it.Duration)
		}
		if it.Open {
			s += "|open"
		}
		out = append(out, s)
	}
	return out
}

func TestMarks(t *testing.T) {
	const a, b, c, d, f = vterm.MarkPrompt, vterm.MarkInput, vterm.MarkOutput, vterm.MarkDone, vterm.MarkFolder
	tests := []struct {
		name  string
		rows  string
		marks []mark
		want  []string
	}{
		{"a command that ended", "% ls\na\n% ",
			[]mark{{0, a, 0, "", 1}, {0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, d, 0, "3", 4}, {2, a, 0, "", 4},
				{2, b, 2, "", 4}}, []string{"|ls|a|3|2s"}},
		{"a status with more behind it", "% ls\na\n% ",
			[]mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, d, 0, "0;aid=1", 4}, {2, b, 2, "", 4}}, []string{"|ls|a|0|2s"}},
		{"no status", "% ls\na\n% ", []mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, d, 0, "", 4}, {2, b, 2, "", 4}},
			[]string{"|ls|a|2s"}},
		{"the end of an earlier one", "% ls\na\nb", []mark{{0, b, 2, "", 3}, {1, c, 0, "", 4}, {2, d, 0, "1", 2}},
			[]string{"|ls|a\nb|open"}},
		{"an end without a begin", "% ls\na\n% ", []mark{{0, b, 2, "", 1}, {2, d, 0, "1", 4}, {2, b, 2, "", 4}},
			[]string{"|ls|a|1"}},
		{"the end of one that was given up", "% ls\na\n% x^C\n% ",
			[]mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, d, 0, "0", 4}, {2, b, 2, "", 4}, {3, d, 0, "130", 5},
				{3, b, 2, "", 5}}, []string{"|ls|a|0|2s"}},
		{"two begins", "% ls\na\nb\n% ", []mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, c, 0, "", 3}, {3, d, 0, "0", 4},
			{3, b, 2, "", 4}}, []string{"|ls|a\nb|0|2s"}},
		{"an output before the prompt was drawn", "% ls\na\nb\n% ",
			[]mark{{0, b, 2, "", 3}, {1, c, 0, "", 2}, {3, d, 0, "0", 4}, {3, b, 2, "", 4}}, []string{"|ls|a\nb|0"}},
		{"output that does not end its line", "% ls\nab% ",
			[]mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {1, d, 2, "0", 3}, {1, a, 2, "", 3}, {1, b, 4, "", 3}},
			[]string{"|ls|ab|0|1s"}},
		{"a prompt of two lines", "~/shop\n% ls\na\n~/shop\n% ", []mark{{0, a, 0, "", 1}, {1, b, 2, "", 1},
			{3, a, 0, "", 3}, {4, b, 2, "", 3}}, []string{"|ls|a"}},
		{"a prompt of two lines behind output", "~/shop\n% ls\nab ~/shop\n% ", []mark{{0, a, 0, "", 1}, {1, b, 2, "", 1},
			{2, a, 3, "", 3}, {3, b, 2, "", 3}}, []string{"|ls|ab"}},
		{"output that no other prompt has above it", "% ls\na\n~/shop\n% ", []mark{{0, b, 2, "", 1}, {2, a, 0, "", 3},
			{3, b, 2, "", 3}}, []string{"|ls|a\n~/shop"}},
		{"a prompt far above", "% ls\na\n\n\n\n\n\n\n\n\n\n% ",
			[]mark{{0, b, 2, "", 1}, {1, a, 0, "", 1}, {11, b, 2, "", 3}}, []string{"|ls|a"}},
		{"another prompt above", "ab % ls\n% ", []mark{{0, a, 3, "", 1}, {0, b, 5, "", 1}, {1, b, 2, "", 3}},
			[]string{"|ls|"}},

		{"a command that the shell says", "% ls zz\na",
			[]mark{{0, b, 2, "", 1}, {1, c, 0, "aid=2;cmdline_url=ls%20-l;x", 2}}, []string{"|ls -l|a|open"}},
		{"of two lines, with control characters", "% ls\na",
			[]mark{{0, b, 2, "", 1}, {1, c, 0, "cmdline_url=a%0Ab%09c%1b%c2%9bd%ff", 2}}, []string{"|a\nb\tcd|a|open"}},
		{"that cannot be read", "% ls\na", []mark{{0, b, 2, "", 1}, {1, c, 0, "cmdline_url=a%zz", 2}},
			[]string{"|ls|a|open"}},
		{"rows between a command and its output", "% ls \\\n-l\na", []mark{{0, b, 2, "", 1}, {2, c, 0, "", 2}},
			[]string{"|ls \\\n-l|a|open"}},

		{"at the very begin", "% ls\nb\na", []mark{{0, b, 2, "", 0}, {2, c, 0, "", 1}}, []string{"|ls\nb|a|open"}},

		{"completions", "% l\nls less\n% ls\na", []mark{{0, b, 2, "", 1}, {2, b, 2, "", 1}, {3, c, 0, "", 2}},
			[]string{"|ls|a|open"}},
		{"another command at the next prompt", "% l\nx\n% ss\na",
			[]mark{{0, b, 2, "", 1}, {2, b, 2, "", 1}, {3, c, 0, "", 2}}, []string{"|l|x", "|ss|a|open"}},
		{"what a background job wrote", "% ls\na\n% done", []mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, b, 2, "", 3}},
			[]string{"|ls|a"}},
		{"a background job below", "% ls\na\n% job\n% pwd\n/x",
			[]mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, b, 2, "", 3}, {3, b, 2, "", 3}, {4, c, 0, "", 4}},
			[]string{"|ls|a", "|pwd|/x|open"}},
		{"another prompt", "% ls\na\n> job\nx", []mark{{0, b, 2, "", 1}, {1, c, 0, "", 2}, {2, b, 2, "", 3}},
			[]string{"|ls|a", "|job|x|open"}},
		{"no prompt before what is typed", "ls\na\nb\nc",
			[]mark{{0, b, 0, "", 1}, {1, c, 0, "", 2}, {2, b, 0, "", 3}, {3, c, 0, "", 4}}, []string{"|ls|a", "|b|c|open"}},

		{"a folder", "% ls\na", []mark{{0, f, 0, "file://box/srv/my%20shop%1b", 1}, {0, b, 2, "", 1}},
			[]string{"/srv/my shop|ls|a|open"}},
		{"a folder that is not quoted", "% ls\na", []mark{{0, f, 0, "file://box/srv/100%", 1}, {0, b, 2, "", 1}},
			[]string{"|ls|a|open"}},
		{"no folder", "% ls\na", []mark{{0, f, 0, "file://box", 1}, {0, b, 2, "", 1}}, []string{"|ls|a|open"}},
		{"no file", "% ls\na", []mark{{0, f, 0, "http://box/srv", 1}, {0, b, 2, "", 1}}, []string{"|ls|a|open"}},
		{"the folder above", "x\n% ls\na\n% pwd\n/x",
			[]mark{{0, f, 0, "file:///srv", 1}, {1, b, 2, "", 1}, {2, f, 0, "file:///tmp", 2}, {3, b, 2, "", 3}},
			[]string{"/srv|ls|a", "/tmp|pwd|/x|open"}},
		{"the same folder", "% ls\na\n% pwd\n/x", []mark{{0, f, 0, "file:///srv", 1}, {0, b, 2, "", 1}, {2, b, 2, "", 3}},
			[]string{"/srv|ls|a", "/srv|pwd|/x|open"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, said(marked(t, 40, tt.rows, tt.marks...), &prompts{marked: true})); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestMarkedOnly reads rows that look like prompts where a shell marks its own.
func TestMarkedOnly(t *testing.T) {
	rows := "dev@box:~$ ls\na"
	if got := said(rowtest.Dump(t, 40, rows), &prompts{marked: true}); got != nil {
		t.Errorf("the shell marks prompts, but none of these: got %q", got)
	}
	if got, want := said(rowtest.Dump(t, 40, rows), &prompts{}), []string{"|ls|a|open"}; !cmp.Equal(got, want) {
		t.Errorf("no shell marks prompts: got %q, want %q", got, want)
	}
}

// TestUnmarkedPrompt reads a command at a prompt that no mark is on, where others are.
func TestUnmarkedPrompt(t *testing.T) {
	lines := marked(t, 40, "dev@box:~$ ls\na\nb\nc", mark{1, vterm.MarkFolder, 0, "file:///srv", 1})
	if got, want := said(lines, &prompts{}), []string{"|ls|a\nb\nc|open"}; !cmp.Equal(got, want) {
		t.Errorf("another mark: got %q, want %q", got, want)
	}
	lines[3].Row.Marks = []vterm.Mark{{Kind: vterm.MarkDone, Text: "1", At: time.Second, N: 1}}
	if got, want := said(lines, &prompts{}), []string{"|ls|a\nb\nc|1"}; !cmp.Equal(got, want) {
		t.Errorf("an end: got %q, want %q", got, want)
	}
	lines = marked(t, 40, "dev@box:~$ ls\nb\na", mark{2, vterm.MarkOutput, 0, "", 1})
	if got, want := said(lines, &prompts{}), []string{"|ls|b\na|open"}; !cmp.Equal(got, want) {
		t.Errorf("an output below: got %q, want %q", got, want)
	}
	lines = marked(t, 40, "% ls\na", mark{0, vterm.MarkInput, 2, "", 1})
	p := learned(t, ":shop $ ")
	p.marked = true
	if got, want := said(append(lines, rowtest.Dump(t, 40, "shop $ pwd\n/x")...), p), []string{"|ls|a",
		"|pwd|/x|open"}; !cmp.Equal(got, want) {
		t.Errorf("a prompt that was learned: got %q, want %q", got, want)
	}
}

// TestOutputSize counts what changes an output.
func TestOutputSize(t *testing.T) {
	d := &document.Document{Lines: rowtest.Dump(t, 40, "a\nb")}
	o := Output{doc: d}
	for _, step := range []struct {
		what  string
		end   int
		more  string
		dirty int
		size  int
	}{{"two lines", 2, "", 0, 1}, {"nothing", 2, "", 2, 1}, {"a line drawn again", 2, "", 1, 2}, {"before the prompt", 2,
		"c", 2, 3}, {"the same", 2, "c", 2, 3}, {"a line less", 1, "c", 2, 4}} {
		o.extend(&Command{Item: chat.Item{End: step.end}, more: step.more}, step.dirty)
		if o.Size() != step.size {
			t.Errorf("%s: got size %d, want %d", step.what, o.Size(), step.size)
		}
	}
	d.Lines = append(d.Lines, rowtest.Dump(t, 40, "x\n\n")...)[:3]
	d.Lines[1] = rowtest.Dump(t, 40, "\n\n")[0]
	o.extend(&Command{Item: chat.Item{End: 2}}, 5)
	if got, _ := o.Text(); got != "a" || o.shown != 1 {
		t.Errorf("got %q, %d lines", got, o.shown)
	}
}

// TestMarkWaits asks whether a shell that marks its prompts waits.
func TestMarkWaits(t *testing.T) {
	for _, tt := range []struct {
		row    string
		cursor int
		want   bool
	}{{"% ", 2, true}, {"% ls", 2, false}, {"% ", 0, false}, {"% ls", 4, false}} {
		lines := marked(t, 40, tt.row, mark{0, vterm.MarkInput, 2, "", 1})
		if got := (&prompts{}).waits(lines[0].Row, tt.cursor); got != tt.want {
			t.Errorf("%q, cursor at %d: got %v", tt.row, tt.cursor, got)
		}
	}
}
