package process

import (
	"bytes"
	"encoding/json"
	"io"
)

// Text is the text of a stream, in the pieces in which it came.
type Text struct {
	pieces []string
	size   int
}

// Len returns the length of the text, in bytes.
func (t *Text) Len() int { return t.size }

// Add adds a piece, which holds whole characters, as a Chunk's text does.
func (t *Text) Add(piece string) {
	t.pieces = append(t.pieces, piece)
	t.size += len(piece)
}

// WriteJSON writes the text as a string of JSON, without a copy of all of it.
func (t *Text) WriteJSON(w io.Writer) error {
	if _, err := io.WriteString(w, `"`); err != nil {
		return err
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	for _, piece := range t.pieces {
		quoted.Reset()
		if err := e.Encode(piece); err != nil {
			return err
		}
		if _, err := w.Write(quoted.Bytes()[1 : quoted.Len()-2]); err != nil { // without quotes and line feed
			return err
		}
	}
	_, err := io.WriteString(w, `"`)
	return err
}
