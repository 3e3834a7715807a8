package process_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/process"
)

// The text in an answer is that of the stream.
func TestTextAsJSON(t *testing.T) {
	for _, pieces := range [][]string{nil, {""}, {"a", "<b> & \"c\" \\\n", "\x00\x1b[0m", "é\uFFFD\u2028"}} {
		var text process.Text
		for _, p := range pieces {
			text.Add(p)
		}
		var b strings.Builder
		if err := text.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		got, want := "", strings.Join(pieces, "")
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got != want || text.Len() != len(want) {
			t.Errorf("%q: %s, %d bytes; %v", pieces, b.String(), text.Len(), err)
		}
	}
}
