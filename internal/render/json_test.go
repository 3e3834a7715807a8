package render_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
)

// TestJSONIsIndented compares a transcript written entry by entry with one that the standard
// library encodes as a whole.
func TestJSONIsIndented(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\\"{}\[\],: \n\x00-\x1fé<&]*`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	list := rapid.SliceOfN(text, 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		tr := example()
		tr.Format, tr.Version = session.TranscriptFormat, session.TranscriptVersion
		tr.Session.Command, tr.Session.Title = list.Draw(t, "command"), text.Draw(t, "title")
		tr.Entries = tr.Entries[:rapid.IntRange(0, len(tr.Entries)).Draw(t, "entries")]
		for _, e := range tr.Entries {
			e.Text, e.Markdown, e.Output = text.Draw(t, "text"), text.Draw(t, "markdown"), text.Draw(t, "output")
			if e.Tool != nil {
				e.Tool.Input = text.Draw(t, "input")
			}
			if e.Data != nil {
				e.Data = map[string]any{"text": text.Draw(t, "data"), "list": list.Draw(t, "list"), "none": nil,
					"empty": map[string]any{}, "in": []any{map[string]any{"n": -1.5e300}}}
			}
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(tr); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := render.Write(&got, "json", tr); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(printable.JSON(nil, want.Bytes())), got.String()); diff != "" {
			t.Fatalf("transcript (-want +got):\n%s", diff)
		}
	})
}
