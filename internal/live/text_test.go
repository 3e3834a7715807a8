//go:build linux

package live_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
)

func TestObserverSeesTheScreenNotTheBytes(t *testing.T) {
	f := newFake(t, live.Options{})
	p := f.attach(agent(protocol.ModeText))
	p.screen()
	f.output("first\r\nsecond\x1b[1;1Hthird\x1b[2;3H\x1b[K\x1b[?25l")
	s := p.screen()
	if s.Lines[0] != "third" || s.Lines[1] != "se" || s.Cursor != (protocol.Cursor{X: 2, Y: 1}) || s.Cols != 40 ||
		s.Rows != 6 {
		t.Errorf("%+v", s)
	}
	f.output("\x1b[?1049h\x1b[Hother")
	if s := p.screen(); !s.Alt || s.Lines[0] != "other" || s.Lines[1] != "" {
		t.Errorf("%+v", s)
	}
}

func TestTextHasNoEscapes(t *testing.T) {
	sequences := "\x1b[?25l\x1b]0;title\x07\x1b]8;;http://x\x1b\\\x1bP1$r0m\x1b\\\x1b(B\x1b)0\x1b[38;2;1;2;" +
		"3m\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\" +
		"\x1b[>4;2m\x1b[<u\x1b[=1;1u\x1b7\x1b8\x1b[6n\x1b]52;c;aGk=\x07\u009b1m\u009d2;x\u009c"
	for cut := 1; cut < len(sequences); cut += 3 {
		f := newFake(t, live.Options{})
		p := f.attach(agent(protocol.ModeText))
		p.screen()
		f.output("a" + sequences[:cut])
		f.output(sequences[cut:] + "b\x00\x7f")
		f.end()
		var last protocol.Screen
		for frame := p.next(); frame.Type != protocol.TypeExit; frame = p.next() {
			if frame.Type == protocol.TypeScreen {
				p.decode(frame, &last)
			}
		}
		text := strings.Join(last.Lines, "") + last.Title
		if last.Lines[0] != "ab" || strings.ContainsFunc(text,
			func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("cut at %d: %q, %q", cut, last.Lines[0], last.Title)
		}
	}
}

func TestSnapshotsComeSeldomAndTheLastOneAlways(t *testing.T) {
	f := newFake(t, live.Options{})
	p := f.attach(agent(protocol.ModeText))
	p.screen()
	stop := make(chan int)
	go func() {
		i := 0
		for begun := time.Now(); time.Since(begun) < 1200*time.Millisecond; i++ {
			f.output(fmt.Sprintf("\x1b[Hline %d", i))
			time.Sleep(time.Millisecond)
		}
		stop <- i - 1
	}()
	begun, frames := time.Now(), 0
	for done := false; !done; {
		last := p.screen().Lines[0]
		frames++
		select {
		case i := <-stop: // one more comes, if this was not the last
			for last != fmt.Sprintf("line %d", i) {
				last = p.screen().Lines[0]
				frames++
			}
			done = true
		default:
		}
	}
	if most := int(time.Since(begun)/(500*time.Millisecond)) + 2; frames > most {
		t.Errorf("%d of them, want at most %d in that time", frames, most)
	}
	f.output("\x1b[Hat the end  ")
	f.end()
	for p.screen().Lines[0] != "at the end" {
	}
	var exit protocol.Exit
	p.decode(p.await(protocol.TypeExit), &exit)
	if exit.Status != 5 {
		t.Errorf("%+v", exit)
	}
}

func TestNothingIsSentWhileNothingChanges(t *testing.T) {
	f := newFake(t, live.Options{})
	p := f.attach(agent(protocol.ModeText))
	p.screen()
	f.output("x")
	p.screen()
	f.output("\x1b[m") // which changes nothing that can be seen
	p.send(protocol.TypePing, "")
	if got := p.next(); got.Type != protocol.TypePong {
		t.Errorf("got %q", got.Type)
	}
}
