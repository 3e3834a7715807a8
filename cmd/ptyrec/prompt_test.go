//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// agentUnderTest is a session of a fakeAgent to which programs may type.
type agentUnderTest struct {
	t       *testing.T
	environ []string
	file    string // what arrived
	release string // lets a busy agent go on
}

func startFake(t *testing.T, environ ...string) *agentUnderTest {
	t.Helper()
	base, _ := liveEnv(t)
	dir := t.TempDir()
	f := &agentUnderTest{t, nil, filepath.Join(dir, "arrived"), filepath.Join(dir, "release")}
	f.environ = append(append(base, "ARRIVED="+f.file, "RELEASE="+f.release), environ...)
	for _, args := range [][]string{{"run", "--detach", "--", "codex"}, {"grant", "last"}} {
		if status, out := f.ptyrec("", args...); status != 0 {
			t.Fatalf("%q: %d: %s", args, status, out)
		}
	}
	t.Cleanup(func() { f.ptyrec("", "send", "last", "--keys", "C-d", "--force") })
	return f
}

// ptyrec runs a command, and returns its exit status and what it printed.
func (f *agentUnderTest) ptyrec(stdin string, args ...string) (status int, out string) {
	cmd := exec.Command("ptyrec", args...)
	cmd.Env, cmd.Stdin = f.environ, strings.NewReader(stdin)
	b, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), string(b)
	} else if err != nil {
		return -1, err.Error()
	}
	return 0, string(b)
}

func (f *agentUnderTest) prompt(text string, args ...string) (status int, out string) {
	return f.ptyrec(text, append([]string{"prompt", "last", "-", "--timeout", "2m"}, args...)...)
}

// arrived returns what the agent got so far.
func (f *agentUnderTest) arrived() (all []arrived) {
	b, _ := os.ReadFile(f.file) // not there: nothing
	for d := json.NewDecoder(strings.NewReader(string(b))); d.More(); {
		var a arrived
		if err := d.Decode(&a); err != nil {
			f.t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// wait waits until so much has arrived.
func (f *agentUnderTest) wait(n int) {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); len(f.arrived()) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_, screen := f.ptyrec("", "screen", "last")
			f.t.Fatalf("%d of %d arrived:\n%s", len(f.arrived()), n, screen)
		}
	}
}

// TestPromptArrivesOnceAndWhole: each prompt is taken once, exactly as it was sent, and the
// transcript has its words. It is sent right behind the start, and the agent drops the first Enter.
func TestPromptArrivesOnceAndWhole(t *testing.T) {
	t.Parallel()
	f := startFake(t, "DROPS=1")
	lines := make([]string, 12)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of twelve", i+1)
	}
	for i, tt := range []struct{ text, want string }{
		{"Is that right? Why?", "Is that right? Why?"}, {strings.Join(lines, "\r\n") + "\n", strings.Join(lines, "\n")},
		{"name\tcount\tnote", "name\tcount\tnote"},
		{strings.Repeat("four ", 800), strings.TrimSpace(strings.Repeat("four ", 800))}, {"これは何ですか？ 漢字", "これは何ですか？ 漢字"},
		{"👍 and 👩‍💻 ✅", "👍 and 👩‍💻 ✅"},
		{"before\x1b[201~\rafter\x03\x04", "before[201~\nafter"}, {"the same", "the same"}, {"the same", "the same"},
		{"???", "???"},
	} {
		status, out := f.prompt(tt.text, "--json")
		var reply struct {
			Text    string
			Entries []session.Entry
		}
		err := json.Unmarshal([]byte(out), &reply)
		if status != 0 || err != nil {
			_, screen := f.ptyrec("", "screen", "last")
			t.Fatalf("%.40q: exit status %d, %v: %s\n%s", tt.text, status, err, out, screen)
		}
		got := f.arrived()
		if len(got) != i+1 || got[i].Text != tt.want || got[i].Typed {
			t.Fatalf("%.40q: %d arrived, the last is %+v", tt.text, len(got), got[len(got)-1])
		}
		if want := fmt.Sprintf("You said %d characters.", len([]rune(tt.want))); reply.Text != want {
			t.Errorf("%.40q: the reply is %q, want %q", tt.text, reply.Text, want)
		}
		if len(reply.Entries) != 2 || reply.Entries[0].Role != session.RoleUser || reply.Entries[0].Text != tt.want {
			t.Errorf("%.40q: the entries are %+v", tt.text, reply.Entries)
		}
	}
	if status, out := f.ptyrec("", "export", "last", "--format", "json"); status != 0 ||
		!strings.Contains(out, strings.TrimSpace(strings.Repeat("four ", 800))) {
		t.Errorf("the export (%d) does not have the words that were folded", status)
	}
}

// TestPromptIsRefusedWithAReason: what cannot be sent is refused with a reason, and nothing
// arrives.
func TestPromptIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	if status, out := f.prompt("first"); status != 0 {
		t.Fatalf("%d: %s", status, out)
	}
	for _, tt := range []struct {
		text, why string
		args      []string
	}{{" \x1b\n", "empty", nil}, {"!ls", "shell command", nil}} {
		if status, out := f.prompt(tt.text, tt.args...); status != 1 || !strings.Contains(out, tt.why) {
			t.Errorf("%q: %d: %s", tt.text, status, out)
		}
	}
	if status, out := f.prompt("!ls", "--allow-shell"); status != 0 {
		t.Errorf("!ls --allow-shell: %d: %s", status, out)
	}
	var slow sync.WaitGroup
	slow.Go(func() {
		if status, out := f.prompt("Answer SLOWLY"); status != 0 {
			t.Errorf("while others try: %d: %s", status, out)
		}
	})
	f.wait(3)
	if status, out := f.prompt("while it works"); status != 1 ||
		!strings.Contains(out, "is working") && !strings.Contains(out, "another prompt") {
		t.Errorf("while it works: %d: %s", status, out)
	}
	if err := os.WriteFile(f.release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	slow.Wait()
	if status, out := f.prompt("PLEASE ASK me"); status != 3 || !strings.Contains(out, "Would you like to run") {
		t.Errorf("it asks: %d: %s", status, out)
	}
	if status, out := f.prompt("2 while it asks"); status != 3 || !strings.Contains(out, "Would you like to run") {
		t.Errorf("while it asks: %d: %s", status, out)
	}
	if got := f.arrived(); len(got) != 4 {
		t.Errorf("arrived: %+v", got)
	}
}

// TestOfTwoPromptsOneIsSent: of two prompts at once one is sent, and the other is refused.
func TestOfTwoPromptsOneIsSent(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	var sent, refused int
	var mu sync.Mutex
	var both sync.WaitGroup
	for _, text := range []string{"Answer one SLOWLY", "Answer two SLOWLY"} {
		both.Go(func() {
			status, out := f.prompt(text)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case status == 0:
				sent++
			case strings.Contains(out, "another prompt") || strings.Contains(out, "is working"):
				refused++
				_ = os.WriteFile(f.release, nil, 0o600) // the other may end now
			default:
				t.Errorf("%s: %d: %s", text, status, out)
			}
		})
	}
	both.Wait()
	if got := f.arrived(); sent != 1 || refused != 1 || len(got) != 1 {
		t.Errorf("%d sent, %d refused, arrived %+v", sent, refused, got)
	}
}

// TestLostPromptIsNotReportedAsSent: an agent that loses its first prompt gets no 0 for it, and
// takes the next.
func TestLostPromptIsNotReportedAsSent(t *testing.T) {
	t.Parallel()
	f := startFake(t, "LOSES=1")
	if status, out := f.prompt("lost"); status != 1 || !strings.Contains(out, "did not accept") {
		t.Errorf("lost: %d: %s", status, out)
	}
	if status, out := f.ptyrec("", "send", "last", "--keys", "Enter", "--force"); status != 0 {
		t.Errorf("%d: %s", status, out)
	}
	if status, out := f.prompt("taken"); status != 0 {
		t.Errorf("taken: %d: %s", status, out)
	}
	if got := f.arrived(); len(got) != 1 || got[0].Text != "taken" {
		t.Errorf("arrived: %+v", got)
	}
}

// TestPromptInterrupts: --interrupt presses the agent's own key, and says so if there is nothing to
// stop.
func TestPromptInterrupts(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	var slow sync.WaitGroup
	slow.Go(func() {
		if status, out := f.prompt("Answer SLOWLY"); status != 0 {
			t.Errorf("the reply that was stopped: %d: %s", status, out)
		}
	})
	f.wait(1)
	if status, out := f.ptyrec("", "prompt", "last", "--interrupt"); status != 0 {
		t.Errorf("%d: %s", status, out)
	}
	slow.Wait()
	if got := f.arrived(); len(got) != 2 || got[1].Event != "interrupted" {
		t.Errorf("arrived: %+v", got)
	}
	if status, out := f.ptyrec("", "prompt", "last", "--interrupt"); status != 1 || !strings.Contains(out, "not working") {
		t.Errorf("nothing to stop: %d: %s", status, out)
	}
}

// TestPromptSendsCommands: a command that opens a pager over the input box is taken, and one that
// the agent does not know is not, which leaves nothing in the box.
func TestPromptSendsCommands(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	for range 2 { // what was said about the first one says nothing of the second
		if status, out := f.prompt("/frobnicate"); status != 1 || !strings.Contains(out, "does not know the command") {
			t.Errorf("an unknown command: %d: %s", status, out)
		}
	}
	if status, out := f.prompt("/pager"); status != 0 {
		t.Errorf("/pager: %d: %s", status, out)
	}
	if status, out := f.ptyrec("", "send", "last", "q", "--force"); status != 0 {
		t.Errorf("%d: %s", status, out)
	}
	if status, out := f.prompt("taken"); status != 0 {
		t.Errorf("taken: %d: %s", status, out)
	}
	if got := f.arrived(); len(got) != 2 || got[0].Text != "/pager" || got[1].Text != "taken" {
		t.Errorf("arrived: %+v", got)
	}
}
