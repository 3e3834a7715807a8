package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// frame is how long events are gathered before the screen is drawn.
const frame = time.Second / 60

// seekStep is what an arrow key moves by.
const seekStep = 5 * time.Second

// player plays a tape. It feeds a terminal of its own and draws what that shows: so it can go
// anywhere in a recording, nothing that a recording holds drives the user's terminal, and a smaller
// window shows the upper left part.
type player struct {
	*tape
	speed  float64
	paused bool
	now    time.Duration // played so far
	next   int           // the event that comes next
	term   *vterm.Term
	note   string // for the status line
}

// feed writes to the terminal everything up to a moment.
func (p *player) feed(to time.Duration) {
	for ; p.next < len(p.events) && p.times[p.next] <= to; p.next++ {
		switch e := p.events[p.next]; e.Kind {
		case session.Output:
			_, _ = p.term.Write(e.Data) // never fails
		case session.Resize:
			p.term.Resize(e.Cols, e.Rows)
		}
	}
	p.now = to
}

// seek goes to a moment. To go back, it plays from the start.
func (p *player) seek(to time.Duration) {
	to = max(0, min(to, p.end()))
	if p.term == nil || to < p.now {
		p.term, p.next = vterm.New(vterm.Options{Cols: p.cols, Rows: p.rows}), 0
	}
	p.feed(to)
}

func (p *player) done() bool { return p.next == len(p.events) }

// wait returns how long nothing happens; negative: until a key is pressed.
func (p *player) wait() time.Duration {
	if p.paused || p.done() {
		return -1
	}
	return max(frame, time.Duration(float64(p.times[p.next]-p.now)/p.speed))
}

// run plays on the user's terminal until the end, or until he leaves.
func (p *player) run(ctx context.Context, a *app) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	keys, restore, err := openKeyboard()
	if err != nil {
		return err
	}
	defer restore()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	d := newDisplay(a.stdout)
	defer d.close()
	for {
		if err := d.draw(p); err != nil {
			return err
		}
		if p.done() && (keys == nil || !p.paused) {
			return nil
		}
		var timer <-chan time.Time
		begun := time.Now()
		if w := p.wait(); w >= 0 {
			timer = time.After(min(w, time.Second/4)) // the clock in the status line goes on
		}
		select {
		case <-timer:
			p.pass(time.Since(begun))
		case <-resized:
			d.clear()
		case k, ok := <-keys:
			p.pass(time.Since(begun))
			if !ok || !p.press(k) {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// pass lets time go by.
func (p *player) pass(d time.Duration) {
	if p.paused || p.done() {
		return
	}
	to := p.now + time.Duration(float64(d)*p.speed)
	if p.next < len(p.events) && p.times[p.next]-to < frame/4 {
		to = max(to, p.times[p.next])
	}
	p.feed(min(to, p.end()))
}

// press does what a key asks for; false: leave.
func (p *player) press(k key) bool {
	p.note = ""
	switch k {
	case 'q', 'Q', ctrlC, ctrlD, escape:
		return false
	case ' ':
		p.paused = !p.paused
	case keyRight:
		p.seek(p.now + seekStep)
	case keyLeft:
		p.seek(p.now - seekStep)
	case '+', '=', keyUp:
		p.speed = min(p.speed*2, 1024)
	case '-', keyDown:
		p.speed = max(p.speed/2, 1./64)
	case 'n':
		p.toMessage(1)
	case 'p':
		p.toMessage(-1)
	case '.':
		p.paused = true
		if !p.done() {
			p.seek(p.times[p.next])
		}
	case keyHome:
		p.seek(0)
	case keyEnd:
		p.paused = true
		p.seek(p.end())
	default:
		if k >= '0' && k <= '9' {
			p.seek(p.end() * time.Duration(k-'0') / 10)
		}
	}
	return true
}

// toMessage goes to the next message, or the one before, and says which it is.
func (p *player) toMessage(step int) {
	if p.read != nil {
		p.messages, _ = p.read() // what could be read will do
		p.read = nil
	}
	const near = time.Second // so long after its start a message is not gone back to
	best := -1
	for i, m := range p.messages {
		at := p.played(m.at)
		if step > 0 && at > p.now {
			best = i
			break
		}
		if step < 0 && at < p.now-near {
			best = i
		}
	}
	if best < 0 {
		p.note = "no more messages"
		return
	}
	p.seek(p.played(p.messages[best].at))
	p.note = p.messages[best].name
}

// key is a character, or one of the keys that send a sequence.
type key rune

const (
	ctrlC  key = 3
	ctrlD  key = 4
	escape key = 27
)

const (
	keyUp key = -1 - iota
	keyDown
	keyRight
	keyLeft
	keyHome
	keyEnd
	keyOther
)

var sequences = map[string]key{
	"A": keyUp, "B": keyDown, "C": keyRight, "D": keyLeft, "H": keyHome, "F": keyEnd, "1~": keyHome, "4~": keyEnd, "7~": keyHome, "8~": keyEnd,
}

// openKeyboard returns the keys typed at the terminal, and turns line editing off until restore is
// called, which waits for the reader. Without a controlling terminal keys is nil.
func openKeyboard() (keys <-chan key, restore func(), err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, func() {}, nil // it plays without keys
	}
	raw, err := tty.SyscallConn()
	if err != nil {
		return nil, nil, errors.Join(err, tty.Close())
	}
	var state *term.State
	if controlErr := raw.Control(func(fd uintptr) { state, err = term.MakeRaw(int(fd)) }); controlErr != nil || err != nil {
		return nil, nil, errors.Join(controlErr, err, tty.Close())
	}
	out := make(chan key)
	quit := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { readKeys(tty, out, quit) })
	return out, func() {
		_ = raw.Control(func(fd uintptr) { _ = term.Restore(int(fd), state) })
		close(quit)
		_ = tty.SetReadDeadline(time.Unix(1, 0))
		reader.Wait()
		_ = tty.Close()
	}, nil
}

func readKeys(tty *os.File, out chan<- key, quit <-chan struct{}) {
	defer close(out)
	buf := make([]byte, 64)
	for {
		n, err := tty.Read(buf)
		if err != nil {
			return
		}
		for _, k := range parseKeys(string(buf[:n])) {
			select {
			case out <- k:
			case <-quit:
				return
			}
		}
	}
}

// parseKeys splits what one read gave. A lone ESC is the key.
func parseKeys(text string) (keys []key) {
	for text != "" {
		if len(text) > 2 && text[0] == 27 && (text[1] == '[' || text[1] == 'O') {
			end := 2
			for end < len(text)-1 && (text[end] < 0x40 || text[end] > 0x7e) {
				end++
			}
			k, ok := sequences[text[2:end+1]]
			if !ok {
				k = keyOther
			}
			keys, text = append(keys, k), text[end+1:]
			continue
		}
		keys, text = append(keys, key(text[0])), text[1:]
	}
	return keys
}
