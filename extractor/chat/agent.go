// Package chat defines how an agent is described: its name, how its screen is divided, and the
// messages on it. It knows no particular agent.
package chat

import (
	"regexp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Screen is the contents of the window in one frame.
type Screen struct {
	Lines            []row.Line // top to bottom
	CursorX, CursorY int        // cells from 0
	CursorVisible    bool
	Alt              bool // whether it is the alternate screen
	Title            string
}

// Banner is the contents of an agent's welcome.
type Banner struct {
	Version string
	Model   string
	Cwd     string
}

// State is what an agent is doing.
type State uint8

const (
	StateUnknown  State = iota
	StateIdle           // it waits for a prompt
	StateBusy           // it works
	StateAsking         // it asks a question: Enter accepts an answer
	StateStarting       // it shows its prompt, but input may answer a question that comes first
)

// String returns the state's name, or "" if it is unknown.
func (s State) String() string {
	return [...]string{"", "idle", "busy", "asking", "starting"}[s]
}

// Split is the division of an agent's screen: rows [Top, Bottom) contain the conversation; all
// others are chrome (a pinned header, spinner, input box, hints, menus, dialogs) that never become
// messages.
type Split struct {
	OK          bool // the screen belongs to this agent: it shows its input box or another piece of its chrome
	Top, Bottom int  // rows of the screen
	Right       int  // the conversation is in the columns [0, Right), followed by a scroll bar; 0: all columns
	State       State
	Overlay     bool // the conversation is covered by a pager or a full-screen menu, and cannot be read
	Scrolled    bool // the user scrolled back: rows below Bottom are hidden, and the end is not shown
}

// Item is a message or an event that a look read from conversation lines.
type Item struct {
	session.Message
	First, End int    // lines [First, End) of the given ones, including chrome among them
	Event      string // session.EventInterrupted or session.EventClear; Message is then empty
	Headless   bool   // its first rows were never on the screen
	Shortened  bool   // cells of its tables are shortened, and may have been complete before
	Open       bool   // it may still change: a running tool, an incomplete reply
	Rule       string // name of the rule that read it
}

// Agent describes a program that talks to a model: its name, how it is resumed, and how its
// versions draw.
type Agent struct {
	Name   string       // "claude"
	Title  string       // its own name for itself
	Widths vterm.Widths // how it computes the width of characters
	Resume *Resumption  // how to resume a conversation; nil if unknown
	Send   *Sending     // how to send it prompts; nil if unknown
	Usage  []Usage      // how it prints its usage, the most detailed form first
	Looks  []Look       // how it draws; several if it has unrelated ways of drawing
}

// Look is how an agent draws. All functions are pure, but for an agent that nobody has described.
type Look struct {
	Versions string // versions that draw in this way: "2.0-"
	// Mono means that it draws without colours, so that a text printed by a program may look the
	// same.
	Mono bool

	// Farewell means that the agent prints its conversation on the main screen when it leaves the
	// alternate one.
	Farewell bool

	// Begins reports whether a banner may begin on a row with this text. It is called for every
	// row, and must be quick.
	Begins func(text string) bool

	// Banner parses the agent's welcome at lines[0]. n is its number of lines, or 0 if there is
	// none. It must not accept a quotation in a reply, or an incomplete banner.
	Banner func(lines []row.Line) (b Banner, n int)

	// Clears reports whether a row is a command that cleared the conversation and is at the top of
	// the new one. If it is nil, there are none.
	Clears func(l row.Line) bool

	// See looks at each frame before it is parted, and reports whether it has found out something
	// by which rows that were read are to be read again. nil: the look keeps no state.
	See func(s Screen, settled bool) (learned bool)

	// Split parts the screen.
	Split func(s Screen) Split

	// Box finds the input box on a screen that shows one. If it is nil, the input is not read.
	Box func(lines []row.Line) (Box, bool)

	// Parse parses the items in the last lines of the conversation. lines[0] is its first line or
	// the first line of an item found earlier; lines may include a banner, which becomes no item.
	// Unknown lines before the first item are skipped.
	Parse func(lines []row.Line) []Item

	// ParseTop is Parse where lines[0] is the first line of the conversation. nil: Parse is.
	ParseTop func(lines []row.Line) []Item
}

// Resumption describes how to resume an earlier conversation of an agent.
type Resumption struct {
	Program string                // the name of the agent's program
	Args    []string              // its arguments, with ResumeID for the conversation's id
	ID      func() *regexp.Regexp // matches a complete id
	Printed func() *regexp.Regexp // matches a row that the agent prints when it exits; the first group is the id
	Given   []string              // flags that are followed by an id, after a blank or an equals sign
}

// ResumeID is the placeholder for the id in Resumption.Args.
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

// Sending describes how to send input to an agent. SENDER.md has the measurements.
type Sending struct {
	Interrupt []string // keys that stop a reply, to press one after the other
	Shell     bool     // a text that begins with ! runs a shell command even if it is pasted
	Typed     bool     // commands (/clear) work only if they are typed
	Completes bool     // Enter after a word that begins with @ selects a completion
	Denies    bool     // it accepts an unknown command, and reports an error
	Clear     string   // the key that empties the input box, if an unknown command stays in it
	Folds     []string // beginnings of the placeholders that the input box shows for a long paste
}
