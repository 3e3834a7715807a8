package process

import (
	"bytes"
	"encoding/json"
	"io"
)

// Text is the text of a stream, in pieces.
type Text struct {
	pieces []string
	size   int
}

// Len returns the length of the text, in bytes.
func (t *Text) Len() int { return t.size }

// Add adds a piece, which must contain only complete characters, as a Chunk's text does.
func (t *Text) Add(piece string) {
	t.pieces = append(t.pieces, piece)
	t.size += len(piece)
}

// WriteJSON writes the text as a JSON string, without copying all of it.
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
		if _, err := w.Write(quoted.Bytes()[1 : quoted.Len()-2]); err != nil { // without the quotes and the line feed
			return err
		}
	}
	_, err := io.WriteString(w, `"`)
	return err
}
