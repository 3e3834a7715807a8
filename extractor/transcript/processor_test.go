package transcript_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

// longTests reports whether make soak runs the tests.
var longTests = os.Getenv("PTYREC_LONG_TESTS") != ""

// options returns the options of a Processor for a recording.
func options(h cast.Header) transcript.ProcessorOptions {
	return transcript.ProcessorOptions{Cols: h.Cols, Rows: h.Rows, Started: h.Timestamp, SessionID: "s",
		Command: strings.Fields(h.Command)}
}

func processor(h cast.Header) *transcript.Processor { return transcript.NewProcessor(options(h)) }

// process runs events through a Processor; tick is called before each event, as a live recorder's
// clock would.
func process(h cast.Header, events []session.Event,
	tick func(p *transcript.Processor, from, to time.Duration)) []*session.Entry {
	p := processor(h)
	var last time.Duration
	for _, e := range events {
		if tick != nil {
			tick(p, last, e.At)
		}
		p.Feed(e)
		last = e.At
	}
	p.Close(last)
	return p.Entries()
}

// TestCutting checks that the same bytes, cut otherwise into events of the same times, give the
// same log (F17): each recording cut into pieces of one length, and of ten lengths drawn at random
// in long tests.
func TestCutting(t *testing.T) {
	t.Parallel()
	sizes := []int{3, 20, 60, 150}
	for i, path := range inShort(t, fixtureCasts(t), 24) {
		sameCut(t, path, sizes[i%len(sizes)])
		if longTests {
			for range 10 {
				sameCut(t, path, 1+rand.IntN(200))
			}
		}
	}
}

// TestCutFrame cuts a recording in which a frame ends in an event of its own, after the agent's
// state was due: the state has the offset behind the whole event, whatever the pieces.
func TestCutFrame(t *testing.T) {
	path := "../../testdata/transcripts/codex/0.169.0-storm/session.cast.gz"
	for _, size := range []int{1, 2, 3, 7} {
		sameCut(t, path, size)
	}
}

// sameCut checks that a recording cut into pieces of some bytes has its golden transcript.
func sameCut(t *testing.T, path string, size int) {
	t.Helper()
	r := readFixture(t, path)
	want, err := os.ReadFile(filepath.Join(filepath.Dir(path), "transcript.golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	entries := transcribe(r.header, recut(r.events, size))
	got, err := encode(entries)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: log cut into %d bytes (-want +got):\n%s", path, size, cmp.Diff(r.entries(), entries))
	}
}

// TestLiveIsReplay checks that a clock that ticks while nothing is written changes nothing (F17).
func TestLiveIsReplay(t *testing.T) {
	t.Parallel()
	for _, path := range inShort(t, fixtureCasts(t), 12) {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			r := readFixture(t, path)
			h, events := r.header, r.events
			want := r.entries()
			got := process(h, events, func(p *transcript.Processor, from, to time.Duration) {
				for at := from + 50*time.Millisecond; at < to; at += 50 * time.Millisecond {
					p.Tick(at)
					p.Changes()
				}
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("log of the live session (-replay +live):\n%s", diff)
			}
			due := process(h, events, func(p *transcript.Processor, _, to time.Duration) {
				for at, ok := p.Due(); ok && at < to; at, ok = p.Due() {
					p.Tick(at)
					p.Changes()
				}
			})
			if diff := cmp.Diff(want, due); diff != "" {
				t.Errorf("log of a live session that ticks when Due says (-replay +live):\n%s", diff)
			}
		})
	}
}

// TestStateIsKnownWhenDue: an agent's state is known when Due says, with no event behind it.
func TestStateIsKnownWhenDue(t *testing.T) {
	t.Parallel()
	for _, path := range inShort(t, fixtureCasts(t), 12) {
		r := readFixture(t, path)
		p := processor(r.header)
		for _, e := range r.events {
			p.Feed(e)
		}
		for at, ok := p.Due(); ok; at, ok = p.Due() {
			if most := p.LastOutput() + time.Second; at > most {
				t.Fatalf("%s: due at %v, after %v", path, at, most)
			}
			p.Tick(at)
		}
		before := p.State()
		if p.Tick(p.LastOutput() + time.Minute); p.State() != before {
			t.Errorf("%s: %q, a minute later %q", path, before, p.State())
		}
	}
}

// TestForgetIsReplay checks that a log which lets go of what it has told tells the same as one that
// keeps all. Every fourth recording is played twice in a row, in long tests each one.
func TestForgetIsReplay(t *testing.T) {
	t.Parallel()
	for i, path := range inShort(t, fixtureCasts(t), 12) {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			r := readFixture(t, path)
			events := r.events
			want, title := r.log()
			if i%4 == 0 || longTests {
				events = slices.Concat(events, later(events))
				whole := replay(r.header, events, nil)
				want, title = whole.Entries(), whole.Title()
			}
			told := map[string]session.Entry{}
			got := replay(r.header, events, func(p *transcript.Processor) { follow(p, told) })
			for _, w := range want {
				if diff := cmp.Diff(*w, told[w.ID]); diff != "" {
					t.Fatalf("entry %d (-kept +told):\n%s", w.Seq, diff)
				}
			}
			if len(told) != len(want) {
				t.Errorf("%d entries were told, %d are in the log", len(told), len(want))
			}
			if got.Title() != title {
				t.Errorf("title %q, want %q", got.Title(), title)
			}
		})
	}
}

// replay runs events through a Processor. each, if set, is called after every event and at the end.
func replay(h cast.Header, events []session.Event, each func(p *transcript.Processor)) *transcript.Processor {
	p := processor(h)
	for _, e := range events {
		p.Feed(e)
		if each != nil {
			each(p)
		}
	}
	p.Close(events[len(events)-1].At)
	if each != nil {
		each(p)
	}
	return p
}

// follow does what an index does with what it is told.
func follow(p *transcript.Processor, told map[string]session.Entry) {
	changed, gone := p.Changes()
	p.Forget()
	for _, id := range gone {
		delete(told, id)
	}
	for _, e := range changed {
		told[e.ID] = *e
	}
}

// later returns the same events, at later times.
func later(events []session.Event) []session.Event {
	by := events[len(events)-1].At + 2*time.Second
	out := slices.DeleteFunc(slices.Clone(events), func(e session.Event) bool { return e.Kind == session.Exit })
	for i := range out {
		out[i].At += by
	}
	return out
}

// TestDayIsFlat checks that what a day of an agent leaves in memory does not grow with it: one
// recording after another, and no more entries are kept than one of them has.
func TestDayIsFlat(t *testing.T) {
	path := fixtureCasts(t)[0]
	r := readFixture(t, path)
	h, events := r.header, r.events
	once := len(r.entries())
	told := map[string]session.Entry{}
	most := 0
	var day []session.Event
	for range 50 {
		day = append(day, events...)
		events = later(events)
	}
	replay(h, day, func(p *transcript.Processor) {
		follow(p, told)
		most = max(most, len(p.Entries()))
	})
	if most > 2*once || len(told) < 40*once {
		t.Errorf("%d of %d entries are kept, one recording has %d", most, len(told), once)
	}
}

// recut cuts the output into pieces of n bytes.
func recut(events []session.Event, n int) []session.Event {
	pieces := len(events)
	for _, e := range events {
		pieces += len(e.Data) / n
	}
	out := make([]session.Event, 0, pieces)
	for _, e := range events {
		for e.Kind == session.Output && len(e.Data) > n {
			piece := e
			piece.Data, e.Data = e.Data[:n], e.Data[n:]
			out = append(out, piece)
		}
		out = append(out, e)
	}
	return out
}

// inShort returns some of the paths in short mode, else all: it is for the race detector, which is
// slow, and one goroutine after the other works on each.
func inShort(t testing.TB, paths []string, n int) []string {
	if !testing.Short() {
		return paths
	}
	t.Logf("%d of %d recordings in short mode", n, len(paths))
	return some(t, paths, n)
}

// some returns at most n of the paths, spread evenly.
func some(t testing.TB, paths []string, n int) []string {
	t.Helper()
	if len(paths) <= n {
		return paths
	}
	var out []string
	for i := range n {
		out = append(out, paths[i*len(paths)/n])
	}
	return out
}

// TestLongOutput checks that what a command prints without end is forgotten in time, and what
// follows is read.
func TestLongOutput(t *testing.T) {
	var events []session.Event
	at := time.Duration(0)
	write := func(s string) {
		events = append(events, session.Event{At: at, Kind: session.Output, Data: []byte(s)})
		at += 300 * time.Millisecond
	}
	write("dev@box:~$ ")
	write("count\r\n")
	for i := range 100 {
		var b strings.Builder
		for j := range 600 {
			fmt.Fprintf(&b, "line %d\r\n", i*600+j)
		}
		write(b.String())
	}
	write("dev@box:~$ ")
	write("echo hi\r\nhi\r\ndev@box:~$ ")
	var got []string
	for _, e := range process(cast.Header{Cols: 80, Rows: 24}, events, nil) {
		if e.Role == session.RoleShell {
			first, _, _ := strings.Cut(e.Output, "\n")
			got = append(got, e.Text, first)
		}
	}
	if diff := cmp.Diff([]string{"count", "line 0", "echo hi", "hi"}, got); diff != "" {
		t.Errorf("shell entries (-want +got):\n%s", diff)
	}
}

// TestExitIsLast checks that the child's end is the last entry, behind the end of an agent that ran
// until then.
func TestExitIsLast(t *testing.T) {
	path := fixtureCasts(t)[0]
	r := readFixture(t, path)
	h, events := r.header, r.events[:len(r.events)/2] // in the midst of a conversation
	events = append(slices.Clip(events), session.Event{Kind: session.Exit, At: events[len(events)-1].At, Status: 7})
	var tail []string
	for _, e := range process(h, events, nil) {
		if e.Type == session.TypeEvent {
			tail = append(tail, e.Event)
		}
	}
	if n := len(tail); n < 2 || tail[n-2] != session.EventCLIExit || tail[n-1] != session.EventExit {
		t.Errorf("%s: the events are %q", path, tail)
	}
}

// TestShellEndsWithItsCommand checks that the command which ended a shell is over, and that one is
// not in which the recording was cut off.
func TestShellEndsWithItsCommand(t *testing.T) {
	h := cast.Header{Cols: 80, Rows: 24}
	var events []session.Event
	write := func(text string) {
		events = append(events, session.Event{At: time.Duration(len(events)+1) * time.Second, Kind: session.Output,
			Data: []byte(text)})
	}
	write("me@host:~$ ")
	write("echo hi\r\nhi\r\nme@host:~$ ")
	write("exit 3\r\nexit\r\n")
	statuses := func(events []session.Event) (out []string) {
		for _, e := range process(h, events, nil) {
			if e.Role == session.RoleShell {
				out = append(out, e.Text+": "+e.Status)
			}
		}
		return out
	}
	if diff := cmp.Diff([]string{"echo hi: complete", "exit 3: partial"}, statuses(events)); diff != "" {
		t.Errorf("cut off (-want +got):\n%s", diff)
	}
	events = append(events, session.Event{At: 4 * time.Second, Kind: session.Exit, Status: 3})
	if diff := cmp.Diff([]string{"echo hi: complete", "exit 3: complete"}, statuses(events)); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
}

// TestTitleIsWhole: titles were cut at 80 characters in the data.
func TestTitleIsWhole(t *testing.T) {
	want := "echo " + strings.Repeat("a long command line ", 12) + "ends"
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 400, Rows: 24})
	p.Feed(session.Event{Kind: session.Output, Data: []byte("me@host:~$ " + want + "\r\nout\r\nme@host:~$ ")})
	p.Close(time.Second)
	if got := p.Title(); got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}

// TestTitleSays looks for the first command that says something.
func TestTitleSays(t *testing.T) {
	for _, tt := range []struct{ commands, want string }{
		{"clear|cd work|ls -l|make test|make", "make test"},
		{"cd work|exit", "cd work"},
		{"cd work && make|make test", "cd work && make"},
		{"source venv/bin/activate|export A=1|pytest -q|exit", "pytest -q"},
		{"A=1|A=1 B='x' make|exit", "A=1 B='x' make"},
		{"sudo ls|sudo apt install zsh", "sudo apt install zsh"},
		{". ./env; cd x|/bin/ls|ls | wc -l", "ls | wc -l"},
		{"./a=b/run|make", "./a=b/run"},
		{"clear|cd", "clear"},
	} {
		p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 24})
		out := "me@host:~$ "
		for c := range strings.SplitSeq(strings.ReplaceAll(tt.commands, " | ", " \x00 "), "|") {
			out += strings.ReplaceAll(c, "\x00", "|") + "\r\nout\r\nme@host:~$ "
		}
		p.Feed(session.Event{Kind: session.Output, Data: []byte(out)})
		p.Close(time.Second)
		if got := p.Title(); got != tt.want {
			t.Errorf("%s: title %q, want %q", tt.commands, got, tt.want)
		}
	}
}

// TestClearCommand reads the command that erases the screen, however the terminal's description
// says it: it was on the screen before.
func TestClearCommand(t *testing.T) {
	for _, erase := range []string{"\x1b[H\x1b[2J\x1b[3J", "\x1b[H\x1b[J\x1b[3J", "\x1b[H\x1b[J"} {
		var events []session.Event
		at := time.Duration(0)
		for _, data := range []string{"user@box:~/shop$ ", "ls", "\r\nmain.go\r\nuser@box:~/shop$ ", "clear", "\r\n", erase,
			"\ruser@box:~/shop$ ", "pwd", "\r\n/shop\r\nuser@box:~/shop$ "} {
			if at += time.Millisecond; data != erase && data[0] != '\r' { // those come at once
				at += 400 * time.Millisecond
			}
			events = append(events, session.Event{At: at, Kind: session.Output, Data: []byte(data)})
		}
		var got []string
		for _, e := range process(cast.Header{Cols: 80, Rows: 24}, events, nil) {
			if e.Role == session.RoleShell || e.Event == session.EventScreenRefresh {
				got = append(got, e.Text+e.Event)
			}
		}
		if diff := cmp.Diff([]string{"ls", session.EventScreenRefresh, "clear", "pwd"}, got); diff != "" {
			t.Errorf("%q: entries (-want +got):\n%s", erase, diff)
		}
	}
}
