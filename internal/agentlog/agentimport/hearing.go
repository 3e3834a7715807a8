package agentimport

import (
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// The maximum difference between the times in a log and on the screen.
const (
	near   = 2 * time.Minute  // for a prompt, which may have been queued
	nearer = 10 * time.Second // for a prompt of which the screen shows only that something was pasted
)

// tries is the maximum number of prompts with the same beginning, and of other prompts, with which
// a turn is compared: those nearest in time.
const tries = 8

// hearing is what was said to and by an agent in a recorded session.
type hearing struct {
	prompts []heard                     // sorted by time
	order   []int                       // indices of all prompts
	heads   map[string][]int            // indices of prompts by the head of their words
	replies map[string][]agentlog.Words // telling replies by head
	looked  *int                        // incremented for each message that is compared
}

// heard is a prompt that the screen showed.
type heard struct {
	at      time.Time
	words   agentlog.Words
	pasted  bool             // the screen did not show the words
	replies []agentlog.Words // the first and the last reply
	taken   uint64           // sum of the turn that it shows; 0 if none yet
}

// sighting is the place where a turn was seen.
type sighting struct {
	prompt *heard // nil if none
	told   bool   // recognised by the reply
}

var pasted = lazy.Regexp(`\[(Pasted|Image)\b`)

func newHearing(said []store.Said, looked *int) *hearing {
	h := &hearing{heads: map[string][]int{}, replies: map[string][]agentlog.Words{}, looked: looked}
	for _, m := range said {
		words := agentlog.WordsOf(start(m.Text))
		if m.Role == session.RoleUser {
			h.prompts = append(h.prompts, heard{at: m.At, words: words, pasted: pasted().MatchString(m.Text)})
			continue
		}
		if head := words.Head(); words.Telling() && len(h.replies[head]) < tries {
			h.replies[head] = append(h.replies[head], words)
		}
		if n := len(h.prompts); n > 0 {
			p := &h.prompts[n-1]
			p.replies = append(p.replies[:min(len(p.replies), 1)], words)
		}
	}
	slices.SortStableFunc(h.prompts, func(a, b heard) int { return a.at.Compare(b.at) })
	for i, p := range h.prompts {
		h.order = append(h.order, i)
		h.heads[p.words.Head()] = append(h.heads[p.words.Head()], i)
	}
	return h
}

// nearest returns at most tries of some prompts, nearest in time first.
func (h *hearing) nearest(prompts []int, at time.Time) (some []int) {
	after, _ := slices.BinarySearchFunc(prompts, at, func(i int, at time.Time) int { return h.prompts[i].at.Compare(at) })
	before := after - 1
	for len(some) < tries && (before >= 0 || after < len(prompts)) {
		if after == len(prompts) || before >= 0 &&
			at.Sub(h.prompts[prompts[before]].at) < h.prompts[prompts[after]].at.Sub(at) {
			some = append(some, prompts[before])
			before--
		} else {
			some = append(some, prompts[after])
			after++
		}
	}
	return some
}

// findAll finds turns. told reports that one was recognised by a reply. A prompt belongs to only
// one turn, and to its copies in other logs.
func (h *hearing) findAll(c *conversation, turns []int, flat bool) (found map[int]sighting, told bool, err error) {
	found = map[int]sighting{}
	taken := map[*heard]bool{}
	for _, i := range turns {
		s, err := h.find(c, i, flat, taken)
		if err != nil {
			return nil, false, err
		}
		if s.prompt != nil {
			found[i], taken[s.prompt], told = s, true, told || s.told
		}
	}
	return found, told, nil
}

// find finds a turn among the prompts that are not taken.
func (h *hearing) find(c *conversation, i int, flat bool, taken map[*heard]bool) (best sighting, err error) {
	t := &c.turns[i]
	words := agentlog.WordsOf(t.text)
	var replies []agentlog.Words
	for _, j := range append(h.nearest(h.heads[words.Head()], t.at), h.nearest(h.order, t.at)...) {
		*h.looked++
		p := &h.prompts[j]
		if taken[p] || p.taken != 0 && p.taken != t.sum || !p.shows(words, p.at.Sub(t.at).Abs(), flat) {
			continue
		}
		if replies == nil {
			if replies, err = c.words(i); err != nil {
				return best, err
			}
		}
		told, denied := agree(p.replies, replies)
		if told {
			return sighting{p, true}, nil
		}
		if !denied && best.prompt == nil {
			best.prompt = p
		}
	}
	return best, nil
}

// shows reports whether a prompt on the screen has these words, given the difference in time.
func (p *heard) shows(words agentlog.Words, apart time.Duration, flat bool) bool {
	return p.pasted && apart <= nearer || (flat || apart <= near) && p.words.Alike(words)
}

// agree compares the replies to a prompt on the screen with those in a log. told reports that one
// is the same and cannot be another; denied, that none can be the same.
func agree(shown, logged []agentlog.Words) (told, denied bool) {
	denied = len(shown) > 0 && len(logged) > 0
	for _, a := range shown {
		for _, b := range logged {
			told = told || a.Alike(b) && a.Telling() && b.Telling()
			denied = denied && a.Unlike(b)
		}
	}
	return told, denied
}

// answered reports whether the screen showed a reply of a turn.
func (h *hearing) answered(c *conversation, i int) (bool, error) {
	replies, err := c.words(i)
	for _, r := range replies {
		if slices.ContainsFunc(h.replies[r.Head()], r.Alike) {
			return true, err
		}
	}
	return false, err
}

// words returns the words of a turn's replies.
func (c *conversation) words(turn int) ([]agentlog.Words, error) {
	texts, err := c.replies(turn)
	words := []agentlog.Words{}
	for _, text := range texts {
		words = append(words, agentlog.WordsOf(text))
	}
	return words, err
}
