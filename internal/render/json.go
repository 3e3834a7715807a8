package render

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

// docs/format.md describes transcripts in JSON.

// lineHead is the first line of a transcript in JSON lines. The others are its entries.
type lineHead struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Session session.Session `json:"session"`
}

// whole returns t with its format set and with empty lists instead of null.
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
	enc := json.NewEncoder(&jsonWriter{w: w})
	enc.SetEscapeHTML(false) // < and > are common in conversations
	return enc
}

// jsonWriter writes whole JSON values, without unprintable characters.
type jsonWriter struct {
	w    io.Writer
	text []byte // buffer of the last value, reused
}

func (j *jsonWriter) Write(p []byte) (int, error) {
	j.text = printable.JSON(j.text[:0], p)
	if _, err := j.w.Write(j.text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writeJSON writes the same as a json.Encoder with an indent of two spaces, but one entry at a
// time: a long session has a hundred thousand.
func writeJSON(w io.Writer, t *session.Transcript) error {
	out := whole(t)
	var compact bytes.Buffer
	enc := newEncoder(&compact)
	if err := enc.Encode(lineHead{out.Format, out.Version, out.Session}); err != nil {
		return err
	}
	text := appendIndented(nil, bytes.TrimSuffix(compact.Bytes(), []byte("}\n")), 0)
	text = append(text, ",\n  \"entries\": ["...)
	for i, e := range out.Entries {
		compact.Reset()
		if err := enc.Encode(e); err != nil {
			return err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = appendIndented(appendBreak(text, 2), bytes.TrimSuffix(compact.Bytes(), []byte("\n")), 2)
		if _, err := w.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	if len(out.Entries) > 0 {
		text = appendBreak(text, 1)
	}
	_, err := w.Write(append(text, "]\n}\n"...))
	return err
}

// appendIndented appends compact JSON at a depth, indented as json.Indent does. src must be the
// output of an Encoder. json.Indent also validates its input, which takes longer than the encoding.
func appendIndented(dst, src []byte, depth int) []byte {
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '"':
			end := stringEnd(src, i)
			dst = append(dst, src[i:end]...)
			i = end - 1
		case (c == '{' || c == '[') && i+1 < len(src) && src[i+1] == c+2:
			// It is empty: '}' is two after '{', and ']' two after '['.
			dst = append(dst, c, c+2)
			i++
		case c == '{' || c == '[':
			depth++
			dst = appendBreak(append(dst, c), depth)
		case c == '}' || c == ']':
			depth--
			dst = append(appendBreak(dst, depth), c)
		case c == ',':
			dst = appendBreak(append(dst, c), depth)
		case c == ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendBreak(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

// stringEnd returns the position after the string that begins at a position, which ends at a quote
// with an even number of backslashes before it.
func stringEnd(src []byte, at int) int {
	for end := at + 1; ; {
		n := bytes.IndexByte(src[end:], '"')
		if n < 0 {
			return len(src)
		}
		end += n + 1
		escapes := 0
		for src[end-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}

func writeLines(w io.Writer, t *session.Transcript) error {
	out := whole(t)
	if err := newEncoder(w).Encode(lineHead{out.Format, out.Version, out.Session}); err != nil {
		return err
	}
	enc := newEncoder(w)
	for _, e := range out.Entries {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// WriteLine writes one entry as a line of JSON lines.
func WriteLine(w io.Writer, e *session.Entry) error { return newEncoder(w).Encode(e) }
