package printable

import (
	"bytes"
	"encoding/json"
	"io"
)

// WriteJSON writes v, indented by one blank, for programs that read a command's --json. Control
// characters in it are escaped.
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
