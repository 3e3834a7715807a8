package recorder_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/recorder"
	"github.com/ptyrec/ptyrec/session"
)

// memoryLog is a Log in memory.
type memoryLog struct {
	mu     sync.Mutex // guards events
	events []session.Event
	grown  sync.Cond // signals each event to await
}

func (l *memoryLog) Put(e session.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Data = bytes.Clone(e.Data)
	l.events = append(l.events, e)
	l.grown.Broadcast()
}

// await waits until the output that the log holds has text at or after byte from. It returns the
// end of text.
func (l *memoryLog) await(text string, from int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.grown.L = &l.mu
	for {
		if out := l.output(); from <= len(out) {
			if i := bytes.Index(out[from:], []byte(text)); i >= 0 {
				return from + i + len(text)
			}
		}
		l.grown.Wait()
	}
}

func (l *memoryLog) Settle(context.Context) error { return nil }
func (l *memoryLog) Close() (int64, error)        { return 0, nil }

func (l *memoryLog) Replay(_ context.Context, from int64, fn func(int64, session.Event) error) error {
	l.mu.Lock()
	events := l.events[from:]
	l.mu.Unlock()
	for i, e := range events {
		if err := fn(from+int64(i), e); err != nil {
			return err
		}
	}
	return nil
}

// output is all that the child wrote, as the log has it.
func (l *memoryLog) output() []byte {
	var b []byte
	for _, e := range l.events {
		if e.Kind == session.Output {
			b = append(b, e.Data...)
		}
	}
	return b
}

type outcome struct {
	recorder.Result
	err error
}

// start runs a recording on u's terminal.
func start(ctx context.Context, u *ptytest.User, o recorder.Options) <-chan outcome {
	o.Stdin, o.Stdout = u.TTY, u.TTY
	done := make(chan outcome, 1)
	go func() {
		result, err := recorder.Run(ctx, o)
		done <- outcome{result, err}
	}()
	return done
}

func TestRunStatus(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script string
		status int
	}{
		{"success", "exit 0", 0},
		{"failure", "exit 3", 3},
		{"signal", "kill -TERM $$", 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := ptytest.New(t)
			got := <-start(t.Context(), u, recorder.Options{Command: []string{"sh", "-c", tt.script}})
			if got.err != nil || got.Status != tt.status {
				t.Errorf("status = %d, %v; want %d", got.Status, got.err, tt.status)
			}
		})
	}
}

func TestRunCannotStart(t *testing.T) {
	plain := t.TempDir() + "/plain"
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"no-such-command-here": 127, plain: 126, t.TempDir(): 126} {
		u := ptytest.New(t)
		got := <-start(t.Context(), u, recorder.Options{Command: []string{name}})
		var start *sys.StartError
		if !errors.As(got.err, &start) || start.Status != want {
			t.Errorf("%s: error = %v, want status %d", name, got.err, want)
		}
	}
}

func TestRunOutputIsWhole(t *testing.T) {
	for range 20 {
		u := ptytest.New(t)
		log := &memoryLog{}
		got := <-start(t.Context(), u, recorder.Options{
			Command: []string{"sh", "-c", "stty raw; head -c 1000000 /dev/zero; printf the-end"}, Log: log,
		})
		if got.err != nil || got.Status != 0 || got.LogErr != nil {
			t.Fatalf("result = %+v", got)
		}
		u.Await(t, "the-end")
		if n := len(log.output()); n != 1000007 {
			t.Fatalf("the log has %d bytes, want 1000007", n)
		}
	}
}

func TestRunPassesKeys(t *testing.T) {
	u := ptytest.New(t)
	log := &memoryLog{}
	done := start(t.Context(), u, recorder.Options{Command: []string{"sh", "-c",
		"printf ready; read line; echo got-$line"}, Log: log})
	u.Await(t, "ready")
	u.Type(t, "hello\r")
	u.Await(t, "got-hello")
	if got := <-done; got.Status != 0 {
		t.Errorf("result = %+v", got)
	}
}

// A child that does not heed its end is killed.
func TestRunKills(t *testing.T) {
	u := ptytest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := start(ctx, u, recorder.Options{
		Command:   []string{"sh", "-c", "trap '' TERM HUP; echo ready; while :; do sleep 0.05; done"},
		KillAfter: 100 * time.Millisecond,
	})
	u.Await(t, "ready")
	cancel()
	if got := <-done; got.Status != 128+9 {
		t.Errorf("status = %d, want %d", got.Status, 128+9)
	}
}

// collector is an Index in memory.
type collector struct {
	entries map[string]*session.Entry
	fault   bool
}

func (c *collector) Put(_ context.Context, u recorder.Update) error {
	if c.fault {
		panic("a fault")
	}
	for _, e := range u.Entries {
		c.entries[e.ID] = e
	}
	for _, id := range u.Gone {
		delete(c.entries, id)
	}
	return nil
}

// busyIndex cannot store the first updates.
type busyIndex struct {
	left int
	put  chan recorder.Update
}

func (i *busyIndex) Put(_ context.Context, u recorder.Update) error {
	i.put <- u
	if i.left--; i.left >= 0 {
		return session.ErrBusy
	}
	return nil
}

// An index that could not store an update is called again, although the command writes nothing
// more.
func TestIndexIsCalledAgain(t *testing.T) {
	u := ptytest.New(t)
	index := &busyIndex{left: 2, put: make(chan recorder.Update, 100)}
	prompt := `printf '\033]133;A\007$ \033]133;B\007ls\033]133;C\007\r\none\r\n\033]133;D;0\007\033]133;A\007$ ` +
		`\033]133;B\007'`
	done := start(t.Context(), u, recorder.Options{Command: []string{"sh", "-c", "stty -echo; " + prompt + "; read x"},
		Log: &memoryLog{}, Index: index})
	entries := 0
	for calls := range 3 {
		select {
		case put := <-index.put:
			entries += len(put.Entries)
		case <-time.After(time.Minute):
			t.Fatalf("the index was called %d times, want 3", calls)
		}
	}
	if entries == 0 {
		t.Error("no update has an entry")
	}
	u.Type(t, "\r")
	<-done
}

// The indexer falls behind a burst, reads on from the log, and ends where a replay of the log
// ends.
func TestRunCatchesUp(t *testing.T) {
	u := ptytest.New(t)
	log, index := &memoryLog{}, &collector{entries: map[string]*session.Entry{}}
	started := time.Now()
	command := []string{"sh", "-c", "seq 1 400000; echo the-end"}
	got := <-start(t.Context(), u, recorder.Options{
		Command: command, SessionID: "s", Started: started, Log: log, Index: index, CatchUp: time.Minute,
	})
	if got.err != nil || got.LogErr != nil || got.IndexErr != nil || got.Behind {
		t.Fatalf("result = %+v", got)
	}
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 24, Started: started, SessionID: "s",
		Command: command})
	for _, e := range log.events {
		p.Feed(e)
	}
	p.Close(log.events[len(log.events)-1].At)
	if len(index.entries) != len(p.Entries()) {
		t.Errorf("%d entries, a replay has %d", len(index.entries), len(p.Entries()))
	}
	for _, want := range p.Entries() {
		e := index.entries[want.ID]
		if e == nil || e.Text != want.Text || e.Output != want.Output {
			t.Errorf("entry %s differs from that of a replay", want.ID)
		}
	}
}

// A fault behind the tee does not reach the child.
func TestRunSurvivesFault(t *testing.T) {
	u := ptytest.New(t)
	log := &memoryLog{}
	got := <-start(t.Context(), u, recorder.Options{
		Command: []string{"sh", "-c", "echo hello; sleep 0.4; echo the-end; exit 4"}, Log: log,
		Index: &collector{fault: true},
	})
	if got.Status != 4 || got.IndexErr == nil || got.LogErr != nil || !got.Behind {
		t.Errorf("result = %+v", got)
	}
	if !bytes.Contains(log.output(), []byte("the-end")) {
		t.Errorf("log = %q", log.output())
	}
}
