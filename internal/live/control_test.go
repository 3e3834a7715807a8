//go:build linux

package live_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/protocol"
)

func request(a protocol.Action) protocol.ControlRequest {
	return protocol.ControlRequest{ID: 1, Action: a}
}

func TestProgramsAreRefusedWithoutAGrant(t *testing.T) {
	f := newFake(t, live.Options{})
	p := f.attach(agent(protocol.ModeNone))
	if got := p.types("rm -rf x\r"); got != protocol.CodeNoControl {
		t.Errorf("typing: %s", got)
	}
	if got := p.ask(protocol.TypeRequest, request(protocol.Take)); got != protocol.CodeNoControl {
		t.Errorf("taking control: %s", got)
	}
	for _, a := range []protocol.Action{protocol.Allow, protocol.Revoke} {
		if got := p.ask(protocol.TypeRequest, request(a)); got != protocol.CodeNotAllowed {
			t.Errorf("%s: %s", a, got)
		}
	}
	if got := p.ask(protocol.TypeSize, protocol.SizeRequest{Cols: 80, Rows: 24}); got != protocol.CodeNoControl {
		t.Errorf("resizing: %s", got)
	}
	if got := p.ask(protocol.TypeKill, protocol.Kill{Signal: 9}); got != protocol.CodeNoControl {
		t.Errorf("killing: %s", got)
	}
	sizes, sigs, _ := f.asked()
	if got := f.got(); got != "" || len(f.marks()) > 0 || len(sizes) > 0 || len(sigs) > 0 {
		t.Errorf("the command got %q, the log %q, sizes %v, signals %v", got, f.marks(), sizes, sigs)
	}
}

func TestProgramTypesWithAGrant(t *testing.T) {
	f := newFake(t, live.Options{})
	user, p := f.attach(human("me", protocol.ModeNone)), f.attach(agent(protocol.ModeNone))
	if got := user.ask(protocol.TypeRequest, request(protocol.Allow)); got != "done" {
		t.Fatal(got)
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	if got := p.types(string(all)); got != "done" {
		t.Fatal(got)
	}
	if got := p.types("ls\r"); got != "done" {
		t.Fatal(got)
	}
	if got := f.got(); got != string(all)+"ls\r" {
		t.Errorf("the command got %q", got)
	}
	marks := f.marks()
	want := []string{"control:grant me agent", "control:input robot agent " + strings.ToValidUTF8(string(all), "\uFFFD"),
		"control:input robot agent ls\r"}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTypedPasswordIsNotRecorded(t *testing.T) {
	f := newFake(t, live.Options{})
	f.set(func() { f.secret = true })
	p := f.attach(protocol.Attach{Name: "me", Kind: protocol.Human, Mode: protocol.ModeNone, Control: true})
	if got := p.types("hunter2\r"); got != "done" || f.got() != "hunter2\r" {
		t.Errorf("%s, the command got %q", got, f.got())
	}
	if diff := cmp.Diff([]string{"control:grant me human", "control:input me human secret"}, f.marks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a viewer is told behind its Hello is newer: it has control from the beginning.
func TestControlFromTheBeginning(t *testing.T) {
	f := newFake(t, live.Options{})
	p := f.attach(protocol.Attach{Name: "me", Kind: protocol.Human, Mode: protocol.ModeNone, Control: true})
	f.attach(human("other", protocol.ModeNone))
	if c := p.control(); c.Reason != "other came" || !c.Viewers[0].Control {
		t.Errorf("first it was told %+v", c)
	}
}

// Keys that end the session are acknowledged before its end.
func TestKeysThatEndTheSession(t *testing.T) {
	for _, mode := range []protocol.Mode{protocol.ModeNone, protocol.ModeBytes, protocol.ModeScreen, protocol.ModeText} {
		f := newFake(t, live.Options{})
		p := f.attach(protocol.Attach{Name: "me", Kind: protocol.Human, Mode: mode, Control: true})
		f.set(func() { f.dies = true })
		if got := p.types("\x04"); got != "done" {
			t.Errorf("%s: %s", mode, got)
		}
		p.await(protocol.TypeExit)
	}
}

func TestCtrlBackslashRevokesAnywhereInTheInput(t *testing.T) {
	for _, key := range []string{"\x1c", "\x1b[92;5u", "\x1b[92;5:1u", "\x1b[92:124;133u", "\x1b[27;5;92~"} {
		for _, around := range [][2]string{{"", ""}, {"abc", ""}, {"", "xyz"}, {"a\x1b[A", "\x1b[92;6uz"}} {
			text := around[0] + key + around[1]
			for cut := range len(text) {
				f := newFake(t, live.Options{})
				user := f.attach(human("me", protocol.ModeNone))
				if got := user.ask(protocol.TypeRequest, request(protocol.Allow)); got != "done" {
					t.Fatal(got)
				}
				first, _ := f.types(text[:cut])
				second, _ := f.types(text[cut:])
				rest, _ := f.types("")
				if got := first + second + rest; got != around[0]+around[1] {
					t.Errorf("%q cut at %d: the command got %q", text, cut, got)
				}
				for user.control().Grant != nil {
				}
				if got := f.marks(); len(got) != 2 || got[1] != "control:revoke terminal" {
					t.Errorf("%q cut at %d: the log has %q", text, cut, got)
				}
				if _, _, notes := f.asked(); len(notes) < 2 || !strings.Contains(notes[1], "taken back") {
					t.Errorf("the user was told %q", notes)
				}
				f.end()
			}
		}
	}
}

func TestSimilarKeysArePassedOn(t *testing.T) {
	f := newFake(t, live.Options{})
	user := f.attach(human("me", protocol.ModeNone))
	user.ask(protocol.TypeRequest, request(protocol.Allow))
	keys := "\x1b[92u\x1b[92;1u\x1b[92;6u\x1b[92;7u\x1b[93;5u\x1b[27;5;93~\x1b[27;6;92~\x1b[920;" +
		"5u\x1bOA\x1b\x1b[A\x1b[200~paste\x1b[201~\x1b"
	for cut := range len(keys) + 1 {
		a, _ := f.types(keys[:cut])
		b, _ := f.types(keys[cut:])
		c, _ := f.types("")
		if a+b+c != keys {
			t.Errorf("cut at %d: %q", cut, a+b+c)
		}
	}
	if _, wait := f.types("\x1b["); wait == 0 {
		t.Error("the beginning of a sequence is held for ever")
	}
	if got, wait := f.types(""); got != "\x1b[" || wait != 0 {
		t.Errorf("held back: %q, %v", got, wait)
	}
	if got := f.marks(); len(got) != 1 {
		t.Errorf("the log has %q", got)
	}
}

func TestRevokeStopsTyping(t *testing.T) {
	f := newFake(t, live.Options{})
	f.set(func() { f.stuck = true })
	user, p := f.attach(human("me", protocol.ModeNone)), f.attach(agent(protocol.ModeNone))
	user.ask(protocol.TypeRequest, request(protocol.Allow))
	p.write(protocol.Input(1, []byte("long text\r")))
	testkit.Eventually(t, "it is being typed", func() bool { return len(f.marks()) >= 2 })
	if pass, _ := f.types("\x1c"); pass != "" {
		t.Errorf("passed on %q", pass)
	}
	if got := p.answer(); got != protocol.CodeNoControl {
		t.Errorf("got %s", got)
	}
}

func TestProgramStillSeesAfterARevoke(t *testing.T) {
	f := newFake(t, live.Options{})
	user, p := f.attach(human("me", protocol.ModeNone)), f.attach(agent(protocol.ModeText))
	user.ask(protocol.TypeRequest, request(protocol.Allow))
	f.types("\x1c")
	if got := p.types("x"); got != protocol.CodeNoControl {
		t.Errorf("typing: %s", got)
	}
	f.output("still here")
	for p.screen().Lines[0] != "still here" {
	}
}

func TestGrantIsRenewedAndEnds(t *testing.T) {
	f := newFake(t, live.Options{})
	user, p := f.attach(human("me", protocol.ModeNone)), f.attach(agent(protocol.ModeNone))
	user.ask(protocol.TypeRequest, request(protocol.Allow))
	f.types("\x1c")
	r := request(protocol.Allow)
	r.For = 30 * time.Millisecond
	if got := user.ask(protocol.TypeRequest, r); got != "done" {
		t.Fatal(got)
	}
	limited := false
	for {
		c := p.control()
		limited = limited || c.Grant != nil && c.Grant.Until != nil
		if limited && c.Grant == nil {
			break
		}
	}
	if got := p.types("x"); got != protocol.CodeNoControl {
		t.Errorf("typing: %s", got)
	}
	marks := f.marks()
	if got := marks[len(marks)-1]; got != "control:revoke time agent" {
		t.Errorf("the log ends in %q", got)
	}
}

func TestCtrlBackslashWithoutControlIsTheCommands(t *testing.T) {
	f := newFake(t, live.Options{})
	p := f.attach(agent(protocol.ModeText))
	p.screen()
	if pass, wait := f.types("a\x1cb\x1b"); pass != "a\x1cb\x1b" || wait != 0 {
		t.Errorf("passed on %q, wait %v", pass, wait)
	}
	if _, _, notes := f.asked(); len(f.marks())+len(notes) > 0 {
		t.Errorf("the log has %q, the user was told %q", f.marks(), notes)
	}
}

func TestWhoMayTypeAndWhoDid(t *testing.T) {
	f := newFake(t, live.Options{})
	me := f.attach(protocol.Attach{Name: "web", Kind: protocol.Human, Mode: protocol.ModeNone, Control: true})
	me.types("h")
	me.types("i\r")
	me.types("rest")
	me.ask(protocol.TypeRequest, request(protocol.Release))
	me.ask(protocol.TypeRequest, request(protocol.Take))
	_ = me.conn.Close()
	testkit.Eventually(t, "all is marked", func() bool { return len(f.marks()) >= 6 })
	want := []string{"control:grant web human", "control:input web human hi\r", "control:input web human rest",
		"control:revoke web human",
		"control:grant web human", "control:revoke web human"}
	if diff := cmp.Diff(want, f.marks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnotherViewerSeesControlAndScreen(t *testing.T) {
	f := newFake(t, live.Options{})
	user := f.attach(human("me", protocol.ModeNone))
	user.ask(protocol.TypeRequest, request(protocol.Allow))
	f.output("\x1b]2;the title\x07\x1b[31mred\x1b[0m")
	p := f.attach(agent(protocol.ModeText))
	if g := p.hello.Control.Grant; g == nil || g.By != "me" {
		t.Errorf("the grant is %+v", g)
	}
	if v := p.hello.Control.Viewers; len(v) != 2 || v[0].Name != "me" || v[1].Name != "robot" || !v[1].Control ||
		v[0].Control {
		t.Errorf("the viewers are %+v", v)
	}
	s := p.screen()
	if s.Lines[0] != "red" || s.Title != "the title" || s.Cursor != (protocol.Cursor{X: 3, Visible: true}) ||
		len(s.Lines) != 6 {
		t.Errorf("the screen is %+v", s)
	}
}

func TestControlOfSizeAndSignals(t *testing.T) {
	f := newFake(t, live.Options{})
	p := f.attach(protocol.Attach{Name: "me", Kind: protocol.Human, Mode: protocol.ModeBytes, Control: true})
	if got := p.ask(protocol.TypeSize, protocol.SizeRequest{Cols: 0, Rows: 24}); got != protocol.CodeBadRequest {
		t.Errorf("no columns: %s", got)
	}
	p.send(protocol.TypeSize, protocol.SizeRequest{Cols: 50, Rows: 9})
	var size protocol.Size
	p.decode(p.await(protocol.TypeResize), &size)
	if size != (protocol.Size{Cols: 50, Rows: 9}) {
		t.Errorf("the size is %+v", size)
	}
	p.send(protocol.TypeKill, protocol.Kill{ID: 9, Signal: 2})
	var ack protocol.Ack
	for ack.ID != 9 { // the one for the size may come after the event
		p.decode(p.await(protocol.TypeAck), &ack)
	}
	if ack.Error != nil {
		t.Errorf("killing: %v", ack.Error)
	}
	_, sigs, _ := f.asked()
	if diff := cmp.Diff([]int{2}, sigs); diff != "" {
		t.Error(diff)
	}
}

// step is a line of a conformance conversation.
type step struct {
	T, Ev, Data string
	Argv        []string
	Msg         map[string]any
	Ms          int
}

// TestConversationOfAgentspace replays conversations of another system: what its command line tells
// its gateway is what a viewer here sees, and what the gateway sends is typed by that viewer.
func TestConversationOfAgentspace(t *testing.T) {
	files, err := filepath.Glob("testdata/agentspace/*.jsonl")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { replay(t, name) })
	}
}

func replay(t *testing.T, name string) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := newFake(t, live.Options{})
	user, gateway := f.attach(human("user", protocol.ModeNone)), f.attach(agent(protocol.ModeText))
	gateway.screen()
	agentMode, last := false, ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var s step
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		switch {
		case s.T == "run":
			agentMode = strings.Contains(strings.Join(s.Argv, " "), "--agent")
		case s.T == "pty":
			f.output(s.Data)
		case s.T == "user_types":
			last, _ = f.types(s.Data)
		case s.T == "c2s" && s.Msg["type"] == "terminal.control.grant":
			if got := user.ask(protocol.TypeRequest, request(protocol.Allow)); got != "done" {
				t.Fatal(got)
			}
		case s.T == "c2s" && s.Msg["type"] == "terminal.control.revoke":
			for c := gateway.control(); c.Reason == "" || c.Grant != nil; {
				c = gateway.control()
			}
		case s.T == "c2s": // terminal.snapshot
			if got := strings.TrimRight(strings.Join(gateway.screen().Lines, "\n"), "\n"); got != s.Msg["content"] {
				t.Errorf("the snapshot is %q, want %q", got, s.Msg["content"])
			}
		case s.T == "s2c": // terminal.input
			before := f.got()
			gateway.types(s.Msg["data"].(string))
			last = strings.TrimPrefix(f.got(), before)
		case s.T == "pty_expect" && s.Ev == "write":
			if last != s.Data {
				t.Errorf("the command got %q, want %q", last, s.Data)
			}
		case s.T == "pty_expect" && agentMode:
			if last != "" {
				t.Errorf("the command got %q", last)
			}
		case s.T == "pty_expect": // there, Ctrl+\ is lost when nobody has control: a quirk
			if last != s.Data {
				t.Errorf("the command got %q, want %q", last, s.Data)
			}
		case s.T == "meta" || s.T == "quiet_client":
		default:
			t.Fatalf("what is %s?", lines.Text())
		}
	}
}
