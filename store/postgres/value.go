package postgres

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/store"
)

// Values in the database are as in SQLite: times are UTC nanoseconds since 1970, the zero time is
// 0.

func nanos(t time.Time) int64 { return store.Nanos(t) }

func nanosOrNil(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	n := nanos(*t)
	return &n
}

func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func timeOrNil(n *int64) *time.Time {
	if n == nil {
		return nil
	}
	t := timeOf(*n)
	return &t
}

// replacement replaces what PostgreSQL rejects in a text: NUL and invalid UTF-8.
const replacement = "\uFFFD"

// clean returns the text in a form that PostgreSQL accepts, and whether it differs.
func clean(text string) (out string, altered bool) {
	if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
		return text, false
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, replacement), "\x00", replacement), true
}

// cleanJSON returns v as JSON without NUL in its texts. PostgreSQL would store such a text, but
// could then not read any field of the object. altered is false if nothing was replaced.
func cleanJSON(v any) (text string, altered bool, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", false, err
	}
	var out bytes.Buffer
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			break
		}
		if bytes.HasPrefix(b[i:], []byte(`\u0000`)) {
			out.Write(b[:i])
			out.WriteString(`\ufffd`)
			b, altered = b[i+6:], true
			continue
		}
		out.Write(b[:i+2])
		b = b[i+2:]
	}
	out.Write(b)
	return out.String(), altered, nil
}
