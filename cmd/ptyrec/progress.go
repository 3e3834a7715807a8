package main

import (
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long work goes on before a progress bar appears.
const progressDelay = 700 * time.Millisecond

// progress shows on a terminal how far long work has come, its rate and what is left. It may be used concurrently.
type progress struct {
	out   *os.File
	label string
	// things tells that it counts no bytes.
	things bool

	mu    sync.Mutex // guards the fields below
	begun time.Time
	total int64
	done  int64
	bar   *progressbar.ProgressBar // nil until the work is long, and where stderr is no terminal
}

func newProgress(a *app, label string, paths []string) *progress {
	p := &progress{out: a.stderr, label: label, begun: time.Now()}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			p.total += info.Size()
		}
	}
	return p
}

// newCounter counts things, not bytes.
func newCounter(a *app, label string, total int) *progress {
	return &progress{out: a.stderr, label: label, begun: time.Now(), total: int64(total), things: true}
}

// add counts n more.
func (p *progress) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(n)
	if p.bar == nil && time.Since(p.begun) > progressDelay && isTerminal(p.out) {
		p.bar = progressbar.NewOptions64(max(p.total, 1),
			progressbar.OptionSetWriter(p.out),
			progressbar.OptionSetDescription(p.label),
			progressbar.OptionShowBytes(!p.things),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	if p.bar != nil {
		_ = p.bar.Set64(min(p.done, p.total)) // only a terminal that is gone fails here
	}
}

// finish takes the bar off the terminal.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
