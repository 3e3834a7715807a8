package store

import (
	"context"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/fts"
)

// Query is a full-text query.
type Query struct {
	// Text consists of words, "phrases", prefix*, AND, OR, NOT and parentheses. Adjacent words must
	// all match. Case and accents are ignored. A run of CJK characters matches anywhere in a
	// sentence.
	Text   string
	Roles  []string // match any of these roles; empty: all
	Filter Filter   // selects the sessions; Limit is the maximum number of hits, 0 means 50
}

// Snippet returns the part of e that contains the match.
func (q Query) Snippet(e *session.Entry) Snippet { return ParseWords(q.Text).Snippet(e) }

// SnippetOf returns the part of a text that contains the match.
func (q Query) SnippetOf(text string) Snippet { return ParseWords(q.Text).SnippetOf(text) }

// HasWords reports whether the query contains anything to search for.
func (q Query) HasWords() bool { return len(ParseWords(q.Text).Terms) > 0 }

// Limit returns the maximum number of hits.
func (q Query) Limit() int {
	if q.Filter.Limit == 0 {
		return defaultHits
	}
	return q.Filter.Limit
}

// Hit is a message that matches a query.
type Hit struct {
	Session *Info
	Entry   *session.Entry
	Snippet Snippet
}

// defaultHits is the maximum number of hits of a query without a limit.
const defaultHits = 50

// Searcher searches a database's messages and labels.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]*Hit, error)
	SearchLabels(ctx context.Context, q Query) ([]*LabelHit, error)
}

// SearchBoth implements Reader.SearchAll for a Searcher.
func SearchBoth(ctx context.Context, s Searcher, q Query) (labels []*LabelHit, hits []*Hit, err error) {
	if hits, err = s.Search(ctx, q); err != nil || len(q.Roles) > 0 || q.Filter.ID != "" {
		return nil, hits, err
	}
	if labels, err = s.SearchLabels(ctx, q); err != nil {
		return nil, nil, err
	}
	labels = slices.DeleteFunc(labels, func(l *LabelHit) bool {
		// A title may quote a message that is already among the hits.
		return l.Session.Name == "" && l.Session.Note == "" && len(l.Session.Tags) == 0 &&
			slices.ContainsFunc(hits, func(h *Hit) bool { return h.Session.ID == l.Session.ID })
	})
	limit := q.Limit()
	labels = labels[:min(len(labels), max((limit+1)/2, limit-len(hits)))]
	return labels, hits[:min(len(hits), limit-len(labels))], nil
}

// LabelHit is a session whose name, tags, note or title matches a query.
type LabelHit struct {
	Session *Info
	Snippet Snippet // from the name, the tags and the note; from the title if there is no name
}

// Labels returns the text that SearchLabels searches in a session: title, note and tags.
func (i *Info) Labels() string {
	return strings.Join(append([]string{i.Title, i.Note}, i.Tags...), "\n")
}

// SearchEntries searches the entries of a session that is not in a database, with the same result
// as a database. The hits are in the order of the entries. Of the query's filter, only the limit is
// used.
func SearchEntries(q Query, info *Info, entries []*session.Entry) (hits []*Hit) {
	expr := q.Expr()
	if expr == nil {
		return nil
	}
	for _, e := range entries {
		if e.Type != session.TypeMessage || len(q.Roles) > 0 && !slices.Contains(q.Roles, e.Role) {
			continue
		}
		texts := Indexed(e)
		if !expr.Match(fts.NewText(texts[0]), fts.NewText(texts[1])) {
			continue
		}
		if hits = append(hits, &Hit{info, e, q.Snippet(e)}); len(hits) == q.Limit() {
			break
		}
	}
	return hits
}

// Expr returns the parsed query, or nil if it contains no words.
func (q Query) Expr() *fts.Expr {
	var parts []fts.Part
	for _, part := range ParseWords(q.Text).Parts {
		if part[0] != '"' {
			parts = append(parts, fts.Part{Operator: part})
			continue
		}
		text, prefix := unquoted(part)
		parts = append(parts, fts.Part{Text: text, Prefix: prefix})
	}
	return fts.Parse(parts)
}
