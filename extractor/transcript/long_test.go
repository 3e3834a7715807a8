package transcript_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

// screenplay writes the output events of a terminal.
type screenplay struct {
	at     time.Duration
	events []session.Event
}

// show adds output, d after the output before.
func (s *screenplay) show(d time.Duration, text string) {
	s.at += d
	text = strings.ReplaceAll(text, "\n", "\r\n")
	s.events = append(s.events, session.Event{At: s.at, Kind: session.Output, Data: []byte(text)})
}

const shellPrompt = "dev@box:~$ "

// command adds a command line, and what it prints every step, in pieces of so many lines.
func (s *screenplay) command(text string, lines, piece int, step time.Duration) {
	s.show(time.Second, text)
	s.show(time.Second, "\n")
	for from := 1; from <= lines; from += piece {
		var b strings.Builder
		for i := from; i < from+piece && i <= lines; i++ {
			fmt.Fprintf(&b, "%s line %d\n", text, i)
		}
		s.show(step, b.String())
	}
	s.show(0, shellPrompt)
}

// window is that of the recordings here.
var window = cast.Header{Cols: 80, Rows: 24}

// TestLongCommands checks that a command which prints more than the terminal or the document holds
// is there with its beginning and its end. Such a command, its command line included, was lost
// without a word, or its output was joined to another one.
func TestLongCommands(t *testing.T) {
	tests := []struct {
		name        string
		lines       []int // of each command
		piece       int
		step        time.Duration
		interactive bool // time between the commands
	}{
		{"whole", []int{20000}, 1000, 0, true},
		{"at once", []int{11000, 30000}, 1 << 20, 0, true},
		{"slow", []int{25000}, 100, 10 * time.Millisecond, true},
		{"several in a row", []int{30000, 5, 12000, 21000, 1}, 1 << 20, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s screenplay
			s.show(0, shellPrompt)
			for i, n := range tt.lines {
				s.command(fmt.Sprint("print ", i), n, tt.piece, tt.step)
				if !tt.interactive {
					for k := range s.events {
						s.events[k].At = 0
					}
				}
			}
			entries := process(window, s.events, nil)
			if len(entries) != len(tt.lines) {
				t.Fatalf("%d commands, want %d", len(entries), len(tt.lines))
			}
			for i, n := range tt.lines {
				checkLong(t, entries[i], fmt.Sprint("print ", i), n)
			}
			if diff := cmp.Diff(entries, process(window, recut(s.events, 4099), nil)); diff != "" {
				t.Errorf("cut otherwise (-whole +cut):\n%.2000s", diff)
			}
			told := map[string]session.Entry{}
			replay(window, s.events, func(p *transcript.Processor) { follow(p, told) })
			for _, e := range entries {
				if diff := cmp.Diff(*e, told[e.ID]); diff != "" {
					t.Errorf("live (-replay +live):\n%.2000s", diff)
				}
			}
		})
	}
}

// checkLong checks an entry of a command that printed n lines.
func checkLong(t *testing.T, e *session.Entry, text string, n int) {
	t.Helper()
	lines := strings.Split(e.Output, "\n")
	first, last := fmt.Sprintf("%s line 1", text), fmt.Sprintf("%s line %d", text, n)
	if e.Text != text || e.Status != session.StatusComplete || lines[0] != first || lines[len(lines)-1] != last {
		t.Errorf("%q is %s, output from %q to %q, want %q from %q to %q", e.Text, e.Status, lines[0], lines[len(lines)-1],
			text, first, last)
	}
	shown := len(lines)
	if e.Truncated {
		shown-- // the line that says so
	}
	if e.Truncated != (n > 20000) || shown+e.OmittedLines != n {
		t.Errorf("%q: truncated %v, %d lines and %d left out, want %d", text, e.Truncated, shown, e.OmittedLines, n)
	}
	if e.Truncated && !strings.Contains(e.Output, fmt.Sprintf("\n[… %d lines left out …]\n", e.OmittedLines)) {
		t.Errorf("%q does not say what is left out", text)
	}
}

// TestResizedCommands checks that windows which change their size while a command prints leave no
// line out and count none twice.
func TestResizedCommands(t *testing.T) {
	sizes := [][2]int{{80, 24}, {40, 10}, {120, 50}, {33, 24}, {80, 5}, {200, 60}}
	for _, tt := range []struct {
		lines, piece, resizes, words int
		marks                        bool // the shell says where its prompts end
	}{
		{300, 7, 12, 1, false}, {3000, 50, 12, 1, true}, {3000, 50, 30, 12, false}, {3000, 20, 90, 20, true},
		{30000, 1000, 1, 1, false}, {30000, 1000, 12, 1, false}, {30000, 1000, 12, 12, true}, {30000, 333, 60, 5, false},
	} {
		t.Run(fmt.Sprintf("%d lines in %ds, %d resizes, %d words", tt.lines, tt.piece, tt.resizes, tt.words),
			func(t *testing.T) {
				var s screenplay
				prompt, output, done := shellPrompt, "", ""
				if tt.marks {
					prompt, output, done = "\x1b]133;A\x07$ \x1b]133;B\x07", "\x1b]133;C\x07", "\x1b]133;D;0\x07"
				}
				s.show(0, prompt)
				s.show(time.Second, "print")
				s.show(time.Second, "\n"+output)
				want := make([]string, tt.lines)
				pieces := (tt.lines + tt.piece - 1) / tt.piece
				resized := 0
				for from := 0; from < tt.lines; from += tt.piece {
					var b strings.Builder
					for i := from; i < min(from+tt.piece, tt.lines); i++ {
						want[i] = fmt.Sprintf("print line %d", i+1) + strings.Repeat(fmt.Sprintf("  缓存%d", i), tt.words-1)
						b.WriteString(want[i] + "\n")
					}
					s.show(10*time.Millisecond, b.String())
					for resized*pieces < tt.resizes*(from/tt.piece+1) {
						resized++
						size := sizes[resized%len(sizes)]
						s.at += 10 * time.Millisecond
						s.events = append(s.events, session.Event{At: s.at, Kind: session.Resize, Cols: size[0], Rows: size[1]})
					}
				}
				s.show(0, done+prompt)
				s.show(time.Second, "")
				entries := slices.DeleteFunc(process(window, s.events, nil),
					func(e *session.Entry) bool { return e.Type != session.TypeMessage })
				if len(entries) != 1 {
					t.Fatalf("%d commands, want 1", len(entries))
				}
				e := entries[0]
				head, tail, _ := strings.Cut(e.Output, fmt.Sprintf("\n[… %d lines left out …]\n", e.OmittedLines))
				got := strings.Split(head, "\n")
				if e.Truncated {
					got = append(got, want[len(got):min(len(want), len(got)+e.OmittedLines)]...)
					got = append(got, strings.Split(tail, "\n")...)
				}
				for i, line := range want {
					if i >= len(got) || got[i] != line {
						t.Fatalf("line %d of %d (%d) is %.300q, want %.300q", i, len(got), len(want),
							got[min(i, len(got)-1):min(i+3, len(got))], want[i:min(i+3, len(want))])
					}
				}
				if len(got) != len(want) || e.Truncated != (tt.lines > 20000) {
					t.Errorf("%d lines, %d of them left out, want %d", len(got), e.OmittedLines, len(want))
				}
			})
	}
}

// TestWipingCommand checks that a command which wipes the screen keeps what it prints afterwards,
// however long: `clear; make` lost all of it.
func TestWipingCommand(t *testing.T) {
	const wipe = "\x1b[H\x1b[2J\x1b[3J"
	for _, lines := range []int{5, 30000} {
		var s screenplay
		s.show(0, shellPrompt)
		var want []string
		command := func(text, before string, wipes int) {
			s.show(time.Second, text)
			s.show(time.Second, "\n"+before)
			for range wipes {
				s.show(20*time.Millisecond, wipe)
			}
			var b strings.Builder
			for i := 1; i <= lines; i++ {
				fmt.Fprintf(&b, "%s line %d\n", text, i)
			}
			s.show(20*time.Millisecond, b.String())
			s.show(0, shellPrompt)
			want = append(want, text)
		}
		command("clear", "", 1)
		command("retry", "", 3)
		s.show(time.Second, "make")
		s.show(time.Second, wipe+shellPrompt+"make") // Ctrl+L
		command("", "", 0)
		want[len(want)-1] = "make"
		entries := slices.DeleteFunc(process(window, s.events, nil),
			func(e *session.Entry) bool { return e.Type != session.TypeMessage })
		var got []string
		for _, e := range entries {
			got = append(got, e.Text)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("commands %q, want %q", got, want)
		}
		checkLong(t, entries[0], "clear", lines)
		checkLong(t, entries[1], "retry", lines)
		told := map[string]session.Entry{}
		replay(window, s.events, func(p *transcript.Processor) { follow(p, told) })
		for _, e := range entries {
			if diff := cmp.Diff(*e, told[e.ID]); diff != "" {
				t.Errorf("live (-replay +live):\n%.2000s", diff)
			}
		}
	}
}

// TestPromptBehindWrapped checks that a prompt is seen behind output which did not end its line and
// was wrapped by the terminal: the command at it was lost.
func TestPromptBehindWrapped(t *testing.T) {
	var s screenplay
	s.show(0, shellPrompt)
	s.show(time.Second, "fill")
	s.show(time.Second, "\n"+strings.Repeat("word ", 35)+shellPrompt)
	s.show(time.Second, "true")
	s.show(time.Second, "\n"+shellPrompt)
	entries := process(window, s.events, nil)
	if len(entries) != 2 || entries[0].Output != strings.TrimSpace(strings.Repeat("word ", 35)) ||
		entries[1].Text != "true" {
		for _, e := range entries {
			t.Errorf("%q printed %q", e.Text, e.Output)
		}
	}
}

// TestLongPlain checks that the output of a program that is no shell keeps its beginning: what the
// terminal's scrollback holds was all.
func TestLongPlain(t *testing.T) {
	var s screenplay
	for i := range 30000 {
		s.show(0, fmt.Sprintf("print line %d\n", i+1))
	}
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 24, Command: []string{"print"}})
	for _, e := range s.events {
		p.Feed(e)
	}
	p.Close(time.Second)
	if len(p.Entries()) != 1 {
		t.Fatalf("%d entries, want 1", len(p.Entries()))
	}
	checkLong(t, p.Entries()[0], "print", 30000)
}

// claudeBox is the input box of Claude Code 2.0, in a window of 80 columns.
var claudeBox = func() string {
	rule := "\x1b[2m\x1b[38;2;136;136;136m" + strings.Repeat("─", 80) + "\x1b[39m\x1b[22m\n"
	return rule + "> \x1b[7m \x1b[27m\n" + rule + "  ? for shortcuts\n"
}()

// TestLongTool checks that a tool's output that is longer than the document keeps its beginning,
// and the call its head.
func TestLongTool(t *testing.T) {
	const lines = 25000
	for _, piece := range []int{100, lines} {
		t.Run(fmt.Sprint(piece), func(t *testing.T) {
			var s screenplay
			box := claudeBox
			erase := strings.Repeat("\x1b[2K\x1b[1A", 4) + "\x1b[2K\x1b[G"
			frame := func(text string) { s.show(60*time.Millisecond, "\x1b[?2026h"+text+"\x1b[?2026l") }
			frame(" ▐▛███▜▌   \x1b[1mClaude Code\x1b[22m v2.0.76\n▝▜█████▛▘  Opus 4.5 · API Usage Billing\n" +
				"  ▘▘ ▝▝    ~/shop\n\n" + box)
			frame(erase + "\x1b[48;2;55;55;55m\x1b[38;2;255;255;255m> Count \x1b[39m\x1b[49m\n\n" + box)
			var out strings.Builder
			out.WriteString("\x1b[38;2;78;186;101m●\x1b[39m \x1b[1mBash\x1b[22m(seq 1 25000)\n" +
				"  \x1b[38;2;136;136;136m⎿\x1b[39m  1\n")
			for i := 2; i <= lines; i++ {
				fmt.Fprintf(&out, "     %d\n", i)
				if i%piece == 0 {
					frame(erase + out.String() + box)
					out.Reset()
				}
			}
			frame(erase + "\n\x1b[38;2;255;255;255m●\x1b[39m Counted to the end.\n\n" + box)
			s.show(time.Second, "")
			var got []string
			for _, e := range process(window, s.events, nil) {
				if e.Type != session.TypeMessage {
					continue
				}
				got = append(got, e.Role)
				if e.Tool == nil {
					continue
				}
				rows := strings.Split(e.Tool.Output, "\n")
				if e.Tool.Input != "seq 1 25000" || rows[0] != "1" || rows[len(rows)-1] != fmt.Sprint(lines) {
					t.Errorf("tool %q, output from %q to %q", e.Tool.Input, rows[0], rows[len(rows)-1])
				}
				if !e.Truncated || !e.Tool.Truncated || len(rows)-1+e.OmittedLines != lines {
					t.Errorf("truncated %v, %v: %d rows and %d left out", e.Truncated, e.Tool.Truncated, len(rows)-1, e.OmittedLines)
				}
			}
			if diff := cmp.Diff([]string{"user", "tool", "assistant"}, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSnapshotCost checks that a small change costs the same below much output as below little. The
// open command's whole output, or an agent's whole message, was read again at each snapshot: long
// lines were read slower than they came.
func TestSnapshotCost(t *testing.T) {
	shell := func(lines int) *screenplay {
		var s screenplay
		s.show(0, shellPrompt)
		s.show(time.Second, "make\n")
		s.show(time.Second, strings.Repeat(strings.Repeat("x", 79)+"\n", lines))
		return &s
	}
	claude := func(lines int) *screenplay {
		var s screenplay
		s.show(0, " ▐▛███▜▌   \x1b[1mClaude Code\x1b[22m v2.0.76\n▝▜█████▛▘  Opus 4.5 · API Usage Billing\n"+
			"  ▘▘ ▝▝    ~/shop\n\n")
		s.show(time.Second, "\x1b[38;2;78;186;101m●\x1b[39m \x1b[1mBash\x1b[22m(make)\n"+
			"  \x1b[38;2;136;136;136m⎿\x1b[39m  x\n"+
			strings.Repeat("     "+strings.Repeat("x", 70)+"\n", lines)+"\n"+claudeBox)
		return &s
	}
	for name, play := range map[string]func(lines int) *screenplay{"shell": shell, "claude": claude} {
		cost := func(lines int) uint64 {
			s := play(lines)
			p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 24, Started: time.Unix(0, 0),
				SessionID: "s"})
			for _, e := range s.events {
				p.Feed(e)
			}
			const changes = 500
			s.events = s.events[:0]
			for i := range changes {
				s.show(10*time.Millisecond, fmt.Sprintf("\x1b[6A\r     %d%%\x1b[6B\r", i))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for _, e := range s.events {
				p.Feed(e)
			}
			runtime.ReadMemStats(&after)
			return (after.TotalAlloc - before.TotalAlloc) / changes
		}
		few, many := cost(100), cost(12000)
		if many > 4*few+4096 {
			t.Errorf("%s: a change below 12,000 lines takes %d bytes, one below 100 takes %d", name, many, few)
		}
	}
}

// TestLastWords checks that what an agent prints just before it is left is read, though no frame of
// its own has shown it.
func TestLastWords(t *testing.T) {
	var s screenplay
	s.show(0, shellPrompt)
	s.show(time.Second, "claude\n")
	frame := func(text string) { s.show(time.Second, "\x1b[?2026h"+text+"\x1b[?2026l") }
	erase := strings.Repeat("\x1b[2K\x1b[1A", 4) + "\x1b[2K\x1b[G"
	frame(" ▐▛███▜▌   \x1b[1mClaude Code\x1b[22m v2.0.76\n▝▜█████▛▘  Opus 4.5 · API Usage Billing\n" +
		"  ▘▘ ▝▝    ~/shop\n\n" + claudeBox)
	frame(erase + "\x1b[48;2;55;55;55m\x1b[38;2;255;255;255m> Count \x1b[39m\x1b[49m\n\n" + claudeBox)
	s.show(time.Second, erase+"\x1b[38;2;78;186;101m●\x1b[39m \x1b[1mBash\x1b[22m(seq 2 900)\n"+
		"  \x1b[38;2;136;136;136m⎿\x1b[39m  1\n"+
		repeat(900, func(i int) string { return fmt.Sprintf("     %d\n", i+2) })+"\n"+shellPrompt)
	s.show(time.Second, "")
	for _, e := range process(window, s.events, nil) {
		if e.Tool != nil && strings.HasPrefix(e.Tool.Output, "1\n2\n") && strings.HasSuffix(e.Tool.Output, "\n901") {
			return
		}
	}
	t.Error("the last tool call is not there")
}
