package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

func (s *Server) searchTool() tool {
	return tool{
		name: "search", title: "Search what was said",
		about: "Search the messages of all recorded sessions: prompts, replies, tool calls, shell commands. Each hit has " +
			"a ref for read_session. " +
			`All words must occur; "a phrase", pre*, AND, OR, NOT and parentheses work.`,
		params: slices.Concat([]param{
			{name: "query", kind: kindText, about: "Words", required: true, most: maxText},
			{name: "role", kind: kindTexts, oneOf: roles, about: "Only messages of these"},
		}, filterParams, []param{limitParam(50, 10), cursorParam}),
		result: "about hits[ref session seq?:i role agent at title cwd snippet] next_cursor?",
		reads:  true,
		run:    s.search,
	}
}

type hitItem struct {
	Ref     string `json:"ref"`
	Session string `json:"session"`
	Seq     int    `json:"seq,omitempty"` // 0: the session's name, tags or note match
	Role    string `json:"role"`
	Agent   string `json:"agent"`
	At      string `json:"at"`
	Title   string `json:"title"`
	Cwd     string `json:"cwd"`
	Snippet string `json:"snippet"`
}

// roleSession is the role of a hit in the title, the tags or the note of a session.
const roleSession = "session"

type hitList struct {
	About      string    `json:"about"`
	Hits       []hitItem `json:"hits"`
	NextCursor string    `json:"next_cursor,omitempty"`
}

// maxHits is the maximum number of hits of a query, on all pages.
const maxHits = 1000

func (s *Server) search(ctx context.Context, c *toolCall) (answer, error) {
	f, err := s.filter(c.arguments)
	if err != nil {
		return answer{}, err
	}
	q := store.Query{Text: c.text("query"), Roles: c.texts("role"), Filter: f}
	if !q.HasWords() {
		return answer{}, toolErrorf("query has no word to search for. Write words, \"a phrase\" or a beginning such as " +
			"cach*.")
	}
	from, err := firstHit(c.arguments)
	if err != nil {
		return answer{}, err
	}
	db, err := s.open(ctx)
	if err != nil {
		return answer{}, err
	}
	list := hitList{About: about, Hits: []hitItem{}}
	if db == nil {
		return answer{structured: list, text: string(errNoSessions)}, nil
	}
	if err := db.Past.ReadOut(ctx); err != nil {
		return answer{}, err
	}
	limit := c.whole("limit")
	hits, labels, err := searchAll(ctx, db.Store, q, from+limit+1)
	if err != nil {
		return answer{}, err
	}
	titles := map[string]string{}
	for i := from; i < min(from+limit, len(hits)+len(labels)); i++ {
		if i < len(hits) {
			list.Hits = append(list.Hits, s.hit(ctx, db, q, hits[i], titles))
		} else {
			list.Hits = append(list.Hits, s.labelHit(ctx, db, labels[i-len(hits)]))
		}
	}
	if next := from + limit; next < len(hits)+len(labels) && next < maxHits {
		list.NextCursor = cursorOf("search", c.arguments, strconv.Itoa(next))
	}
	return answer{structured: list, text: list.text()}, nil
}

// firstHit returns the number of the hit at which the cursor in the arguments continues, or 0.
func firstHit(arguments map[string]any) (int, error) {
	place, err := placeOf("search", arguments)
	if err != nil || place == "" {
		return 0, err
	}
	from, err := strconv.Atoi(place)
	if err != nil || from < 0 || from > maxHits {
		return 0, errCursor
	}
	return from, nil
}

// searchAll returns the first n hits: messages, then sessions whose title, tags or note match.
func searchAll(ctx context.Context, db *sqlite.Store, q store.Query, n int) (hits []*store.Hit,
	labels []*store.LabelHit, err error) {
	q.Filter.Limit = n
	if hits, err = db.Search(ctx, q); err != nil || len(hits) >= n || len(q.Roles) > 0 {
		return hits, nil, err
	}
	if labels, err = db.SearchLabels(ctx, q); err != nil {
		return nil, nil, err
	}
	labels = slices.DeleteFunc(labels, func(l *store.LabelHit) bool {
		// A title may quote a message that is already among the hits.
		return l.Session.Name == "" && l.Session.Note == "" && len(l.Session.Tags) == 0 &&
			slices.ContainsFunc(hits, func(h *store.Hit) bool { return h.Session.ID == l.Session.ID })
	})
	return hits, labels[:min(len(labels), n-len(hits))], nil
}

func (s *Server) hit(ctx context.Context, db *Archive, q store.Query, h *store.Hit, titles map[string]string) hitItem {
	id := h.Session.ID
	if _, ok := titles[id]; !ok {
		titles[id] = s.title(ctx, db, h.Session)
	}
	return hitItem{
		Ref: refOf(id, h.Entry.Seq), Session: id, Seq: h.Entry.Seq, Role: h.Entry.Role, Agent: s.line(h.Entry.Agent),
		At:    clock(h.Entry.At),
		Title: titles[id], Cwd: s.line(h.Session.Cwd), Snippet: q.Snippet(s.entry(h.Entry, h.Session.Command)).Text,
	}
}

func (s *Server) labelHit(ctx context.Context, db *Archive, l *store.LabelHit) hitItem {
	text := s.line(strings.Join(append([]string{l.Session.Title, l.Session.Note}, l.Session.Tags...), " "))
	return hitItem{
		Ref: l.Session.ID, Session: l.Session.ID, Role: roleSession, At: clock(l.Session.StartedAt),
		Title: s.title(ctx, db, l.Session), Cwd: s.line(l.Session.Cwd), Snippet: clip(text, maxShown),
	}
}

func (l hitList) text() string {
	if len(l.Hits) == 0 {
		return "No matches. Try fewer words, a beginning such as cach*, or OR between them."
	}
	var b strings.Builder
	for _, h := range l.Hits {
		fmt.Fprintf(&b, "%s | %s | %s | %s | in %q\n  %s\n", h.Ref, speaker(h.Role, h.Agent), h.At, h.Cwd, h.Title, h.Snippet)
	}
	return fmt.Sprintf("%s. read_session with a ref reads on from there.\n%s%s", counted(len(l.Hits), "hit"),
		recorded(b.String()), more(l.NextCursor))
}

// speaker names the speaker of a message.
func speaker(role, agent string) string {
	if agent == "" {
		return role
	}
	return role + " (" + agent + ")"
}
