package transcript

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// known replaces what the screen showed of prompts by the words that were sent, as the markers of
// the senders have them (session.EventPrompt): agents fold a long prompt, or show its end only.
type known struct {
	sent  []sentPrompt      // those without an entry, in order
	words map[string]string // of user entries, by id
	told  map[string]bool   // entries that Changes has returned with their words
}

// sentPrompt is a prompt that a sender sent.
type sentPrompt struct {
	text string
	at   time.Time
}

// A prompt's entry appears so long before or behind the marker at most.
const sentReach = 30 * time.Second

// maxSent is how many prompts wait for their entries.
const maxSent = 16

// add takes a marker into account.
func (k *known) add(text string, at time.Time) {
	k.sent = append(k.sent, sentPrompt{text, at})
	k.sent = k.sent[max(0, len(k.sent)-maxSent):]
}

// match finds the entries of the prompts that were sent.
func (k *known) match(entries []*session.Entry) {
	for _, e := range entries {
		if len(k.sent) == 0 {
			return
		}
		if e.Role != session.RoleUser || k.words[e.ID] != "" {
			continue
		}
		at := slices.IndexFunc(k.sent, func(s sentPrompt) bool {
			return e.At.Sub(s.at).Abs() <= sentReach && shows(e.Text, s.text)
		})
		if at < 0 {
			continue
		}
		if k.words == nil {
			k.words, k.told = map[string]string{}, map[string]bool{}
		}
		k.words[e.ID] = k.sent[at].text
		k.sent = slices.Delete(k.sent, 0, at+1)
	}
}

// entries returns entries with the words that were sent. Those that differ are copies.
func (k *known) entries(entries []*session.Entry) []*session.Entry {
	if len(k.words) == 0 {
		return entries
	}
	out := slices.Clone(entries)
	for i, e := range out {
		if text := k.words[e.ID]; text != "" && text != e.Text {
			c := *e
			c.Text, c.Markdown, c.Sent = text, text, true
			c.Truncated, c.TruncatedAt, c.OmittedLines = false, "", 0
			out[i] = &c
		}
	}
	return out
}

// changes returns the entries that changed, and those that are known since the last call.
func (k *known) changes(all, changed []*session.Entry) []*session.Entry {
	k.match(all)
	for _, e := range all {
		if text := k.words[e.ID]; text != "" && !k.told[e.ID] {
			k.told[e.ID] = true
			if text != e.Text && !slices.Contains(changed, e) {
				changed = append(changed, e)
			}
		}
	}
	slices.SortFunc(changed, func(a, b *session.Entry) int { return a.Seq - b.Seq })
	return k.entries(changed)
}

// forget drops what is known of entries that cannot change any more.
func (k *known) forget(entries []*session.Entry) {
	for _, e := range entries {
		delete(k.words, e.ID)
		delete(k.told, e.ID)
	}
}

// fold is what agents show in place of a long paste: "[Pasted text #1 +39 lines]", "[Pasted Content
// 3992 chars]", "[Pasted Text: 40 lines]", "[Pasted ~40 lines]".
var fold = lazy.Regexp(`\[Pasted [^\]\n]*?(\d+)?( lines| chars)?\]`)

// leastPart is how many letters of a prompt a part of it on the screen must have.
const leastPart = 16

// shows reports whether a text on the screen may be what an agent shows of a prompt: all of it, a
// part, or a fold in place of a part. Blanks and signs do not count.
func shows(shown, sent string) bool {
	if folds := fold().FindAllStringSubmatchIndex(shown, -1); folds != nil {
		head, tail := wordsOf(shown[:folds[0][0]]), wordsOf(shown[folds[len(folds)-1][1]:])
		all := wordsOf(sent)
		if !strings.HasPrefix(all, head) || !strings.HasSuffix(all, tail) {
			return false
		}
		return len(folds) > 1 || head+tail != "" || counts(fold().FindStringSubmatch(shown), sent)
	}
	part, all := wordsOf(shown), wordsOf(sent)
	return part == all || len(part) >= leastPart && strings.Contains(all, part)
}

// counts reports whether the number in a fold is that of a prompt's lines or characters.
func counts(match []string, sent string) bool {
	n, err := strconv.Atoi(match[1])
	if err != nil {
		return true // it has none
	}
	var have int
	switch match[2] {
	case " lines":
		have = strings.Count(sent, "\n") + 1
	case " chars":
		have = len([]rune(sent))
	default:
		return true // the number of the paste
	}
	return n >= have-2 && n <= have+2
}

// wordsOf returns the letters and digits of a text, or its signs if it has none.
func wordsOf(text string) string {
	words := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
	if words == "" {
		words = strings.Join(strings.Fields(text), "")
	}
	return words
}
