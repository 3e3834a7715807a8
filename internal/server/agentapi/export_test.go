package agentapi

import (
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// Fed is a session that a test feeds.
type Fed struct {
	*Session
	events chan client.Event
}

// NewFed returns a session that follows what Feed gets.
func NewFed(o Options) *Fed {
	f := &Fed{newSession(o), make(chan client.Event)}
	f.loading = o.Start.Load != nil
	f.run.Go(func() { f.follow(f.events) })
	return f
}

// Feed adds an event to the session.
func (f *Fed) Feed(e client.Event) { f.events <- e }

// Entries adds entries to the session.
func (f *Fed) Entries(entries ...*session.Entry) { f.Feed(protocol.Entries{Entries: entries}) }

// End ends the session.
func (f *Fed) End() {
	close(f.events)
	<-f.ended
	f.Close()
}

// Status returns the status.
func (f *Fed) Status() string { status, _ := f.board.now(); return status }

// Messages returns the messages.
func (f *Fed) Messages() []Message { _, messages := f.board.now(); return messages }

// Fail tells the session's clients of an error.
func (f *Fed) Fail(level, message string) { f.board.fail(level, message, time.Now()) }

// MaxEvent is how long an event may be.
const MaxEvent = maxEvent

// Failures returns the errors that clients are told of, with their levels.
func (f *Fed) Failures() (all []string) {
	f.board.mu.Lock()
	defer f.board.mu.Unlock()
	for _, e := range f.board.failures {
		all = append(all, e.Level+": "+e.Message)
	}
	return all
}

// Page is a page for tests.
type Page struct{ *page }

// NewPage returns a page of this size, in cells.
func NewPage(cols, rows int) Page { return Page{newPage(cols, rows)} }

// Write takes output of the program.
func (p Page) Write(data []byte) { p.write(data) }

// Mark starts the answer to a prompt.
func (p Page) Mark(text string) { p.mark(text, false) }

// Text returns the answer.
func (p Page) Text() string { return p.text() }

// Alt reports whether the program uses the alternate screen.
func (p Page) Alt() bool { return p.term.Alt() }
