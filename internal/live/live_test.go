//go:build linux

package live_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/vterm"
)

func TestMain(m *testing.M) {
	if job := os.Getenv("LIVE_READERS"); job != "" {
		if err := readers(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func TestAViewerSeesTheScreenAndWhatFollows(t *testing.T) {
	r := start(t, "sh", "-c", `printf '\033[1mhello\033[m\r\n'; read x; echo "got $x"; exit 3`)
	r.user.Await(t, "hello")
	p := r.attach(protocol.Attach{Name: "test", Kind: protocol.Human, Mode: protocol.ModeScreen})
	if p.hello.Cols != 80 || p.hello.Rows != 24 || p.hello.Version != protocol.Version {
		t.Errorf("hello: %+v", p.hello)
	}
	s, err := p.await(protocol.TypeSnapshot).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	term := vterm.New(vterm.Options{Cols: s.Cols, Rows: s.Rows})
	_, _ = term.Write(s.Data)
	r.user.Type(t, "abc\r")
	rest, exited := p.bytes(s.Seq)
	if !exited || !bytes.Contains(rest, []byte("got abc")) {
		t.Errorf("exited %v behind %q", exited, rest)
	}
	r.wait()
	all := r.log.output()
	if !bytes.Equal(all[s.Seq:], rest) {
		t.Errorf("got %q, the log has %q", rest, all)
	}
	want := vterm.New(vterm.Options{Cols: 80, Rows: 24})
	_, _ = want.Write(all[:s.Seq]) // the user's terminal may have more than was there to attach to
	if diff := cmp.Diff(want.Snapshot().Lines, term.Snapshot().Lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAViewerOfBytesGetsThemAll(t *testing.T) {
	r := start(t, "sh", "-c", "seq 1 400000; echo over; read x")
	r.user.Await(t, "over")
	p := r.attach(protocol.Attach{Kind: protocol.Human, Mode: protocol.ModeBytes})
	r.user.Type(t, "\r")
	got, exited := p.bytes(0)
	r.wait()
	if want := r.log.output(); !exited || !bytes.Equal(got, want) {
		t.Errorf("exited %v, %d bytes, the log has %d", exited, len(got), len(want))
	}
}
