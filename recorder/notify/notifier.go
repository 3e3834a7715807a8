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
	// Grace is how long the agent must have waited before the user is notified: a user at the
	// terminal answers in that time.
	Grace = 2 * time.Second
	// closeWait is how long Close waits for notifications in progress.
	closeWait = 2 * time.Second
	// killWait is how long it then waits for those that it has stopped.
	killWait = 300 * time.Millisecond
	// queued is the maximum number of notices that wait for a slow command or webhook; more are
	// dropped.
	queued = 8
	// textSize is the maximum length of Notice.Text, in characters.
	textSize = 500
)

// States of an agent that cause a notice.
const (
	Asking = "asking" // asks for approval
	Idle   = "idle"   // has finished a turn
)

// Notice is the content of a notification.
type Notice struct {
	Session string // id of the session
	State   string // Asking or Idle
	Agent   string // name of the agent; may be empty
	Folder  string // last part of the folder's path; may be empty
	Text    string // what the agent said; empty without Options.Text
	At      time.Time
	Took    time.Duration // length of the turn, if State is Idle
}

// Session is the session of a Notifier.
type Session struct {
	ID  string
	Cwd string // without secrets
}

// Surroundings connect a Notifier to its session.
type Surroundings struct {
	Terminal func(sequence string) // writes to the session's terminal; must not wait
	Watchers func() int            // number of attached viewers
	Environ  []string              // environment of the commands
}

// Notifier tells the user that an agent waits. Its methods may be called concurrently. Close must
// be called.
type Notifier struct {
	options Options
	session Session
	around  Surroundings
	grace   time.Duration
	pause   time.Duration // time before the second attempt of a webhook
	now     func() time.Time

	ctx   context.Context // of what is under way
	stop  context.CancelFunc
	lanes []chan Notice // one for each slow channel
	busy  sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	closed  bool
	seq     int       // number of the entry that set state
	state   string    // current state of the agent
	begun   time.Time // start of the turn
	typed   time.Time // time of the last key
	text    string    // last message of the agent
	textSeq int
	timer   *time.Timer // timer of the waiting notice
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

// lane starts a goroutine that sends notices through one channel, one after the other.
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

// Close drops the waiting notice, and waits a limited time for those in progress.
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

// Typed records that someone typed at the session's terminal.
func (n *Notifier) Typed(keys []byte) {
	if !byHand(keys) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.typed = n.now()
	n.drop()
}

// Update processes new entries of the log, in order and without secrets.
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

// heard records the agent's last message. The caller holds n.mu.
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

// follow processes an event of the agent. The caller holds n.mu.
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
	case n.state == Idle && (before == "busy" || before == Asking) && !n.begun.IsZero() &&
		e.At.Sub(n.begun) >= n.options.After:
		n.wait(e, e.At.Sub(n.begun))
	}
}

// drop drops the waiting notice. The caller holds n.mu.
func (n *Notifier) drop() {
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
}

// wait sends a notice after Grace, unless something happens before. The caller holds n.mu.
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

// tell sends a notice. The caller holds n.mu.
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
		default: // it hangs; the notice would be out of date later
		}
	}
}

// Words describes in one line what the agent waits for.
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
