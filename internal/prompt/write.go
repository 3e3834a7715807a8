package prompt

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

// Write writes the text of a reply, or as JSON its text and entries.
func (r Reply) Write(w io.Writer, asJSON bool) error {
	if asJSON {
		entries := r.Entries
		if entries == nil {
			entries = []*session.Entry{}
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"text": r.Text(), "entries": entries})
	}
	text := r.Text()
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, printable.Text(text))
	return err
}
