package picker

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// row is a session in the list, with the texts to show and match. Each is one line without control
// characters.
type row struct {
	info                 *store.Info
	title, agent, folder string
	status               string
	live                 bool   // attach can reach it
	text                 string // all texts and the session's id, in lower case, the title first
	titleEnd             int    // end of the title in text
	at                   int    // index among all rows
}

// titleSize is the maximum length of a title in the list, in characters.
const titleSize = 200

func newRow(info *store.Info, sockets map[string]string) *row {
	r := &row{
		info: info, title: printable.Clip(listing.Titled(info), titleSize), folder: listing.Folder(info.Cwd),
		live:   listing.Joinable(info, sockets),
		status: listing.Status(info, sockets),
	}
	if len(info.Agents) > 0 {
		r.agent = listing.Agent(info)
	}
	r.titleEnd = len(strings.ToLower(r.title))
	r.text = strings.ToLower(strings.Join([]string{r.title, r.agent, r.folder, r.status, info.ID}, " "))
	return r
}

// filter returns the rows that match each word of a query: first the rows that contain all words,
// in their order, then the rows whose titles contain the characters of the other words in sequence,
// best first.
func filter(rows []*row, query string) []*row {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return rows
	}
	var found, rest []*row
	for _, r := range rows {
		if r.missing(words) == 0 {
			found = append(found, r)
		} else {
			rest = append(rest, r)
		}
	}
	return append(found, resembling(rest, words)...)
}

// missing returns the number of words that the row does not contain.
func (r *row) missing(words []string) (n int) {
	for _, word := range words {
		if !strings.Contains(r.text, word) {
			n++
		}
	}
	return n
}

// scored is a row with the sum of its words' scores.
type scored struct {
	*row
	score int
}

// resembling returns the rows that contain each word, or have its characters in sequence in their
// title, best first.
func resembling(rows []*row, words []string) []*row {
	var found []scored
	for _, r := range rows {
		if score, ok := r.score(words); ok {
			found = append(found, scored{r, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]*row, len(found))
	for i, s := range found {
		out[i] = s.row
	}
	return out
}

// score rates how well a row matches: 0 if it contains all words, and less for words whose
// characters it has in sequence. ok is false if a word does not match.
func (r *row) score(words []string) (score int, ok bool) {
	for _, word := range words {
		if strings.Contains(r.text, word) {
			continue
		}
		gap, ok := gapOf(r.text[:r.titleEnd], word)
		if !ok {
			return 0, false
		}
		score -= gap
	}
	return score, true
}

// insideWord is the penalty for a sequence that begins inside a word, in bytes of a gap.
const insideWord = 8

// gapOf finds the characters of a word in sequence in a title, and returns the number of bytes
// between them. Among the sequences that end at the first possible place, it uses the shortest.
func gapOf(title, word string) (gap int, ok bool) {
	end := 0
	for _, r := range word {
		at := strings.Index(title[end:], string(r))
		if at < 0 {
			return 0, false
		}
		end += at + utf8.RuneLen(r)
	}
	start := end
	for rest := word; rest != ""; {
		_, size := utf8.DecodeLastRuneInString(rest)
		start = strings.LastIndex(title[:start], rest[len(rest)-size:])
		rest = rest[:len(rest)-size]
	}
	gap = end - start - len(word)
	if start > 0 && title[start-1] != ' ' {
		gap += insideWord
	}
	return gap, true
}
