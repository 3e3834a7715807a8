package store

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/ptyrec/ptyrec/session"
)

// List returns an iterator over entries, for ReplaceEntries.
func List(entries []*session.Entry) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Failed returns an iterator that yields only an error, for ReplaceEntries.
func Failed(err error) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) { yield(nil, err) }
}

// DataOf returns the value of the column data as JSON: the data of an event, or the details and the
// data of a message. It is nil if there are none.
func DataOf(e *session.Entry) ([]byte, error) {
	details := detailsOf(e)
	if details == nil {
		return nil, nil
	}
	return json.Marshal(details)
}

// SetData sets the fields of e from data, which DataOf returned for an entry of the same type.
func SetData(e *session.Entry, data []byte) error {
	var of messageData
	var to any = &e.Data
	if e.Type == session.TypeMessage {
		to = &of
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("entry %s: data: %w: %w", e.ID, session.ErrCorrupt, err)
	}
	if e.Type == session.TypeMessage {
		e.Details, e.Data = of.Details, of.Data
	}
	return nil
}
