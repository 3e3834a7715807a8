package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
)

// isCJK reports whether r belongs to a script without spaces between words, or to Hangul, whose
// endings a searcher omits. A trigram index would not find words of one or two characters, as most
// Chinese words are, and would take three times the space.
func isCJK(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// SpaceCJK puts spaces around each CJK character, so that the tokenizer treats it as a word. Text
// without such characters is returned unchanged.
func SpaceCJK(text string) string {
	if strings.IndexFunc(text, isCJK) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(2 * len(text))
	for _, r := range text {
		if isCJK(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Words is a query in the form that FTS5 accepts.
type Words struct {
	Parts  []string // terms quoted for FTS5, and operators
	Terms  []string // as typed
	Begins bool     // whether there is a prefix* term
}

// ParseWords parses a query. It cannot fail: it quotes what FTS5 would reject.
func ParseWords(text string) (q Words) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		var term string
		switch text[0] {
		case '(', ')':
			q.Parts, text = append(q.Parts, text[:1]), text[1:]
			continue
		case '"':
			term, text, _ = strings.Cut(text[1:], `"`)
		default:
			end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ')' || r == '"' })
			if end < 0 {
				end = len(text)
			}
			term, text = text[:end], text[end:]
			if term == "AND" || term == "OR" || term == "NOT" {
				q.Parts = append(q.Parts, term)
				continue
			}
		}
		prefix := strings.HasSuffix(term, "*") || strings.HasPrefix(text, "*")
		text = strings.TrimPrefix(text, "*")
		q.add(strings.TrimRight(term, "*"), prefix)
	}
	return q
}

// add adds a term, unless nothing in it is indexed.
func (q *Words) add(term string, prefix bool) {
	if strings.IndexFunc(term, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0 {
		return
	}
	quoted := `"` + strings.ReplaceAll(strings.TrimSpace(SpaceCJK(term)), `"`, `""`) + `"`
	if prefix {
		quoted += "*"
		q.Begins = true
	}
	q.Parts, q.Terms = append(q.Parts, quoted), append(q.Terms, term)
}

// unquoted returns the text of a term that add has quoted.
func unquoted(part string) (text string, prefix bool) {
	text, prefix = strings.CutSuffix(part, "*")
	return strings.ReplaceAll(text[1:len(text)-1], `""`, `"`), prefix
}

// Snippet is the part of a message that contains the match.
type Snippet struct {
	Text  string   // on one line
	Marks [][2]int // byte ranges [from, to) in Text that match, in order, not overlapping
}

const (
	snippetBefore = 40  // characters before the first match
	snippetSize   = 160 // characters
)

// Snippet returns the part of the message around the first match. It does not ignore accents: if no
// term occurs as typed, the snippet is the start of the message.
func (q Words) Snippet(e *session.Entry) Snippet {
	text := e.Text
	if e.Tool != nil {
		text = strings.Join([]string{e.Text, e.Tool.Input, e.Tool.Output}, "\n")
	} else if e.Output != "" {
		text += "\n" + e.Output
	}
	return q.SnippetOf(text)
}

// SnippetOf returns the text around the first term.
func (q Words) SnippetOf(text string) Snippet {
	text = strings.Join(strings.Fields(text), " ")
	first := -1
	for _, term := range q.Terms {
		if at, _ := indexFold(text, term); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	s := Snippet{Text: window(text, max(first, 0))}
	for at := 0; at < len(s.Text); {
		from, to := q.firstMark(s.Text[at:])
		if from < 0 {
			break
		}
		s.Marks = append(s.Marks, [2]int{at + from, at + to})
		at += to
	}
	return s
}

// firstMark returns the earliest match of a term, and the longest of those at the same place.
func (q Words) firstMark(text string) (from, to int) {
	from = -1
	for _, term := range q.Terms {
		at, end := indexFold(text, term)
		if at >= 0 && (from < 0 || at < from || at == from && end > to) {
			from, to = at, end
		}
	}
	return from, to
}

// window returns snippetSize characters of text around the byte offset at, with … where text is cut
// off.
func window(text string, at int) string {
	start, end := at, at
	for n := 0; n < snippetBefore && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	for n := 0; n < snippetSize && end < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	out := text[start:end]
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return out
}

// indexFold returns the byte range of the first match of term in text, ignoring case. from is -1 if
// there is none.
func indexFold(text, term string) (from, to int) {
	for i := range text {
		if n := foldedPrefix(text[i:], term); n > 0 {
			return i, i + n
		}
	}
	return -1, -1
}

// foldedPrefix returns how many bytes of text term matches at its start, ignoring case. It returns
// 0 if text does not start with term.
func foldedPrefix(text, term string) (n int) {
	for _, want := range term {
		got, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || unicode.ToLower(got) != unicode.ToLower(want) {
			return 0
		}
		n += size
	}
	return n
}
