package recorder

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// Log stores the raw events of a recording and can read them again.
type Log interface {
	// Put adds the next event, with a copy of its data. It never waits, so it takes no context.
	Put(e session.Event)
	// Settle returns when all events that were put before can be replayed, or never will be.
	Settle(ctx context.Context) error
	// Replay calls fn with the events from number n on (the first is 0), and their numbers.
	// Lost events are skipped. An error of fn ends Replay and is returned. Replay may run
	// concurrently with Put.
	Replay(ctx context.Context, from int64, fn func(number int64, e session.Event) error) error
	// Close makes the events durable. It waits as long as the disk accepts data, also if the
	// recording was cancelled, and returns how many bytes of output are missing, and the first
	// error.
	Close() (lost int64, err error)
}

// Index is where the entries go that were read out of the output.
type Index interface {
	// Put takes an update. ctx is not done when the recording is cancelled. The error is
	// session.ErrBusy if the update is not stored yet: Put is called again soon, with an empty
	// update if nothing has changed.
	Put(ctx context.Context, u Update) error
}

// Update is what the Processor found out since the update before.
type Update struct {
	Entries []*session.Entry // new or changed
	Gone    []string         // ids of entries that were taken back
	Agents  []session.Agent  // all of them
	Usage   []session.Usage  // all that the agents printed
	Title   string
}

// Options say what to record and where it goes. Only Command is needed.
type Options struct {
	Command   []string // Command[0] is looked up in PATH
	Env       []string // of the child; nil: the process's own
	SessionID string
	Started   time.Time     // when the recording's clock starts; zero: now
	Stdin     *os.File      // nil: the process's own
	Stdout    *os.File      // likewise
	Input     bool          // record what is typed, as far as the screen shows it
	Log       Log           // nil: nothing is recorded
	Index     Index         // nil: nothing is extracted
	Leader    string        // an executable that imports package leader, as this one does, so that Ctrl+Z works; empty: the command leads its session itself
	Owner     *os.File      // the session ends when this does, which another process holds the other end of, and with the command all that it started; needs Leader; nil: no owner
	KillAfter time.Duration // from a signal to SIGKILL; 0: 5 s
	CatchUp   time.Duration // how long extraction may go on after the child's end; 0: 0.5 s

	// Cols and Rows, where they are not 0, are the window of a session that has no terminal, in
	// cells: what the command shows and reads is the host's. Stdin and Stdout are not used
	// then.
	Cols, Rows int
	// Keep is called where the terminal is gone and the session goes on without it, for its
	// host; nil: the command gets the SIGHUP.
	Keep func()

	// Host makes what shows the session to others, when the child runs and has written nothing
	// yet; nil: nobody sees it.
	Host func(*Controls) Host
}

// Result says how a recording ended.
type Result struct {
	Status   int           // the command's exit status; 128+n where signal n ended it
	Duration time.Duration // to the child's end
	Lost     int64         // bytes of output that did not reach the log, or that it cannot return
	LogErr   error         // the first error of the log, which may have recovered since
	IndexErr error         // the first error of the index or the extraction
	Behind   bool          // extraction had not come to the end: the log holds more than the index
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Started.IsZero() {
		o.Started = time.Now()
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.KillAfter == 0 {
		o.KillAfter = 5 * time.Second
	}
	if o.CatchUp == 0 {
		o.CatchUp = 500 * time.Millisecond
	}
	return o
}

// Run runs a command in a PTY of its own and records it. It returns when the command has ended, its
// output is on the terminal and in the log, and the terminal is as it was before. The error is
// about the start: a *program.StartError if the command cannot be executed. Later failures are in
// the Result, and never disturb the command. While it runs, the signals HUP, INT, TERM, QUIT, TSTP,
// CONT, WINCH and PIPE of the process belong to it; ctx ends the command as SIGTERM does.
func Run(ctx context.Context, o Options) (Result, error) {
	o = o.withDefaults()
	term := newTerminal(o)
	defer term.restore()
	signals := catchSignals()
	defer signal.Stop(signals)
	c, err := startChild(o, term)
	if err != nil {
		return Result{}, err
	}
	term.makeRaw()
	r := &run{options: o, term: term, child: c, tee: newTee(context.WithoutCancel(ctx), o, c), signals: signals}
	if o.Host != nil {
		r.tee.setHost(o.Host(&Controls{r}))
	}
	r.start()
	r.supervise(ctx)
	return r.finish(), nil
}

// run is one recording under way. Its goroutines: the output pump (PTY to terminal and tee), the
// input pump (terminal to PTY), the child's waiter, and behind the tee the indexer; see the
// package's comment.
type run struct {
	options Options
	term    *terminal
	child   *child
	tee     *tee
	signals chan os.Signal
	input   *inputPump
	output  *outputPump

	typing sync.RWMutex // read-locked while a host types
}

func (r *run) start() {
	r.output = startOutput(r.child, r.term, r.tee)
	if r.term.isTTY {
		if r.input = startInput(r.term, r.child, r.tee, r.options.Input); r.input != nil {
			r.input.enable(r.term.foreground())
		}
	}
}

// finish is called when the child is gone: the rest of the output comes first, then the terminal,
// then the log.
func (r *run) finish() Result {
	r.output.drain()
	if r.input != nil {
		r.input.stop()
	}
	r.typing.Lock() // what is being typed is recorded first; that needs the PTY
	r.child.close()
	r.typing.Unlock()
	r.term.restore()
	if r.tee.indexer != nil {
		_, seq := r.tee.place()
		r.tee.indexer.settleKeys(seq, r.options.CatchUp)
	}
	if r.tee.host != nil {
		r.tee.host.Finish()
	}
	result := r.tee.finish(r.child.status, r.options.CatchUp)
	r.term.endNotes()
	return result
}
