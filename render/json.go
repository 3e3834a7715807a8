package render

import (
	"encoding/json"
	"io"

	"github.com/ptyrec/ptyrec/session"
)

// Transcripts in JSON are stated in docs/format.md.

// lineHead is the first line of a transcript in JSON lines; the others are its entries.
type lineHead struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Session session.Session `json:"session"`
}

// whole gives t with its format named and without lists that are null.
func whole(t *session.Transcript) session.Transcript {
	out := *t
	out.Format, out.Version = session.TranscriptFormat, session.TranscriptVersion
	if out.Session.Command == nil {
		out.Session.Command = []string{}
	}
	if out.Session.Agents == nil {
		out.Session.Agents = []session.Agent{}
	}
	if out.Entries == nil {
		out.Entries = []*session.Entry{}
	}
	return out
}

func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // < and > are as common in a conversation as anywhere
	return enc
}

func writeJSON(w io.Writer, t *session.Transcript) error {
	enc := newEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(whole(t))
}

func writeLines(w io.Writer, t *session.Transcript) error {
	out := whole(t)
	if err := newEncoder(w).Encode(lineHead{out.Format, out.Version, out.Session}); err != nil {
		return err
	}
	for _, e := range out.Entries {
		if err := WriteLine(w, e); err != nil {
			return err
		}
	}
	return nil
}

// WriteLine writes one entry as it stands in JSON lines.
func WriteLine(w io.Writer, e *session.Entry) error { return newEncoder(w).Encode(e) }
