package agentlog

import (
	"cmp"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// Comparison compares a transcript with what an agent logged.
type Comparison struct {
	Want    int          `json:"messages"` // in the log
	Have    int          `json:"found"`    // in the transcript
	Exact   int          `json:"exact"`
	Chars   float64      `json:"chars"`   // share of characters that are right
	Cut     int          `json:"cut_off"` // interrupted messages that the log does not have: agents log whole ones
	Differs []Difference `json:"differences"`
}

// Difference is a message that is not the same in both.
type Difference struct {
	Kind string     `json:"kind"`
	Seq  int        `json:"seq,omitempty"` // in the transcript; 0 if it is missing there
	At   *time.Time `json:"at,omitempty"`  // in the log; nil if it is missing there
	Role string     `json:"role"`
	Want string     `json:"want,omitempty"`
	Have string     `json:"have,omitempty"`
}

// Kinds of differences.
const (
	Missing = "missing" // the transcript lacks a message of the log
	More    = "more"    // the log lacks a message of the transcript
	Differs = "differs" // both have it, with other words
)

// compare aligns two conversations in order, and counts.
func compare(want []message, have []*session.Entry) Comparison {
	c := Comparison{Want: len(want), Have: len(have), Differs: []Difference{}}
	pairs := alignMessages(want, have)
	wrong, all := 0, 0
	at := 0
	for i, m := range want {
		text := plainText(m.Text)
		size := len([]rune(text))
		all += size
		j := pairs[i]
		if j < 0 {
			wrong += size
			c.Differs = append(c.Differs, Difference{Kind: Missing, At: when(m), Role: m.Role, Want: text})
			continue
		}
		for ; at < j; at++ {
			wrong += c.extra(have[at])
		}
		at = j + 1
		got := plainText(cmp.Or(have[j].Markdown, have[j].Text))
		if got == text {
			c.Exact++
			continue
		}
		wrong += textDistance(text, got)
		c.Differs = append(c.Differs, Difference{Differs, have[j].Seq, when(m), m.Role, text, got})
	}
	for ; at < len(have); at++ {
		wrong += c.extra(have[at])
	}
	c.Chars = 1
	if all > 0 {
		c.Chars = max(0, 1-float64(wrong)/float64(all))
	}
	return c
}

// when returns the time of a message, or nil if the log does not have it.
func when(m message) *time.Time {
	if m.At.IsZero() {
		return nil
	}
	return &m.At
}

// extra notes a message that the log does not have, and returns its length in characters, as far as
// it counts.
func (c *Comparison) extra(e *session.Entry) int {
	if e.Status == session.StatusPartial {
		c.Cut++
		return 0
	}
	text := plainText(cmp.Or(e.Markdown, e.Text))
	c.Differs = append(c.Differs, Difference{Kind: More, Seq: e.Seq, Role: e.Role, Have: text})
	return len([]rune(text))
}

// alignMessages returns, for each message of want, the index of its counterpart in have, or -1. It
// makes as much text as possible agree.
func alignMessages(want []message, have []*session.Entry) []int {
	best := make([][]float64, len(want)+1)
	for i := range best {
		best[i] = make([]float64, len(have)+1)
	}
	alike := make([][]float64, len(want))
	for i := len(want) - 1; i >= 0; i-- {
		alike[i] = make([]float64, len(have))
		for j := len(have) - 1; j >= 0; j-- {
			if want[i].Role == have[j].Role {
				alike[i][j] = likeness(plainText(want[i].Text), plainText(cmp.Or(have[j].Markdown, have[j].Text)))
			}
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+alike[i][j])
		}
	}
	pairs := make([]int, len(want))
	for i, j := 0, 0; i < len(want); i++ {
		pairs[i] = -1
		for j < len(have) && best[i][j] == best[i][j+1] && best[i][j] > best[i+1][j] {
			j++
		}
		if j < len(have) && alike[i][j] > 0 && best[i][j] == best[i+1][j+1]+alike[i][j] {
			pairs[i] = j
			j++
		}
	}
	return pairs
}

// likeness is 1 for the same text, and 0 where less than a third of the words agree.
func likeness(a, b string) float64 {
	if a == b {
		return 1
	}
	count := map[string]int{}
	words := strings.Fields(a)
	for _, w := range words {
		count[w]++
	}
	same, total := 0, len(words)
	for _, w := range strings.Fields(b) {
		total++
		if count[w] > 0 {
			count[w]--
			same++
		}
	}
	if share := 2 * float64(same) / float64(max(total, 1)); share >= 1./3 {
		return share
	}
	return 0
}

var (
	blockMarks  = lazy.Regexp("(?m)^[ \t]*(#{1,6}[ \t]+|[-*+•][ \t]+|>[ \t]?|(```|~~~).*$|\\|?[ \t]*:?-{2,}[-:| \t]*$)|\\|")
	inlineMarks = lazy.Regexp("\\*|__|`|\\\\")
	linking     = lazy.Regexp(`\[([^\]]*)\]\(([^)]*)\)`)
	bracketed   = lazy.Regexp(`\((\w+://[^)\s]*)\)`) // the address of a link, as agents show it behind the words
)

// plainText returns the words of Markdown, because markup is not compared.
func plainText(text string) string {
	text = bracketed().ReplaceAllString(linking().ReplaceAllString(text, "$1 $2"), "$1")
	text = inlineMarks().ReplaceAllString(blockMarks().ReplaceAllString(text, " "), "")
	return strings.Join(strings.Fields(text), " ")
}

// Words are the words of a text, as they are compared.
type Words string

// WordsOf returns the words of Markdown.
func WordsOf(text string) Words { return Words(plainText(text)) }

// telling is how many bytes no two texts begin with by chance.
const telling = 16

// Telling reports whether no other text has these words by chance.
func (a Words) Telling() bool { return len(a) >= telling }

// Head returns how the words begin. Those that are equal have the same head, and so have those that
// are telling and the beginning of others.
func (a Words) Head() string { return string(a[:min(telling, len(a))]) }

// Alike reports whether two texts are the same: the screen may show a part of one, or other blanks.
func (a Words) Alike(b Words) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return a.Telling() && strings.HasPrefix(string(b), string(a)) || likeness(string(a), string(b)) >= 0.7
}

// Unlike reports whether two texts cannot be the same: the shorter one is not the beginning of the
// other, and most of its words are not in there.
func (a Words) Unlike(b Words) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if strings.HasPrefix(string(b), string(a)) {
		return false
	}
	all := map[string]bool{}
	for word := range strings.FieldsSeq(string(b)) {
		all[word] = true
	}
	words, found := 0, 0
	for word := range strings.FieldsSeq(string(a)) {
		if words++; all[word] {
			found++
		}
	}
	return 2*found < words
}

// textDistance is how many characters one would have to change.
func textDistance(a, b string) int {
	d := diffmatchpatch.New()
	return d.DiffLevenshtein(d.DiffMain(a, b, false))
}

// Text shows how the words differ, with little of what does not. removed and added mark what only
// the log has, and what only the transcript has.
func (d Difference) Text(removed, added func(text string) string) string {
	dmp := diffmatchpatch.New()
	var out strings.Builder
	for _, part := range dmp.DiffCleanupSemantic(dmp.DiffMain(d.Want, d.Have, false)) {
		text := printable.Text(part.Text)
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			out.WriteString(removed(text))
		case diffmatchpatch.DiffInsert:
			out.WriteString(added(text))
		default:
			const context = 30 // characters
			if r := []rune(text); len(r) > 2*context+3 {
				text = string(r[:context]) + " … " + string(r[len(r)-context:])
			}
			out.WriteString(text)
		}
	}
	return out.String()
}
