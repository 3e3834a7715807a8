package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// frame is the minimum time between two drawings.
const frame = time.Second / 60

// seekStep is the distance that an arrow key moves.
const seekStep = 5 * time.Second

// PlayOptions are the options of Play.
type PlayOptions struct {
	Speed float64       // factor of the original speed
	Idle  time.Duration // maximum pause; 0: no limit
	From  time.Duration // start time in the recording
}

// Play plays a recording, which must not be empty, on the terminal out. It returns at the end, or
// when the user leaves; finished reports whether it was played to the end.
func Play(ctx context.Context, out *os.File, t *archive.Playback, o PlayOptions) (finished bool, err error) {
	t.LimitIdle(o.Idle)
	p := &player{Playback: t, speed: o.Speed}
	p.seek(t.Played(o.From))
	err = p.run(ctx, out)
	return p.done(), err
}

// player plays a recording. It feeds its own virtual terminal and draws its screen. So it can seek,
// no content of a recording controls the user's terminal, and a smaller window shows the upper left
// part.
type player struct {
	*archive.Playback
	speed  float64
	paused bool
	now    time.Duration // current time in the recording
	next   int           // index of the next event
	term   *vterm.Term
	note   string // shown in the status line
}

// feed writes all output up to a time to the terminal.
func (p *player) feed(to time.Duration) {
	for ; p.next < len(p.Events) && p.Times[p.next] <= to; p.next++ {
		switch e := p.Events[p.next]; e.Kind {
		case session.Output:
			_, _ = p.term.Write(e.Data) // never fails
		case session.Resize:
			p.term.Resize(e.Cols, e.Rows)
		}
	}
	p.now = to
}

// seek moves to a time. To move back, it starts from the beginning.
func (p *player) seek(to time.Duration) {
	to = max(0, min(to, p.End()))
	if p.term == nil || to < p.now {
		p.term, p.next = vterm.New(vterm.Options{Cols: p.Cols, Rows: p.Rows}), 0
	}
	p.feed(to)
}

func (p *player) done() bool { return p.next == len(p.Events) }

// wait returns the time until the next event; negative if only a key can continue.
func (p *player) wait() time.Duration {
	if p.paused || p.done() {
		return -1
	}
	return max(frame, time.Duration(float64(p.Times[p.next]-p.now)/p.speed))
}

// run plays on the user's terminal until the end, or until the user leaves.
func (p *player) run(ctx context.Context, out *os.File) error {
	ctx, stop := signal.NotifyContext(ctx, proc.DeadlySignals()...)
	defer stop()
	keys, restore, err := openKeyboard()
	if err != nil {
		return err
	}
	defer restore()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	d := newDisplay(out)
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
			timer = time.After(min(w, time.Second/4)) // the clock in the status line continues
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

// pass advances the time.
func (p *player) pass(d time.Duration) {
	if p.paused || p.done() {
		return
	}
	to := p.now + time.Duration(float64(d)*p.speed)
	if p.next < len(p.Events) && p.Times[p.next]-to < frame/4 {
		to = max(to, p.Times[p.next])
	}
	p.feed(min(to, p.End()))
}

// press handles a key. It returns false if the user leaves.
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
			p.seek(p.Times[p.next])
		}
	case keyHome:
		p.seek(0)
	case keyEnd:
		p.paused = true
		p.seek(p.End())
	default:
		if k >= '0' && k <= '9' {
			p.seek(p.End() * time.Duration(k-'0') / 10)
		}
	}
	return true
}

// toMessage moves to the next or previous message, and shows its number.
func (p *player) toMessage(step int) {
	if p.Read != nil {
		p.Messages, _ = p.Read() // on an error, use what was read
		p.Read = nil
	}
	const near = time.Second // a message that began longer ago is the target when moving back
	best := -1
	for i, m := range p.Messages {
		at := p.Played(m.At)
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
	p.seek(p.Played(p.Messages[best].At))
	p.note = p.Messages[best].Name
}
