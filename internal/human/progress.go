package human

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

const (
	drawDelay    = 700 * time.Millisecond // shorter work shows no progress
	drawInterval = 100 * time.Millisecond // minimum time between two drawings
	rateTime     = 2 * time.Second        // minimum time before an estimate is shown
)

// Bar shows the progress of a long task on a terminal: percent, bytes or counts, and the time left.
// The zero value shows nothing. Its methods may be called concurrently.
type Bar struct {
	out   io.Writer // nil shows nothing
	label string
	unit  string // empty for bytes
	width func() int
	now   func() time.Time

	mu    sync.Mutex // guards the fields below
	begun time.Time
	drawn time.Time // zero if nothing is drawn
	total int64
	done  int64
}

// NewBar returns a Bar for total bytes, or for total things if unit names them
// ("sessions"). A total of 0 means unknown. width returns the width of the terminal out, in
// columns; out is nil if there is no terminal.
func NewBar(out io.Writer, width func() int, label, unit string, total int64) *Bar {
	return newBar(out, width, time.Now, label, unit, total)
}

func newBar(out io.Writer, width func() int, now func() time.Time, label, unit string, total int64) *Bar {
	return &Bar{out: out, label: label, unit: unit, width: width, now: now, begun: now(), total: total}
}

// Grow adds n to the total.
func (p *Bar) Grow(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total += n
}

// Add adds n to what is done.
func (p *Bar) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(n)
	if p.out == nil {
		return
	}
	now := p.now()
	if now.Sub(p.begun) < drawDelay || now.Sub(p.drawn) < drawInterval {
		return
	}
	p.drawn = now
	// On an error the terminal is gone.
	_, _ = io.WriteString(p.out, "\r"+ansi.Truncate(p.line(now), max(20, p.width()-1), "…")+"\x1b[K")
}

// line returns the text to draw: import  42% (630 MB of 1.5 GB), 1m12s left.
func (p *Bar) line(now time.Time) string {
	amount := func(n int64) string {
		if p.unit == "" {
			return FormatSize(n)
		}
		return withCommas(n)
	}
	done := p.done
	if p.total > 0 {
		done = min(done, p.total)
	}
	var b strings.Builder
	b.WriteString(p.label)
	if p.total > 0 {
		fmt.Fprintf(&b, " %3d%% (%s of %s%s)", 100*done/p.total, amount(done), amount(p.total), unitSuffix(p.unit))
	} else {
		fmt.Fprintf(&b, " %s%s", amount(done), unitSuffix(p.unit))
	}
	spent := now.Sub(p.begun)
	if p.unit == "" && spent > 0 {
		fmt.Fprintf(&b, ", %s/s", amount(int64(float64(done)/spent.Seconds())))
	}
	if p.total > done && done > 0 && spent >= rateTime {
		left := time.Duration(float64(spent) * float64(p.total-done) / float64(done))
		fmt.Fprintf(&b, ", %s left", left.Round(time.Second))
	}
	return b.String()
}

func unitSuffix(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// Finish removes the bar from the terminal. Add may be called again.
func (p *Bar) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.drawn.IsZero() {
		_, _ = io.WriteString(p.out, "\r\x1b[K") // likewise
		p.drawn = time.Time{}
	}
}

// withCommas returns n, which must not be negative, with commas between groups of three digits.
func withCommas(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
