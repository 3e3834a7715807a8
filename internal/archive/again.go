package archive

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/internal/redact"
)

// hideAgain replaces the secrets in the text of a message, shown, by their marks in the message's
// Markdown, where formatting may split them. A secret that may be a word is replaced only where the
// text around it is the same. All others, and a word for which there is no such place, are replaced
// everywhere. The Markdown is read twice, however many secrets there are.
func hideAgain(markdown, shown string, matches []redact.Match) string {
	text := unformat(markdown)
	var phrases []phrase
	words := map[phrase]phrase{} // those that may be replaced everywhere, by where they are in shown
	for _, m := range matches {
		secret := newPhrase("", shown[m.Start:m.End], "", m.Rule)
		if mayBeWord().MatchString(shown[m.Start:m.End]) {
			before, behind := around(shown, m)
			place := newPhrase(before, shown[m.Start:m.End], behind, m.Rule)
			words[place] = secret
			secret = place
		}
		phrases = append(phrases, secret)
	}
	places := text.find(phrases, func(p phrase) { delete(words, p) })
	phrases = phrases[:0]
	for _, secret := range words {
		phrases = append(phrases, secret)
	}
	return text.replace(append(places, text.find(phrases, func(phrase) {})...))
}

// mayBeWord matches secrets that a text may contain by chance: short ones, and those of letters
// only.
var mayBeWord = lazy.Regexp(`^(?:.{1,4}|\p{L}{1,15}|\p{L}{1,5}[0-9]{1,3})$`)

// around returns a few bytes of ASCII before and after a secret in its line.
func around(text string, m redact.Match) (before, behind string) {
	const most = 8
	start, end := m.Start, m.End
	for start > 0 && m.Start-start < most && text[start-1] >= ' ' && text[start-1] < utf8.RuneSelf {
		start--
	}
	for end < len(text) && end-m.End < most && text[end] >= ' ' && text[end] < utf8.RuneSelf {
		end++
	}
	return text[start:m.Start], text[m.End:end]
}

// formatting has the characters that Markdown may have between two characters of its text.
const formatting = "\\*_~`"

// unformatted is Markdown and its text without the characters that may be formatting.
type unformatted struct {
	markdown, text string
	at             []int // where the bytes of text are in markdown
}

func unformat(markdown string) unformatted {
	u := unformatted{markdown: markdown}
	text := make([]byte, 0, len(markdown))
	for i, c := range []byte(markdown) {
		if strings.IndexByte(formatting, c) < 0 {
			text, u.at = append(text, c), append(u.at, i)
		}
	}
	u.text = string(text)
	return u
}

// phrase is a secret and the text around it, without the characters that may be formatting.
type phrase struct {
	text       string
	start, end int // of the secret in text
	mark       string
	before     int // how many characters of the secret before start may be formatting
	behind     int // and behind end
}

func newPhrase(before, secret, behind, rule string) phrase {
	before, behind, inner := unformat(before).text, unformat(behind).text, unformat(secret).text
	return phrase{
		text:   before + inner + behind,
		start:  len(before),
		end:    len(before) + len(inner),
		mark:   redact.Mark(rule),
		before: len(secret) - len(strings.TrimLeft(secret, formatting)),
		behind: len(secret) - len(strings.TrimRight(secret, formatting)),
	}
}

// place is where a secret is in Markdown.
type place struct {
	start, end int
	mark       string
}

// phraseStart is how many bytes of a phrase, or all of a shorter one, are looked up at each place
// of a text.
const phraseStart = 4

// find returns the places of the secrets in phrases, and calls found with each phrase it finds. Of
// those that begin at the same place, it finds the longest.
func (u unformatted) find(phrases []phrase, found func(phrase)) (places []place) {
	phrases = slices.DeleteFunc(phrases, func(p phrase) bool { return p.start == p.end })
	slices.SortFunc(phrases, func(a, b phrase) int {
		return cmp.Or(cmp.Compare(a.text, b.text), a.start-b.start, a.end-b.end, a.before-b.before, a.behind-b.behind,
			cmp.Compare(a.mark, b.mark))
	})
	phrases = slices.Compact(phrases)
	starts := map[string][]phrase{}
	for rest := phrases; len(rest) > 0; {
		start, same := rest[0].head(), 1
		for same < len(rest) && rest[same].head() == start {
			same++
		}
		starts[start] = rest[:same]
		rest = rest[same:]
	}
	for at := range len(u.text) {
		for n := min(phraseStart, len(u.text)-at); n > 0; n-- {
			longest := longestAt(u.text[at:], n, starts[u.text[at:at+n]])
			for _, p := range longest {
				found(p)
				places = append(places, u.place(at, p))
			}
			if longest != nil {
				break
			}
		}
	}
	return places
}

func (p phrase) head() string { return p.text[:min(len(p.text), phraseStart)] }

// longestAt returns the longest of some sorted phrases that text starts with. All phrases have
// their first n bytes in common with it.
func longestAt(text string, n int, phrases []phrase) (longest []phrase) {
	for ; len(phrases) > 0; n++ {
		same := sort.Search(len(phrases), func(i int) bool { return len(phrases[i].text) > n })
		if same > 0 {
			longest = phrases[:same]
		}
		if n == len(text) {
			break
		}
		phrases = phrases[same:]
		from := sort.Search(len(phrases), func(i int) bool { return phrases[i].text[n] >= text[n] })
		to := sort.Search(len(phrases), func(i int) bool { return phrases[i].text[n] > text[n] })
		phrases = phrases[from:to]
	}
	return longest
}

// place returns where in the Markdown the secret of a phrase is that begins at a place of the text.
func (u unformatted) place(at int, p phrase) place {
	start, end := u.at[at+p.start], u.at[at+p.end-1]+1
	for n := p.before; n > 0 && start > 0 && strings.IndexByte(formatting, u.markdown[start-1]) >= 0; n-- {
		start--
	}
	for n := p.behind; n > 0 && end < len(u.markdown) && strings.IndexByte(formatting, u.markdown[end]) >= 0; n-- {
		end++
	}
	return place{start, end, p.mark}
}

// replace returns the Markdown with marks at the places. Of places that overlap, the first has the
// mark.
func (u unformatted) replace(places []place) string {
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(a.start-b.start, b.end-a.end, cmp.Compare(a.mark, b.mark))
	})
	var b strings.Builder
	done := 0
	for _, p := range places {
		if p.start >= done {
			b.WriteString(u.markdown[done:p.start])
			b.WriteString(p.mark)
		}
		done = max(done, p.end)
	}
	b.WriteString(u.markdown[done:])
	return b.String()
}
