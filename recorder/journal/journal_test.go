package journal_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var testSession = session.Session{ID: "a-1", Command: []string{"sh"}, Cwd: "/x", Cols: 80, Rows: 24,
	StartedAt: time.Unix(1_800_000_000, 0).UTC()}

func create(t testing.TB, folder string) *journal.Writer {
	t.Helper()
	w, err := journal.Create(journal.Options{Folder: folder, Session: testSession})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = w.Close() })
	return w
}

// someEvents has an event of each kind.
func someEvents() []session.Event {
	return []session.Event{
		{Kind: session.Output, Data: []byte("hello\r\n")},
		{At: 1000, Kind: session.Input, Data: []byte("x")},
		{At: 2000, Kind: session.Resize, Cols: 100, Rows: 30},
		{At: 2000, Kind: session.Output, Data: bytes.Repeat([]byte("0123456789"), 3)},
		{At: 3000, Kind: session.Marker, Data: []byte("mark")},
		{At: 4000, Kind: session.Output},
		{At: 5000, Kind: session.Exit, Status: -7},
	}
}

// written returns the bytes of a journal of events.
func written(t testing.TB, events []session.Event) []byte {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "j")
	w := create(t, folder)
	for _, e := range events {
		w.Put(e)
	}
	if lost, err := w.Close(); lost != 0 || err != nil {
		t.Fatalf("lost %d, %v", lost, err)
	}
	files, err := journal.List(folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("files = %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t testing.TB, data []byte) (*journal.Reader, []journal.Event) {
	t.Helper()
	r, err := journal.NewReader(bytes.NewReader(data), testSession.ID)
	if err != nil {
		t.Fatal(err)
	}
	var events []journal.Event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r, events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

func TestRoundTrip(t *testing.T) {
	want := someEvents()
	r, got := read(t, written(t, want))
	if diff := cmp.Diff(&testSession, r.Session); diff != "" || r.Torn() != 0 {
		t.Errorf("torn %d, session (-want +got):\n%s", r.Torn(), diff)
	}
	offset := int64(0)
	for i, e := range got {
		if diff := cmp.Diff(journal.Event{Number: int64(i), Offset: offset, Event: want[i]}, e); diff != "" {
			t.Errorf("event %d (-want +got):\n%s", i, diff)
		}
		if e.Kind == session.Output {
			offset += int64(len(e.Data))
		}
	}
	if number, end := r.End(); len(got) != len(want) || number != int64(len(want)) || end != offset {
		t.Errorf("%d events, end %d, %d; want %d, %d", len(got), number, end, len(want), offset)
	}
}

// Whatever is cut off, all frames before the cut are read, and what is torn is counted.
func TestCutAnywhere(t *testing.T) {
	data := written(t, someEvents())
	_, want := read(t, data)
	head := bytes.IndexByte(data, '\n') + 1
	for n := range data {
		r, got := read(t, data[:n])
		if diff := cmp.Diff(want[:len(got)], got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", n, diff)
		}
		if r.Session == nil != (n < head) {
			t.Fatalf("cut at %d: session = %v", n, r.Session)
		}
	}
}

// A flipped bit costs one event at most, wherever it is, and no event is read that was not written.
func TestFlipAnywhere(t *testing.T) {
	data := written(t, someEvents())
	_, want := read(t, data)
	for n := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[n] ^= 1 << bit
			_, got := read(t, bad)
			if len(got) < len(want)-1 {
				t.Fatalf("byte %d, bit %d: %d events, want %d at least", n, bit, len(got), len(want)-1)
			}
			for _, e := range got {
				if diff := cmp.Diff(want[e.Number], e); diff != "" {
					t.Fatalf("byte %d, bit %d (-want +got):\n%s", n, bit, diff)
				}
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	data := written(f, someEvents())
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add(data[bytes.IndexByte(data, '\n')+1:])
	f.Add([]byte(`{"format":"ptyrec.journal","version":2}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := journal.NewReader(bytes.NewReader(data), testSession.ID)
		if err != nil {
			return
		}
		last := int64(-1)
		for {
			e, err := r.Next()
			if err != nil {
				return
			}
			if e.Number <= last || len(e.Data) > len(data) {
				t.Fatalf("event %d follows %d, with %d bytes of %d", e.Number, last, len(e.Data), len(data))
			}
			last = e.Number
		}
	})
}

// Others see at once what was settled, and that the journal is written; ReadTail finds its end.
func TestBesideTheWriter(t *testing.T) {
	folder := t.TempDir()
	w := create(t, folder)
	events := someEvents()
	for _, e := range events {
		w.Put(e)
	}
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := journal.List(folder)
	if err != nil || len(files) != 1 || !files[0].IsWritten() {
		t.Fatalf("files = %v, %v", files, err)
	}
	if _, err := files[0].Claim(); !errors.Is(err, journal.ErrInUse) {
		t.Errorf("Claim = %v, want %v", err, journal.ErrInUse)
	}
	f, err := files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tail, err := journal.ReadTail(f, testSession.ID)
	if err != nil || tail.Number != int64(len(events)) || tail.Offset != 37 || tail.Last.Kind != session.Exit ||
		tail.Last.At != 5000 {
		t.Errorf("tail = %+v, %v", tail, err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := files[0].Claim()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files[0].Claim(); !errors.Is(err, journal.ErrInUse) {
		t.Errorf("second Claim = %v, want %v", err, journal.ErrInUse)
	}
	_ = c.Close()
}

// What others put into the folder is not followed, not waited for, and not read.
func TestForeign(t *testing.T) {
	folder, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	if err := os.Chmod(folder, 0o770); err != nil { // others of the group may make links in it
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, written(t, someEvents()), 0o600); err != nil {
		t.Fatal(err)
	}
	for n, make := range []func(path string) error{
		func(path string) error { return os.Symlink(secret, path) },
		func(path string) error { return os.Link(secret, path) },
		func(path string) error { return syscall.Mkfifo(path, 0o600) },
		func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(folder, testSession.ID+"."+string(rune('1'+n))+".journal")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"x.journal", "a.0.journal", "a.01.journal", "../a.1.journal", ".1.journal",
		"a b.1.journal", "a.99999999999999999999.journal"} {
		_ = os.WriteFile(filepath.Join(folder, filepath.Base(name)), nil, 0o600)
	}
	_ = os.Remove(filepath.Join(folder, "a.1.journal"))
	files, err := journal.List(folder)
	if err != nil || len(files) != 4 {
		t.Fatalf("files = %v, %v", files, err)
	}
	for _, file := range files {
		if _, err := file.Open(); !errors.Is(err, journal.ErrForeign) {
			t.Errorf("Open %s = %v, want %v", file.Path, err, journal.ErrForeign)
		}
		if _, err := file.Claim(); err == nil {
			t.Errorf("%s was claimed", file.Path)
		}
	}
	if _, err := journal.Create(journal.Options{Folder: folder, Session: testSession}); err == nil {
		t.Error("a journal was written through a link")
	}
}

// A disk that is full for a while costs nothing; one that is full to the end costs what is said.
func TestDiskFull(t *testing.T) {
	for name, back := range map[string]bool{"for a while": true, "to the end": false} {
		t.Run(name, func(t *testing.T) {
			disk := t.TempDir()
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
				t.Skipf("no small disk: %v", err)
			}
			defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
			filler := filepath.Join(disk, "filler")
			if err := os.WriteFile(filler, make([]byte, 600<<10), 0o600); err != nil {
				t.Fatal(err)
			}
			w := create(t, filepath.Join(disk, "j"))
			data := bytes.Repeat([]byte("x"), 10_000)
			for i := range 80 {
				w.Put(session.Event{At: time.Duration(i), Kind: session.Output, Data: data})
			}
			_ = w.Settle(t.Context())
			if back {
				_ = os.Remove(filler)
			}
			lost, err := w.Close()
			files, _ := journal.List(filepath.Join(disk, "j"))
			text, _ := os.ReadFile(files[0].Path)
			_, events := read(t, text)
			if got := int64(len(events) * len(data)); got+lost != int64(80*len(data)) || !errors.Is(err, syscall.ENOSPC) ||
				(lost == 0) != back {
				t.Errorf("%d bytes can be read, %d are said to be lost of %d: %v", got, lost, 80*len(data), err)
			}
		})
	}
}

// What does not fit into the queue is lost and counted, and leaves a gap in the numbers.
func TestStalledDisk(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	_ = both.Close()
	w := create(t, filepath.Join(folder, "j"))
	journal.Redirect(w, slow) // a pipe takes 64 KiB
	data := make([]byte, 64<<10)
	const events = 300
	for i := range events {
		w.Put(session.Event{At: time.Duration(i), Kind: session.Output, Data: data})
	}
	lost, _ := w.Lost()
	if lost < (events*64-9<<10)<<10 || lost > (events*64-7<<10)<<10 {
		t.Errorf("%d of %d bytes are lost", lost, events*len(data))
	}
	var got bytes.Buffer
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(&got, from)
		_ = from.Close()
	}()
	w.Put(session.Event{At: events, Kind: session.Exit})
	if total, err := w.Close(); total != lost || err == nil {
		t.Errorf("lost %d, %v; want %d", total, err, lost)
	}
	<-copied
	r, err := journal.NewReader(&got, testSession.ID)
	if err != nil {
		t.Fatal(err)
	}
	var last journal.Event
	n := int64(0)
	for ; ; n++ {
		e, err := r.Next()
		if err != nil {
			break
		}
		last = e
	}
	if last.Number != events || last.Offset != int64(events*len(data)) || (n-1)*int64(len(data))+lost != last.Offset {
		t.Errorf("%d events, the last is %d at byte %d", n, last.Number, last.Offset)
	}
}

func BenchmarkPut(b *testing.B) {
	w := create(b, b.TempDir())
	e := session.Event{Kind: session.Output, Data: make([]byte, 4<<10)}
	b.SetBytes(int64(len(e.Data)))
	b.ReportAllocs()
	for b.Loop() {
		w.Put(e)
	}
}
