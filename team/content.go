package team

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// content is what leaves this machine of a session: without secrets, without what was typed.
type content struct {
	session  session.Session
	info     *store.Info
	name     string // the user's, and the note
	note     string
	segments []store.Segment
	entries  []json.RawMessage
	digest   string // of the entries
	usage    []session.Usage
}

// segmentsDigest returns the digest of all segments.
func (c *content) segmentsDigest() string {
	h := sha256.New()
	for _, seg := range c.segments {
		sum := sha256.Sum256(seg.Data)
		_, _ = h.Write(sum[:]) // never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// events returns how many events the raw log has.
func (c *content) events() int64 {
	if len(c.segments) == 0 {
		return 0
	}
	return c.segments[len(c.segments)-1].EndEvent
}

// read reads a session to its end. home is written as ~ in its folder and its command.
func read(ctx context.Context, l *library.Library, info *store.Info, home string, raw bool) (*content, error) {
	t, err := l.Transcript(ctx, info)
	if err != nil {
		return nil, err
	}
	c := &content{session: t.Session, info: info, name: l.Redact.Title(info.Name, nil), note: l.Redact.Title(info.Note, nil)}
	c.session.Cwd, c.session.Title = tilde(c.session.Cwd, home), tilde(c.session.Title, home)
	c.session.Command = slices.Clone(c.session.Command)
	for i, arg := range c.session.Command {
		c.session.Command[i] = tilde(arg, home)
	}
	type sum struct {
		id  string
		sum [sha256.Size]byte
	}
	var sums []sum
	for _, e := range t.Entries {
		raw, err := encode(e, home)
		if err != nil {
			return nil, err
		}
		c.entries, sums = append(c.entries, raw), append(sums, sum{e.ID, sha256.Sum256(raw)})
	}
	slices.SortFunc(sums, func(a, b sum) int { return cmp.Compare(a.id, b.id) })
	h := sha256.New()
	for _, s := range sums {
		_, _ = h.Write(s.sum[:]) // never fails
	}
	c.digest = hex.EncodeToString(h.Sum(nil))
	if raw {
		c.segments, err = segments(ctx, l, info)
	}
	return c, err
}

// tilde writes the home folder as ~ wherever a path in text begins with it.
func tilde(text, home string) string {
	if len(home) < 2 {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, home)
		if i < 0 {
			return b.String() + text
		}
		end := i + len(home)
		b.WriteString(text[:i])
		if end == len(text) || strings.ContainsRune("/ \"':", rune(text[end])) {
			b.WriteString("~")
		} else {
			b.WriteString(home)
		}
		text = text[end:]
	}
}

// maxField is how long a text of an entry may be that is too large to be sent, in bytes.
const maxField = 512 << 10

// encode returns the JSON of an entry. One that the server would refuse is cut, and says so.
func encode(e *session.Entry, home string) (json.RawMessage, error) {
	c := *e
	c.Cwd = tilde(c.Cwd, home)
	raw, err := json.Marshal(&c)
	if err != nil || len(raw) <= maxBatch {
		return raw, err
	}
	cut := func(text *string) {
		if len(*text) > maxField {
			*text = strings.ToValidUTF8((*text)[:maxField], "")
			c.Truncate(session.TruncatedTail)
		}
	}
	cut(&c.Text)
	cut(&c.Markdown)
	cut(&c.Output)
	if c.Tool != nil {
		tool := *c.Tool
		cut(&tool.Input)
		cut(&tool.Output)
		tool.Truncated = true
		c.Tool = &tool
	}
	c.Data = nil
	return json.Marshal(&c)
}

// segments returns the raw log as it is sent. What was typed, and what others noted, keeps its
// place and loses its data.
func segments(ctx context.Context, l *library.Library, info *store.Info) ([]store.Segment, error) {
	source, err := archive.NewMasked(ctx, l.Store, info, l.Redact)
	if err != nil {
		return nil, err
	}
	defer source.Stop()
	rec := store.NewRecording(info.Cols, info.Rows)
	for {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			return rec.Segments(), nil
		}
		if err != nil {
			return nil, err
		}
		if e.Kind == session.Input || e.Kind == session.Marker {
			e.Data = nil
		}
		rec.Write(e)
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
