package printable

import (
	"bytes"
	"encoding/json"
	"io"
)

// WriteJSON writes v, indented by one blank, for a command's --json. It escapes control characters.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(JSON(nil, b.Bytes()))
	return err
}
