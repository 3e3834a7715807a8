// Package chat has the words in which an agent is described: what it is called, how its screen is
// parted, what is said on it. It knows no agent.
package chat

import (
	"regexp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Screen is what stood in the window in one frame.
type Screen struct {
	Lines            []row.Line // top to bottom
	CursorX, CursorY int        // cells from 0
	CursorVisible    bool
	Alt              bool // the alternate screen
	Title            string
}

// Banner is what an agent's welcome says.
type Banner struct {
	Version string
	Model   string
	Cwd     string
}

// State is what an agent is doing.
type State uint8

const (
	StateUnknown  State = iota
	StateIdle           // waits for a prompt
	StateBusy           // works
	StateAsking         // asks something: Enter accepts an answer
	StateStarting       // shows its prompt, but what is typed may go to a question that comes first
)

// String returns the state's name, or "" if it is unknown.
func (s State) String() string {
	return [...]string{"", "idle", "busy", "asking", "starting"}[s]
}

// Split parts an agent's screen: rows [Top, Bottom) hold the conversation; all others are chrome (a
// pinned header, spinner, input box, hints, menus, dialogs) that never become messages.
type Split struct {
	OK          bool // the screen is this agent's: it shows its input box or another piece of its chrome
	Top, Bottom int  // rows of the screen
	Right       int  // columns [0, Right) hold it, a scroll bar follows; 0: all
	State       State
	Overlay     bool // something covers the conversation (a pager, a full-screen menu): nothing to read
	Scrolled    bool // the user scrolled back: rows below Bottom are hidden, the end is not shown
}

// Item is one thing that a profile read off conversation lines.
type Item struct {
	session.Message
	First, End int    // lines [First, End) of those given, chrome within included
	Event      string // an event instead of a message (session.EventInterrupted, session.EventClear); Message is empty then
	Headless   bool   // its first rows were never on the screen
	Shortened  bool   // cells of its tables are shortened; they may have been on the screen whole before
	Open       bool   // may still grow or change: a tool that runs, a reply without its end
	Rule       string // the rule of the profile that read it
}

// Agent is a program that talks with a model: what it is called, how it is started again, and how
// its versions draw.
type Agent struct {
	Name   string       // "claude"
	Title  string       // as it calls itself
	Widths vterm.Widths // how wide it takes characters to be
	Resume *Resumption  // how it is started again on a conversation; nil: that is not known
	Send   *Sending     // how prompts are sent to it; nil: that is not known
	Usage  []Usage      // how it prints what it has used, the one that says most first
	Looks  []Look       // how it draws; more than one where it draws in ways that have nothing in common
}

// Look is how an agent draws. All functions are pure, but for an agent that nobody has described.
type Look struct {
	Versions string // those that draw so: "2.0-"
	// Mono: it draws without colours, so that a text which a program prints may look the same.
	Mono bool

	// Farewell reports whether the agent prints its conversation on the main screen when it
	// leaves the alternate one.
	Farewell bool

	// Begins reports whether a banner may begin on a row with this text. It is asked of every
	// row, and must be quick.
	Begins func(text string) bool

	// Banner reads the agent's welcome where it begins at lines[0]; n is its length in lines,
	// or 0 if lines begin otherwise. It must not take the agent's own words quoted in a reply
	// for a banner, nor a banner that is half drawn.
	Banner func(lines []row.Line) (b Banner, n int)

	// Clears reports whether a row is a command that cleared the conversation and is on top of
	// the new one. nil: it never does.
	Clears func(l row.Line) bool

	// See looks at each frame before it is parted, and reports whether it has found out something
	// by which rows that were read are to be read again. nil: the look keeps no state.
	See func(s Screen, settled bool) (learned bool)

	// Split parts the screen.
	Split func(s Screen) Split

	// Box finds the input box in a screen that shows one. nil: what is typed is not read.
	Box func(lines []row.Line) (Box, bool)

	// Parse reads the items off the last lines of the conversation. lines[0] is its first line or
	// that of an item found earlier; banner lines are among them (they become no item). Unknown
	// lines before the first item are left out.
	Parse func(lines []row.Line) []Item

	// ParseTop is Parse where lines[0] is the first line of the conversation. nil: Parse is.
	ParseTop func(lines []row.Line) []Item
}

// Resumption says how an agent is started again on a conversation that it had before.
type Resumption struct {
	Program string                // the name of the agent's program
	Args    []string              // its arguments; ResumeID is in place of the conversation's id
	ID      func() *regexp.Regexp // matches an id, as a whole
	Printed func() *regexp.Regexp // matches a row that the agent prints when it ends; the first group is the id
	Given   []string              // the words of a command line that have an id behind them, after a blank or an equals sign
}

// ResumeID is where the id goes in Resumption.Args.
const ResumeID = "{id}"

// UUID is the pattern of most ids.
const UUID = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// ResumedBy returns a Resumption whose agent prints a command at its end: with what is before the
// id, a pattern.
func ResumedBy(program string, args []string, id, printed string, given ...string) *Resumption {
	return &Resumption{
		Program: program, Args: args, ID: lazy.Regexp(`^` + id + `$`),
		Printed: lazy.Regexp(`(?:^|[\s│])` + printed + `(` + id + `)[\s│]*$`), Given: given,
	}
}

// Sending says how an agent takes what is sent to it. SENDER.md has the measurements.
type Sending struct {
	Interrupt []string // keys that stop a reply, pressed one after the other
	Shell     bool     // a text that begins with ! runs a shell command even if it is pasted
	Typed     bool     // a command (/clear) works only if it is typed
	Completes bool     // Enter behind a word that begins with @ chooses a completion
	Denies    bool     // it takes a command that it does not know, and says so
	Clear     string   // the key that empties the input box, where an unknown command stays in it
	Folds     []string // beginnings of what the input box shows in place of a long paste
}
