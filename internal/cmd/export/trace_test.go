package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
)

// list is an event source.
type list []session.Event

func (l *list) Next() (session.Event, error) {
	if len(*l) == 0 {
		return session.Event{}, io.EOF
	}
	e := (*l)[0]
	*l = (*l)[1:]
	return e, nil
}

func recording(events ...session.Event) traced {
	return traced{
		Session: session.Session{ID: "s", Cols: 80, Rows: 6},
		Open: func() (archive.EventSource, func(), error) {
			l := append(list{}, events...)
			return &l, func() {}, nil
		},
	}
}

func output(at time.Duration, text string) session.Event {
	return session.Event{At: at, Kind: session.Output, Data: []byte(text)}
}

// shell is a shell that runs a command, which prints slowly.
func shell() traced {
	return recording(
		output(0, "\x1b]133;A\adev@box:~$ \x1b]133;B\aseq 2\r\n\x1b]133;C\a1\r\n"),
		output(time.Second, "2\r\n\x1b]133;D;0\a\x1b]133;A\adev@box:~$ \x1b]133;B\a"),
		session.Event{At: 2 * time.Second, Kind: session.Exit},
	)
}

func text(t *testing.T, r report, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEntry(t *testing.T) {
	r, err := traceEntry(shell(), 1)
	got := text(t, r, err)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 3 || lines[0] != "#1 shell: seq 2" {
		t.Fatalf("want a title and two changes:\n%s", got)
	}
	for i, want := range [][]string{
		{"new ", `rule "shell prompt"`, "rows 1-3 ", "lines 1-3 of document 1", "placed: as the terminal scrolled",
			`"seq 2"`},
		{"details ", "rows 1-3 ", "changed: status, output, exit_status"},
	} {
		for _, w := range want {
			if !strings.Contains(lines[i+1], w) {
				t.Errorf("change %d lacks %q: %s", i, w, lines[i+1])
			}
		}
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var h struct {
		Seq     int
		Changes []struct {
			Change string
			Rows   struct{ First, Last int }
			Fields []string
		}
	}
	if err := json.Unmarshal(b.Bytes(), &h); err != nil {
		t.Fatal(err)
	}
	if h.Seq != 1 || len(h.Changes) != 2 || h.Changes[1].Rows.Last != 3 || len(h.Changes[1].Fields) != 3 {
		t.Errorf("JSON: %s", b.String())
	}
}

func TestScreen(t *testing.T) {
	r, err := traceScreen(shell(), time.Second+500*time.Millisecond)
	got := text(t, r, err)
	for _, want := range []string{
		": shell, document 1\n", "placed: as the terminal scrolled\n",
		"   1      1     #1 shell      shell prompt             |dev@box:~$ seq 2\n",
		"   3      3     #1 shell      shell prompt             |2\n",
		"   4      4        -                                   |dev@box:~$\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	// A program that is not known has the alternate screen: nothing is read off it.
	r, err = traceScreen(recording(output(0, "\x1b[?1049hhello"), output(time.Second, " world")), time.Minute)
	if got := text(t, r, err); !strings.Contains(got, "not read: no known agent is on the alternate screen\n") ||
		!strings.Contains(got, "|hello world\n") {
		t.Errorf("an unknown program:\n%s", got)
	}
}

// TestScreenResized shows a frame that is not read, since the window was resized just before.
func TestScreenResized(t *testing.T) {
	r := recording(
		output(0, "\x1b[?1049hbefore"),
		session.Event{At: time.Second, Kind: session.Resize, Cols: 60, Rows: 6},
		output(1100*time.Millisecond, "\r\nafter"),
		output(2*time.Second, "\r\nmore"),
	)
	report, err := traceScreen(r, 1200*time.Millisecond)
	got := text(t, report, err)
	for _, want := range []string{"at 1.100s", "not read: the program has not drawn for the new size yet", "|after"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestErrors(t *testing.T) {
	var missing *archive.MissingError
	if _, err := traceEntry(shell(), 9); !errors.As(err, &missing) || missing.Seq != 9 {
		t.Errorf("a number that is not there: %v", err)
	}
	if _, err := traceScreen(recording(), 0); !errors.Is(err, errNoFrame) {
		t.Errorf("no output: %v", err)
	}
	piped := shell()
	piped.Session.Process = "p"
	if _, err := traceEntry(piped, 1); !errors.Is(err, errPiped) {
		t.Errorf("a command without a terminal: %v", err)
	}
	broken := shell()
	broken.Open = func() (archive.EventSource, func(), error) { return nil, nil, io.ErrUnexpectedEOF }
	if _, err := traceScreen(broken, 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a raw log that cannot be opened: %v", err)
	}
}
