package pg

import (
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/internal/words"
)

// Limits of a tsvector: what is beyond them PostgreSQL refuses or, worse, leaves out. They leave
// some room.
const (
	maxPosition = 16000   // of 16,383
	maxOfWord   = 250     // positions of one word, of 256
	maxWord     = 2000    // bytes, of 2,046
	maxVector   = 512_000 // bytes of all its words, of 1 MiB
)

// vectors returns the words of a message's two texts as tsvectors. Words of the first text have
// weight A, those of the second B, and between them is a gap, so that no phrase is in both. If
// there is more than one vector, or whole is false, phrases and words may be missing: the message
// itself must be looked into.
func vectors(texts [2]string) (out []string, whole bool) {
	v, whole := newVector(), true
	for i, text := range texts {
		for _, word := range words.Split(text) {
			if len(word) > maxWord {
				whole = false
				v.at++ // what is before and behind it is no phrase
				continue
			}
			if v.full(word) {
				out, whole = append(out, v.String()), false
				v = newVector()
			}
			v.add(word, "AB"[i])
		}
		v.at++
	}
	return append(out, v.String()), whole
}

// vector is a tsvector that is being built.
type vector struct {
	at    int // the last position
	size  int
	words map[string][]byte // their positions, with the weights
	count map[string]int
}

func newVector() *vector { return &vector{words: map[string][]byte{}, count: map[string]int{}} }

func (v *vector) full(word string) bool {
	return v.at >= maxPosition || v.count[word] >= maxOfWord || v.size+len(word) > maxVector
}

func (v *vector) add(word string, weight byte) {
	v.at++
	places := v.words[word]
	if places == nil {
		v.size += len(word) + 4
	} else {
		places = append(places, ',')
	}
	v.size += 2
	v.count[word]++
	v.words[word] = append(strconv.AppendInt(places, int64(v.at), 10), weight)
}

// String returns the vector as PostgreSQL reads it. Words have no quotes in them.
func (v *vector) String() string {
	var b strings.Builder
	for word, places := range v.words {
		b.WriteString("'" + word + "':")
		b.Write(places)
		b.WriteByte(' ')
	}
	return b.String()
}

// tsquery returns a query as PostgreSQL reads it; "" if it finds nothing.
func tsquery(e *words.Expr) string {
	if e.Op == words.Phrase {
		return phrase(e.Words, e.Prefix)
	}
	left, right := tsquery(e.Left), tsquery(e.Right)
	switch {
	case e.Op == words.Or && left == "":
		return right
	case e.Op != words.And && right == "":
		return left
	case left == "" || right == "":
		return ""
	}
	return "(" + left + map[words.Op]string{words.And: " & ", words.Or: " | ", words.Not: " & !"}[e.Op] + right + ")"
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

// anyOf returns a query that finds each part of a message that may match: the first word of some
// phrase is in it. all means that such a word is in no vector, so any message may match.
func anyOf(e *words.Expr) (query string, all bool) {
	switch {
	case e.Op == words.Not:
		return anyOf(e.Left)
	case e.Op != words.Phrase:
		left, all := anyOf(e.Left)
		right, allRight := anyOf(e.Right)
		if left != "" && right != "" {
			left += " | "
		}
		return left + right, all || allRight
	case len(e.Words) == 0:
		return "", false
	case len(e.Words[0]) > maxWord:
		return "", true
	}
	// The last word may go on to be too long for a vector.
	return phrase(e.Words[:1], e.Prefix && len(e.Words) == 1), e.Prefix && len(e.Words) == 1
}
