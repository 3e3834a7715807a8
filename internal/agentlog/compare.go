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

// Comparison is the result of comparing a transcript with an agent's log.
type Comparison struct {
	Want  int     `json:"messages"` // number of messages in the log
	Have  int     `json:"found"`    // number of them in the transcript
	Exact int     `json:"exact"`
	Chars float64 `json:"chars"` // share of matching characters
	// Interrupted messages that are not in the log, because agents log only complete ones.
	Cut     int          `json:"cut_off"`
	Differs []Difference `json:"differences"`
}

// Difference is a message that differs between log and transcript.
type Difference struct {
	Kind string     `json:"kind"`
	Seq  int        `json:"seq,omitempty"` // number in the transcript; 0 if it is missing there
	At   *time.Time `json:"at,omitempty"`  // time in the log; nil if it is missing there
	Role string     `json:"role"`
	Want string     `json:"want,omitempty"`
	Have string     `json:"have,omitempty"`
}

// Kinds of differences.
const (
	Missing = "missing" // a message of the log is not in the transcript
	More    = "more"    // a message of the transcript is not in the log
	Differs = "differs" // the message has different words
)

// compare aligns two conversations in order, and compares their messages.
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

// extra records a message that is not in the log, and returns its length in characters, as far as
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
// maximises the amount of matching text.
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

// likeness is 1 for equal texts, and 0 if less than a third of the words match.
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
	blockMarks = lazy.Regexp("(?m)^[ \t]*(#{1,6}[ \t]+|[-*+•][ \t]+|>[ \t]?|(```|~~~).*$|\\|?[ \t]*:?-{2,}[-:| " +
		"\t]*$)|\\|")
	inlineMarks = lazy.Regexp("\\*|__|`|\\\\")
	linking     = lazy.Regexp(`\[([^\]]*)\]\(([^)]*)\)`)
	bracketed   = lazy.Regexp(`\((\w+://[^)\s]*)\)`) // the address of a link, which agents show after its text
)

// plainText returns the words of Markdown. Markup is not compared.
func plainText(text string) string {
	text = bracketed().ReplaceAllString(linking().ReplaceAllString(text, "$1 $2"), "$1")
	text = inlineMarks().ReplaceAllString(blockMarks().ReplaceAllString(text, " "), "")
	return strings.Join(strings.Fields(text), " ")
}

// Words are the words of a text in the form in which they are compared.
type Words string

// WordsOf returns the words of Markdown.
func WordsOf(text string) Words { return Words(plainText(text)) }

// telling is the minimum length in bytes from which two texts have the same beginning only if they
// are related.
const telling = 16

// Telling reports whether the words are long enough to identify a text.
func (a Words) Telling() bool { return len(a) >= telling }

// Head returns the beginning of the words. Equal words have the same head, and so do telling words
// and longer ones that begin with them.
func (a Words) Head() string { return string(a[:min(telling, len(a))]) }

// Alike reports whether two texts are the same. The screen may show only a part of one, or
// different blanks.
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
// other, and the other lacks most of its words.
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

// textDistance returns the edit distance in characters.
func textDistance(a, b string) int {
	d := diffmatchpatch.New()
	return d.DiffLevenshtein(d.DiffMain(a, b, false))
}

// Text shows the differing words with a little context. removed and added mark the words that are
// only in the log, and only in the transcript.
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
			const context = 30 // in characters
			if r := []rune(text); len(r) > 2*context+3 {
				text = string(r[:context]) + " … " + string(r[len(r)-context:])
			}
			out.WriteString(text)
		}
	}
	return out.String()
}
