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
	// Close makes the events durable, even if the recording was cancelled. It waits as long as the
	// disk accepts data, and returns the number of output bytes that are missing, and the first
	// error.
	Close() (lost int64, err error)
}

// Index stores the entries that were extracted from the output.
type Index interface {
	// Put stores an update. ctx is not cancelled with the recording. The error is session.ErrBusy
	// if the update is not stored yet: Put will be called again soon, with an empty update if
	// nothing has changed.
	Put(ctx context.Context, u Update) error
}

// Update is what the Processor extracted since the previous update.
type Update struct {
	Entries []*session.Entry // new or changed
	Gone    []string         // ids of removed entries
	Agents  []session.Agent  // all agents so far
	Usage   []session.Usage  // all usage that agents printed so far
	Title   string
}

// Options say what to record and where to store it. Only Command is required.
type Options struct {
	Command   []string // Command[0] is looked up in PATH
	Env       []string // environment of the child; nil means the process's own
	SessionID string
	Started   time.Time // start of the recording's clock; zero means now
	Stdin     *os.File  // nil means the process's own
	Stdout    *os.File  // likewise
	Input     bool      // whether to record keys, as far as the screen shows them
	Log       Log       // nil means no recording
	Index     Index     // nil means no extraction
	Leader    string    // executable that imports package leader, for Ctrl+Z; if empty, the command leads its session
	// if set, the session ends, with all that it started, when the pipe's other end is closed;
	// needs Leader
	Owner     *os.File
	KillAfter time.Duration // time from a signal to SIGKILL; 0 means 5 s
	CatchUp   time.Duration // how long extraction may continue after the child's end; 0 means 0.5 s

	// Cols and Rows, if not 0, are the window of a session without a terminal, in cells. The host
	// then provides the input and shows the output; Stdin and Stdout are not used.
	Cols, Rows int
	// Keep is called when the terminal is lost and the session continues without it, for its host.
	// If nil, the command gets SIGHUP.
	Keep func()

	// Host is called when the child runs but has written nothing yet, and returns what serves the
	// viewers. If nil, there are none.
	Host func(*Controls) Host
}

// Result says how a recording ended.
type Result struct {
	Status   int           // exit status of the command, 128+n after signal n
	Duration time.Duration // until the child's end
	Lost     int64         // output bytes that did not reach the log, or that it cannot return
	LogErr   error         // first error of the log, which may have recovered since
	IndexErr error         // first error of the index or the extraction
	Behind   bool          // whether extraction was not complete: the log holds more than the index
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

// Run runs a command in a PTY and records it. It returns when the command has ended, its output is
// on the terminal and in the log, and the terminal is restored. An error means that the command did
// not start; it is a *program.StartError if it could not be executed. Later failures are in the
// Result, and never affect the command. During Run, the signals HUP, INT, TERM, QUIT, TSTP, CONT,
// WINCH and PIPE of the process are for the command. Cancelling ctx has the effect of SIGTERM.
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

// run is a recording in progress. Its goroutines are the output pump (PTY to terminal and tee), the
// input pump (terminal to PTY), the one that waits for the child, and the indexer after the tee;
// see the package comment.
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

// finish ends the recording after the child has exited: it drains the output, restores the terminal
// and closes the log.
func (r *run) finish() Result {
	r.output.drain()
	if r.input != nil {
		r.input.stop()
	}
	r.typing.Lock() // record keys that are being typed first, which needs the PTY
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
