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

// known replaces what the screen shows of prompts by the words that were sent, which are in markers
// of the senders (session.EventPrompt): agents fold a long prompt, or show only its end.
type known struct {
	sent  []sentPrompt      // prompts without an entry, in order
	words map[string]string // of user entries, by id
	told  map[string]bool   // ids of entries that Changes has returned with their words
}

// sentPrompt is a prompt that a sender sent.
type sentPrompt struct {
	text string
	at   time.Time
}

// sentReach is the maximum time between a prompt's marker and its entry.
const sentReach = 30 * time.Second

// maxSent is the maximum number of prompts that wait for their entries.
const maxSent = 16

// add adds the prompt of a marker.
func (k *known) add(text string, at time.Time) {
	k.sent = append(k.sent, sentPrompt{text, at})
	k.sent = k.sent[max(0, len(k.sent)-maxSent):]
}

// match finds the entries of the sent prompts.
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

// entries returns entries with the words that were sent. It copies entries that differ.
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

// changes returns the changed entries, and those whose words became known since the last call.
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

// forget drops what is known about entries that cannot change any more.
func (k *known) forget(entries []*session.Entry) {
	for _, e := range entries {
		delete(k.words, e.ID)
		delete(k.told, e.ID)
	}
}

// fold matches the placeholder for a long paste: "[Pasted text #1 +39 lines]", "[Pasted Content
// 3992 chars]", "[Pasted Text: 40 lines]", "[Pasted ~40 lines]".
var fold = lazy.Regexp(`\[Pasted [^\]\n]*?(\d+)?( lines| chars)?\]`)

// leastPart is the minimum number of letters of a part of a prompt on the screen.
const leastPart = 16

// shows reports whether a text on the screen may be an agent's display of a prompt: all of it, a
// part, or a placeholder for a part. Blanks and signs are ignored.
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

// counts reports whether the number in a placeholder is that of a prompt's lines or characters.
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
