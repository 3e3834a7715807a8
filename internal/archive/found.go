package archive

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// WriteFound writes the number of secrets in a session by rule, as text or JSON, on one line. It
// never writes the secrets.
func (w *Rewriting) WriteFound(out io.Writer, id string, asJSON bool) error {
	found := w.Found()
	if asJSON {
		text, err := json.Marshal(map[string]any{"session": id, "found": found})
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\n", printable.JSON(nil, text))
		}
		return err
	}
	if len(found) == 0 {
		_, err := fmt.Fprintf(out, "session %s: no secrets found\n", printable.Line(id))
		return err
	}
	var parts []string
	for _, rule := range slices.Sorted(maps.Keys(found)) {
		parts = append(parts, fmt.Sprintf("%d %s", found[rule], rule))
	}
	_, err := fmt.Fprintf(out, "session %s: found %s\n", printable.Line(id), strings.Join(parts, ", "))
	return err
}
