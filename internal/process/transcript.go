package process

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/session"
)

// keptOutput is how much of a command's output an entry contains, in bytes of its beginning and of
// its end. The raw log has all of it.
const keptOutput = 128 << 10

// Transcript builds the entry for a command from its events.
type Transcript struct {
	session session.Session
	head    []byte
	tail    []byte
	cut     int      // number of lines omitted before tail
	bytes   [3]int64 // of each stream
	exit    *session.Event
	last    time.Duration
	lost    bool // some output was not recorded
	next    [3]int64
}

// NewTranscript returns the transcript of a command before its first event.
func NewTranscript(s session.Session) *Transcript { return &Transcript{session: s} }

// Feed adds the next event.
func (t *Transcript) Feed(e session.Event) {
	t.last = e.At
	switch e.Kind {
	case session.Pipe:
		t.bytes[e.Stream] += int64(len(e.Data))
		text := session.Text(e.Data)
		t.lost = t.lost || e.Text > t.next[e.Stream]
		t.next[e.Stream] = e.Text + int64(len(text))
		t.add(text)
	case session.Exit:
		t.exit = &e
	}
}

// add adds text to the kept beginning or end of the output.
func (t *Transcript) add(text string) {
	if room := keptOutput - len(t.head); room > 0 && len(t.tail) == 0 {
		n := min(room, len(text))
		for n < len(text) && text[n]&0xC0 == 0x80 { // within a character
			n++
		}
		t.head, text = append(t.head, text[:n]...), text[n:]
	}
	t.tail = append(t.tail, text...)
	if len(t.tail) > 2*keptOutput {
		t.shorten()
	}
}

// shorten drops whole lines from the start of the tail until it is short enough.
func (t *Transcript) shorten() {
	from := len(t.tail) - keptOutput
	if from <= 0 {
		return
	}
	if line := strings.IndexByte(string(t.tail[from:]), '\n'); line >= 0 {
		from += line + 1
	}
	t.cut += max(1, strings.Count(string(t.tail[:from]), "\n"))
	t.tail = append(t.tail[:0], t.tail[from:]...)
}

// Entries returns the entries for the events so far.
func (t *Transcript) Entries() []*session.Entry {
	sum := sha256.Sum256([]byte(t.session.ID + "/1"))
	e := &session.Entry{
		ID: hex.EncodeToString(sum[:10]), Seq: 1, Type: session.TypeMessage, Role: session.RoleShell,
		Text: CommandText(t.session.Command), At: t.session.StartedAt, Status: session.StatusStreaming,
		Data: map[string]any{"stdout_bytes": t.bytes[Stdout], "stderr_bytes": t.bytes[Stderr]},
	}
	t.shorten()
	e.Output = strings.TrimRight(ansi.Strip(string(t.head)+string(t.tail)), "\n")
	if t.cut > 0 || t.lost {
		e.OmittedLines = t.cut
		e.Truncate(session.TruncatedMiddle)
	}
	e.Markdown, e.Cwd = e.Text, t.session.Cwd
	if t.exit == nil {
		return []*session.Entry{e}
	}
	e.Status = session.StatusComplete
	seconds, status, end := t.exit.At.Seconds(), t.exit.Status, t.session.StartedAt.Add(t.exit.At)
	e.EndAt, e.Duration, e.ExitStatus = &end, &seconds, &status
	e.Data["exit_code"], e.Data["duration"] = status, seconds
	if len(t.exit.Data) > 0 {
		e.Data["end"] = string(t.exit.Data)
	}
	return []*session.Entry{e}
}
