package session

import "time"

// Sighting is an item of a View: a message, or an event between messages.
type Sighting struct {
	Message
	Event     string     // EventClear, EventInterrupted, or empty if it is a message
	Open      bool       // whether it may still grow
	Shortened bool       // whether cells of its tables are cut off; earlier frames may have shown them whole
	Printed   LongOutput // output of a shell command; if set, replaces Message.Output
}

// LongOutput is a growing output whose text is built on demand.
type LongOutput interface {
	Size() int                     // changes whenever Text does
	Text() (text string, omit Gap) // current text, and what is left out of it
}

// Gap counts what was left out of the middle of a long text.
type Gap struct {
	Lines int // line breaks
	Bytes int
}

// View is the part of the conversation that a frame shows: the items From, From+1, … of a document,
// up to its end. A document is a continuous text assembled from frames. A new one begins when the
// screen is erased or another program takes it over.
type View struct {
	Document int // number of the document
	From     int // number of Items[0] in the document
	Items    []Sighting
	Reprint  bool          // whether the document may repeat entries that the log already has
	Past     int           // number of the first item that later views of the document may show
	At       time.Duration // time since the start of the recording
	Offset   int64         // number of bytes of output up to this frame
	Again    bool          // whether all was read again, so that commands which are not there are none
	Settled  bool          // whether nothing has changed for a while, so the frame is complete
}
