package listing

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Hits are the results of a search.
type Hits struct {
	Sessions []*store.LabelHit // sessions whose title, note or tags match
	Entries  []*store.Hit
	IDs      ShortIDs // of the database
}

// Len returns the number of hits.
func (h *Hits) Len() int { return len(h.Sessions) + len(h.Entries) }

// hitItem is a hit in the search's JSON. Marks are byte ranges [from, to) in the snippet that
// match.
type hitItem struct {
	Ref     string         `json:"ref"` // argument for show
	Snippet string         `json:"snippet"`
	Marks   [][2]int       `json:"marks"`
	Entry   *session.Entry `json:"entry,omitempty"` // nil if the session's title, note or tags match
	Session Item           `json:"session"`
}

// WriteJSON writes the hits as JSON. sockets are the sockets of the live sessions by id.
func (h *Hits) WriteJSON(w io.Writer, sockets map[string]string) error {
	items := make([]hitItem, 0, h.Len())
	for _, hit := range h.Sessions {
		marks := append([][2]int{}, hit.Snippet.Marks...)
		items = append(items, hitItem{hit.Session.ID, hit.Snippet.Text, marks, nil, newItem(hit.Session, sockets)})
	}
	for _, hit := range h.Entries {
		marks := append([][2]int{}, hit.Snippet.Marks...)
		items = append(items, hitItem{refOf(hit.Session.ID, hit), hit.Snippet.Text, marks, hit.Entry,
			newItem(hit.Session, sockets)})
	}
	return printable.WriteJSON(w, items)
}

// refOf returns the reference of a hit, as an argument for show. id may be a short id.
func refOf(id string, hit *store.Hit) string { return fmt.Sprintf("%s#%d", id, hit.Entry.Seq) }

// HitsLook is how to format hits for people.
type HitsLook struct {
	Style cli.Style
	Width int // width of the window in columns; 0: no limit
	Named bool
	Now   time.Time
}

// Text returns the hits for people: for each, a line about its place, then the matching text.
func (h *Hits) Text(look HitsLook) string {
	var b strings.Builder
	for _, hit := range h.Sessions {
		h.writeSession(&b, hit, look)
	}
	for _, hit := range h.Entries {
		h.writeEntry(&b, hit, look)
	}
	return b.String()
}

func (l HitsLook) when(t time.Time) string {
	if l.Named {
		return Day(t.Local(), l.Now)
	}
	return t.Local().Format("2006-01-02 15:04")
}

func (h *Hits) writeSession(b *strings.Builder, hit *store.LabelHit, look HitsLook) {
	s := look.Style
	fmt.Fprintf(b, "%s  %s  %s\n%s%s\n", s.Paint(cli.Yellow, h.IDs.Of(hit.Session.ID)), look.when(hit.Session.StartedAt),
		s.Paint(cli.Cyan, "session"),
		snippetIndent, marked(hit.Snippet, s))
}

func (h *Hits) writeEntry(b *strings.Builder, hit *store.Hit, look HitsLook) {
	s := look.Style
	speaker := hit.Entry.Role
	if speaker == session.RoleAssistant && hit.Entry.Agent != "" {
		speaker = hit.Entry.Agent
	}
	head := fmt.Sprintf("%s  %s  %s", s.Paint(cli.Yellow, refOf(h.IDs.Of(hit.Session.ID), hit)), look.when(hit.Entry.At),
		s.Paint(cli.Cyan, printable.Line(speaker)))
	if text := Title(hit.Session); !strings.HasPrefix(hit.Entry.Text, strings.TrimSuffix(text, "…")) {
		head += s.Paint(cli.Dim, "  in "+printable.Clip(text, 60))
	}
	text := marked(hit.Snippet, s)
	if look.Width > 0 {
		head = ansi.Truncate(head, look.Width, "…")
		text = ansi.Wrap(text, max(10, look.Width-len(snippetIndent)), "")
	}
	fmt.Fprintf(b, "%s\n%s%s\n", head, snippetIndent, strings.ReplaceAll(text, "\n", "\n"+snippetIndent))
}

const snippetIndent = "    "

// marked returns a snippet with its matches coloured, or in brackets if colours are off.
func marked(sn store.Snippet, s cli.Style) string {
	var b strings.Builder
	at := 0
	for _, m := range sn.Marks {
		b.WriteString(printable.Text(sn.Text[at:m[0]]))
		if word := printable.Text(sn.Text[m[0]:m[1]]); s {
			b.WriteString(s.Paint(cli.Match, word))
		} else {
			b.WriteString("[" + word + "]")
		}
		at = m[1]
	}
	b.WriteString(printable.Text(sn.Text[at:]))
	return b.String()
}
