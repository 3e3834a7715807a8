package session

import "time"

// Sighting is one item that a View shows: a message, or an event between messages.
type Sighting struct {
	Message
	Event     string     // EventClear or EventInterrupted; Message is then empty
	Open      bool       // may still grow
	Shortened bool       // cells of its tables are shortened; they may have been on the screen whole before
	Printed   LongOutput // output of a shell command; if set, it replaces Message.Output
}

// LongOutput is an output that grows. Its text is only built when it is needed.
type LongOutput interface {
	Size() int                     // changes whenever the text does
	Text() (text string, omit Gap) // the current text
}

// Gap describes what was cut from the middle of a long text.
type Gap struct {
	Lines int // line breaks
	Bytes int
}

// View is what a frame shows of the conversation, for a log to merge: the items From, From+1, … of
// a document, up to its end. A document is one continuous text, put together from frames; a new one
// begins when the screen is wiped or another program takes it over.
type View struct {
	Document int // number of the document
	From     int // number of the first of Items on the document
	Items    []Sighting
	Reprint  bool          // the document may show again what the log already has
	Past     int           // no later view of the document shows an item before this one
	At       time.Duration // since the start of the recording
	Offset   int64         // bytes of raw output up to here
	Settled  bool          // nothing has changed for a while: the view is no torn frame
}
