package team

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// content is what is sent of a session: without secrets and without input.
type content struct {
	session session.Session
	info    *store.Info
	name    string // set by the user, like the note
	note    string
	tags    []string
	raw     *pieces
	entries []json.RawMessage
	ids     []string                     // of the entries
	sums    map[string][sha256.Size]byte // digests of the entries by id
	digest  string                       // of all entries
	usage   []session.Usage
	live    bool            // the session is live
	open    map[string]bool // ids of entries that may still change, which are not sent while the session is live
	visits  []store.Visit   // folders that entries mention
}

// read reads a session to its end. home is replaced by ~. If folder is not empty, the raw log is
// read into a file in it and must be closed.
func read(ctx context.Context, l *library.Library, info *store.Info, home, folder string) (*content, error) {
	t, err := l.Transcript(ctx, info)
	if err != nil {
		return nil, err
	}
	h := homesOf(home)
	c := &content{session: t.Session, info: info, name: h.tilde(l.Redact.Title(info.Name, nil)),
		note: h.tilde(l.Redact.Title(info.Note,
			nil)), sums: map[string][sha256.Size]byte{}, live: info.Status == store.Live, open: map[string]bool{},
		raw: &pieces{}}
	for _, tag := range l.Redact.Tags(info.Tags) {
		c.tags = append(c.tags, h.tilde(tag))
	}
	c.session.Cwd, c.session.Title = h.tilde(c.session.Cwd), h.tilde(c.session.Title)
	if c.session.Source != nil {
		source := *c.session.Source
		source.Path = h.tilde(source.Path)
		c.session.Source = &source
	}
	c.session.Command = slices.Clone(c.session.Command)
	for i, arg := range c.session.Command {
		c.session.Command[i] = h.tilde(arg)
	}
	for _, e := range t.Entries {
		c.visits = append(c.visits, store.Visit{Folder: e.Cwd})
		if folder, ok := e.Data["cwd"].(string); ok {
			c.visits = append(c.visits, store.Visit{Folder: folder, Shown: true})
		}
		if c.live && !settled(e) {
			c.open[e.ID] = true
			continue
		}
		raw, err := encode(e, h)
		if err != nil {
			return nil, err
		}
		c.entries, c.ids, c.sums[e.ID] = append(c.entries, raw), append(c.ids, e.ID), sha256.Sum256(raw)
	}
	all := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(c.sums)) {
		sum := c.sums[id]
		_, _ = all.Write(sum[:]) // never fails
	}
	c.digest = hex.EncodeToString(all.Sum(nil))
	if folder != "" {
		if c.raw, err = rawLog(ctx, l, info, h, folder); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// maxField is the maximum length of a text in an entry that is too large to send, in bytes.
const maxField = 512 << 10

// encode returns the JSON of an entry. An entry that the server would reject is cut and marked.
func encode(e *session.Entry, h homes) (json.RawMessage, error) {
	c := *e
	h.entry(&c)
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

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
