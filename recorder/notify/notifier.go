package notify

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

const (
	// Grace is how long the agent must have waited before the user is told: who sits before the
	// terminal answers meanwhile.
	Grace = 2 * time.Second
	// closeWait is how long Close waits for what is under way.
	closeWait = 2 * time.Second
	// killWait is how long it then waits for what it has stopped.
	killWait = 300 * time.Millisecond
	// queued is how many notices wait for a slow command or webhook; more are dropped.
	queued = 8
	// textSize is how much is told of what was said, in characters.
	textSize = 500
)

// The states of an agent that are told.
const (
	Asking = "asking" // it asks for approval
	Idle   = "idle"   // it has finished a turn
)

// Notice is what the user is told.
type Notice struct {
	Session string // its id
	State   string // Asking or Idle
	Agent   string // its name; may be empty
	Folder  string // the last part of its path; may be empty
	Text    string // what was said; empty without Options.Text
	At      time.Time
	Took    time.Duration // the turn, if State is Idle
}

// Session is what a Notifier tells notices about.
type Session struct {
	ID  string
	Cwd string // without secrets
}

// Surroundings are what a Notifier needs of its session.
type Surroundings struct {
	Terminal func(sequence string) // writes to the session's terminal; must not wait
	Watchers func() int            // how many are attached
	Environ  []string              // of the commands that are run
}

// Notifier tells the user that an agent waits. Its methods may be called concurrently. Close must
// be called.
type Notifier struct {
	options Options
	session Session
	around  Surroundings
	grace   time.Duration
	pause   time.Duration // after the first try of a webhook
	now     func() time.Time

	ctx   context.Context // of what is under way
	stop  context.CancelFunc
	lanes []chan Notice // one for each slow way of telling
	busy  sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	closed  bool
	seq     int       // of the entry that told state
	state   string    // what the agent does
	begun   time.Time // the turn
	typed   time.Time // when somebody typed last
	text    string    // the last message of the agent
	textSeq int
	timer   *time.Timer // of the notice that waits
}

// New returns a Notifier.
func New(o Options, s Session, around Surroundings) *Notifier {
	n := &Notifier{options: o, session: s, around: around, grace: Grace, pause: webhookPause, now: time.Now}
	n.ctx, n.stop = context.WithCancel(context.Background())
	if o.Desktop {
		n.lane(n.desktop)
	}
	if o.Command != "" {
		n.lane(n.command)
	}
	if o.Webhook != "" {
		n.lane(n.webhook)
	}
	return n
}

// lane starts a goroutine that tells notices in one way, one after the other.
func (n *Notifier) lane(tell func(Notice)) {
	lane := make(chan Notice, queued)
	n.lanes = append(n.lanes, lane)
	n.busy.Go(func() {
		for notice := range lane {
			if n.ctx.Err() == nil {
				tell(notice)
			}
		}
	})
}

// Close drops the notice that waits, and lets those under way end, for a bounded time.
func (n *Notifier) Close() {
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return
	}
	n.closed = true
	n.drop()
	for _, lane := range n.lanes {
		close(lane)
	}
	n.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		n.busy.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(closeWait):
	}
	n.stop()
	select {
	case <-ended:
	case <-time.After(killWait): // it ends with the process
	}
}

// Typed notes that something was typed at the session's terminal.
func (n *Notifier) Typed(keys []byte) {
	if !byHand(keys) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.typed = n.now()
	n.drop()
}

// Update takes what is new in the log, in order and without secrets.
func (n *Notifier) Update(entries []*session.Entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range entries {
		if e.Type == session.TypeMessage && e.Seq >= n.textSeq {
			n.heard(e)
		}
		if e.Seq > n.seq {
			n.follow(e)
		}
	}
}

// heard keeps what an agent said last. The caller holds n.mu.
func (n *Notifier) heard(e *session.Entry) {
	if !n.options.Text {
		return
	}
	switch e.Role {
	case session.RoleAssistant:
		n.text, n.textSeq = e.Text, e.Seq
	case session.RoleTool:
		if e.Tool != nil {
			n.text, n.textSeq = e.Tool.Name+": "+e.Tool.Input, e.Seq
		}
	}
}

// follow takes an event of the agent. The caller holds n.mu.
func (n *Notifier) follow(e *session.Entry) {
	before := n.state
	switch e.Event {
	case session.EventBusy:
		n.state = "busy"
		if before != "busy" && before != Asking {
			n.begun = e.At
		}
	case session.EventAsking:
		n.state = Asking
	case session.EventIdle:
		n.state = Idle
	case session.EventNewSession, session.EventCLIExit, session.EventExit:
		n.state, n.begun = "", time.Time{}
	default:
		return
	}
	n.seq = e.Seq
	n.drop()
	switch {
	case n.state == Asking:
		n.wait(e, 0)
	case n.state == Idle && (before == "busy" || before == Asking) && !n.begun.IsZero() && e.At.Sub(n.begun) >= n.options.After:
		n.wait(e, e.At.Sub(n.begun))
	}
}

// drop forgets the notice that waits. The caller holds n.mu.
func (n *Notifier) drop() {
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
}

// wait tells a notice after the grace, unless something happens before. The caller holds n.mu.
func (n *Notifier) wait(e *session.Entry, took time.Duration) {
	if n.closed || n.typed.After(e.At) {
		return
	}
	notice := Notice{Session: n.session.ID, State: n.state, Agent: e.Agent, Took: took, At: e.At}
	if n.session.Cwd != "" {
		notice.Folder = filepath.Base(n.session.Cwd)
	}
	var timer *time.Timer
	timer = time.AfterFunc(n.grace, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.timer == timer {
			n.timer = nil
			n.tell(notice)
		}
	})
	n.timer = timer
}

// tell tells a notice. The caller holds n.mu.
func (n *Notifier) tell(notice Notice) {
	if n.options.Quiet.At(n.now().Local()) || n.options.OnlyUnwatched && n.around.Watchers() > 0 {
		return
	}
	if n.options.Text {
		notice.Text = printable.Clip(n.text, textSize)
	}
	if sequence := n.options.sequence(notice, n.around.Environ); sequence != "" {
		n.around.Terminal(sequence)
	}
	for _, lane := range n.lanes {
		select {
		case lane <- notice:
		default: // it hangs: what it missed is old by the time it goes on
		}
	}
}

// Words say in one line what the agent waits for.
func (n Notice) Words() string {
	agent := cmp.Or(printable.Line(n.Agent), "the agent")
	words := agent + " asks for approval"
	if n.State == Idle {
		words = agent + " has finished, after " + n.Took.Round(time.Second).String()
	}
	if n.Folder != "" {
		words += ", in " + printable.Clip(n.Folder, 40)
	}
	return words
}
