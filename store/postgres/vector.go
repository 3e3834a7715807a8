package postgres

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/ptyrec/ptyrec/store/fts"
)

// Limits of a tsvector. What exceeds them, PostgreSQL rejects or, worse, silently drops. They are a
// little lower than PostgreSQL's.
const (
	maxPosition = 16000   // PostgreSQL's is 16,383
	maxOfWord   = 250     // positions of one word; PostgreSQL's is 256
	maxWord     = 2000    // bytes; PostgreSQL's is 2,046
	maxVector   = 512_000 // bytes of all words and positions; PostgreSQL's is 1 MiB
)

// vectors returns the words of a message's two texts as tsvectors. Words of the first text have
// weight A, those of the second B. A gap in the positions separates them, so that no phrase spans
// both. whole reports whether one vector holds everything. Otherwise phrases and words may be
// missing from the vectors, and the message itself must be read.
func vectors(texts [2]string) (out []pgtype.TSVector, whole bool) {
	lists := [2][]string{fts.Split(texts[0]), fts.Split(texts[1])}
	v, whole := &vector{places: make([]place, 0, min(len(lists[0])+len(lists[1]), maxPosition))}, true
	for i, list := range lists {
		for _, word := range list {
			if len(word) > maxWord {
				whole = false
				v.at++ // separates what is before it from what follows
				continue
			}
			if v.full(word) {
				out, whole = append(out, v.sorted()), false
				v = &vector{}
			}
			v.add(word, [2]pgtype.TSVectorWeight{pgtype.TSVectorWeightA, pgtype.TSVectorWeightB}[i])
		}
		v.at++
	}
	return append(out, v.sorted()), whole
}

// vector is a tsvector under construction.
type vector struct {
	at     int // the last position
	size   int // upper bound of its size in bytes
	places []place
	count  map[string]int // number of positions of each word; nil if there are too few to matter
}

// place is a word at its position.
type place struct {
	word string
	pgtype.TSVectorPosition
}

func (v *vector) full(word string) bool {
	if v.count == nil && len(v.places) >= maxOfWord {
		v.count = map[string]int{}
		for _, p := range v.places {
			v.count[p.word]++
		}
	}
	return v.at >= maxPosition || v.size+len(word) > maxVector || v.count[word] >= maxOfWord
}

func (v *vector) add(word string, weight pgtype.TSVectorWeight) {
	v.at++
	v.size += len(word) + 6
	v.places = append(v.places, place{word, pgtype.TSVectorPosition{Position: uint16(v.at), Weight: weight}})
	if v.count != nil {
		v.count[word]++
	}
}

// sorted returns the vector with its words in PostgreSQL's order, so that PostgreSQL need not sort
// them.
func (v *vector) sorted() pgtype.TSVector {
	order := make([]uint16, len(v.places))
	for i := range order {
		order[i] = uint16(i)
	}
	slices.SortFunc(order, func(a, b uint16) int {
		return cmp.Or(strings.Compare(v.places[a].word, v.places[b].word), int(a)-int(b))
	})
	out := pgtype.TSVector{Valid: true, Lexemes: make([]pgtype.TSVectorLexeme, 0, len(order))}
	positions := make([]pgtype.TSVectorPosition, len(order))
	first, last := 0, ""
	for i, n := range order {
		p := v.places[n]
		positions[i] = p.TSVectorPosition
		if i == 0 || p.word != last {
			out.Lexemes, first, last = append(out.Lexemes, pgtype.TSVectorLexeme{Word: p.word}), i, p.word
		}
		out.Lexemes[len(out.Lexemes)-1].Positions = positions[first : i+1]
	}
	return out
}

// tsquery returns a query in PostgreSQL's syntax, or "" if it matches nothing.
func tsquery(e *fts.Expr) string {
	if e.Op == fts.Phrase {
		return phrase(e.Words, e.Prefix)
	}
	left, right := tsquery(e.Left), tsquery(e.Right)
	switch {
	case e.Op == fts.Or && left == "":
		return right
	case e.Op != fts.And && right == "":
		return left
	case left == "" || right == "":
		return ""
	}
	return "(" + left + map[fts.Op]string{fts.And: " & ", fts.Or: " | ", fts.Not: " & !"}[e.Op] + right + ")"
}

func phrase(list []string, prefix bool) string {
	quoted := make([]string, len(list))
	for i, word := range list {
		if len(word) > maxWord {
			return ""
		}
		quoted[i] = "'" + word + "'"
	}
	if len(list) == 0 {
		return ""
	}
	if prefix {
		quoted[len(list)-1] += ":*"
	}
	return "(" + strings.Join(quoted, " <-> ") + ")"
}

// anyOf returns a query that matches every vector which can decide whether its message matches: one
// with the first word of some phrase. all reports that such a word may be in no vector, so that any
// message may match.
func anyOf(e *fts.Expr) (query string, all bool) {
	switch {
	case e.Op != fts.Phrase:
		left, all := anyOf(e.Left)
		right, allRight := anyOf(e.Right)
		if left != "" && right != "" {
			left += " | "
		}
		return left + right, all || allRight && e.Op != fts.Not
	case len(e.Words) == 0:
		return "", false
	case len(e.Words[0]) > maxWord:
		return "", true
	}
	// The prefix may be that of a word that is too long for a vector.
	return phrase(e.Words[:1], e.Prefix && len(e.Words) == 1), e.Prefix && len(e.Words) == 1
}

// certainty returns two conditions on the rows w of one message: that it surely matches, and that
// it surely does not. If neither holds, the message itself must be read, because of a phrase that
// spans two vectors or a word that is too long for a vector.
func certainty(e *fts.Expr, a *args) (yes, no string) {
	if e.Op == fts.Phrase {
		query := phrase(e.Words, e.Prefix)
		if query == "" {
			return "false", "false"
		}
		yes = "bool_or(w.words @@ " + a.add(query) + "::tsquery)"
		if len(e.Words) > 1 || e.Prefix {
			return yes, "false"
		}
		return yes, "NOT " + yes
	}
	left, noLeft := certainty(e.Left, a)
	right, noRight := certainty(e.Right, a)
	switch e.Op {
	case fts.And:
		return "(" + left + " AND " + right + ")", "(" + noLeft + " OR " + noRight + ")"
	case fts.Or:
		return "(" + left + " OR " + right + ")", "(" + noLeft + " AND " + noRight + ")"
	}
	return "(" + left + " AND " + noRight + ")", "(" + noLeft + " OR " + right + ")"
}
