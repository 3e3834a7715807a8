package redact

import (
	"regexp"
	"slices"
	"unicode/utf8"
)

// search finds the secrets of a rule in a view: at the places of its words and, if its matches need
// not begin with one, near them.
//
// An outline of the pattern tells where a match may be. It reads each byte a few times, however
// dense the words are. Only there the pattern is tried, which takes far longer; how much of that a
// text gets is limited, see effort.
type search struct {
	*view
	rule  *rule
	spots []spot // in order of their places
	found []finding
	done  int // where the last secret ends
}

// spot is a place in the folded text where a word of a rule begins. All spots of a view are
// numbered by order, in which their findings are given.
type spot struct{ at, order int }

type finding struct {
	Match
	order int
}

// peek is how far an outline looks behind a word at first, in bytes: few places need more.
const peek = 64

func (s *search) all() []finding {
	if s.rule.anchored {
		s.atWords()
	} else {
		s.nearWords()
	}
	return s.found
}

// atWords finds what begins with a word.
func (s *search) atWords() {
	for rest := s.spots; len(rest) > 0; {
		n := s.together(rest, 0)
		group := rest[:n]
		rest = rest[n:]
		if n > 1 {
			group = s.starting(group)
		}
		for _, p := range group {
			if p.at >= s.done {
				s.try(p.at, p.at, p.order)
			}
		}
	}
}

// together returns how many of the first spots are so near that what is around them overlaps.
func (s *search) together(spots []spot, before int) int {
	n := 1
	for n < len(spots) && spots[n].at-before <= spots[n-1].at+s.rule.reach+context {
		n++
	}
	return n
}

// starting returns those spots of a group at which a match may begin.
func (s *search) starting(group []spot) []spot {
	out := len(group)
	next := len(group) - 1
	end := min(len(s.folded), group[next].at+s.rule.reach+context)
	s.rule.outlines().starts(s.folded, group[0].at, end, func(at int) {
		for ; next >= 0 && group[next].at >= at; next-- {
			if group[next].at == at {
				out--
				group[out] = group[next]
			}
		}
	})
	return group[out:]
}

// nearWords finds what has a word somewhere, or near it.
func (s *search) nearWords() {
	for rest := s.spots; len(rest) > 0; {
		n := s.together(rest, lookBack)
		group := rest[:n]
		rest = rest[n:]
		start := max(0, group[0].at-lookBack)
		end := min(len(s.folded), group[n-1].at+s.rule.reach+context)
		var starts []int
		s.rule.outlines().starts(s.folded, start, end, func(at int) {
			if utf8.RuneStart(s.folded[at]) {
				starts = append(starts, at)
			}
		})
		for _, at := range slices.Backward(starts) {
			for len(group) > 1 && group[0].at < at {
				group = group[1:]
			}
			if word := max(at, group[0].at); word >= s.done { // it may begin in the last secret
				s.try(at, word, group[0].order)
			}
		}
	}
}

// try looks for a secret in a match that begins at at. Its word, if it has one, is at word.
func (s *search) try(at, word, order int) {
	limit := min(len(s.folded), at+s.rule.reach+context)
	if s.hard && len(s.inside(at-lookBack, limit)) == 0 {
		return
	}
	last, open := s.rule.outlines().extent(s.folded[at:limit])
	if last < 0 && !open {
		return
	}
	if s.spent(at) {
		if last < 0 {
			last = limit - at
		}
		s.add(span{at, at + last}, order)
		return
	}
	s.effort.spend(at, (limit-at)/outlineSpeed)
	if !open {
		limit = min(limit, at+last+context)
	}
	search := func(end int) []span { return s.secretAt(at, end) }
	if s.words {
		for _, m := range search(limit) {
			s.add(m, order)
		}
		return
	}
	for _, m := range s.grow(word, limit, search) {
		s.add(m, order)
	}
}

func (s *search) add(m span, order int) {
	if s.rule.id == genericRule || s.rule.id == namedTokenRule {
		m.end = s.valueEnd(m)
	}
	s.found = append(s.found, finding{s.match(s.rule.id, m.start, m.end), order})
	s.done = max(s.done, m.end)
}

// secretAt returns the secret of a match that begins at at, in the text up to end.
func (s *search) secretAt(at, end int) []span {
	for {
		re, from := s.pattern(at)
		loc := re.FindStringSubmatchIndex(s.folded[from:end])
		if loc == nil {
			s.effort.spend(at, end-from)
			return nil
		}
		s.effort.spend(at, loc[1])
		r := s.rule
		loc[0] += at - from
		found := r.secret(s.view, from, loc)
		if found != nil && from+loc[1] == end && end < len(s.folded) && end-at > r.reach && s.cutsNothing(end) {
			end = min(len(s.folded), end+2*(end-at)) // it goes on: see how far
			continue
		}
		return found
	}
}

// pattern returns the rule's pattern for a match that begins at at, and where the text for it
// begins: the character before it matters, unless the rule begins with a word.
func (s *search) pattern(at int) (re *regexp.Regexp, from int) {
	r := s.rule
	switch {
	case r.anchored:
		return r.whole.from(r.pattern), at
	case at == 0, !s.words && len(s.inside(at-1, at+1)) > 0: // a row may be the first of its text
		return r.first.from(`\A(?:` + r.pattern + `)`), at
	}
	_, size := utf8.DecodeLastRuneInString(s.folded[:at])
	return r.behind.from(`\A(?s:.)(?:` + r.pattern + `)`), at - size
}

// cutsNothing reports whether the search ends at end because of its length, and not at a break.
func (v *view) cutsNothing(end int) bool { return len(v.inside(end-1, end+1)) == 0 }

// effort is how many bytes patterns have searched in each block of a view. In a block that has had
// its share, which only happens in texts that are made for it, all that an outline matches is taken
// for a secret.
type effort struct{ blocks []int }

const (
	effortBlock  = 4 << 10 // bytes
	effortShare  = 8       // bytes that patterns may search for each byte of a block; a text of nothing but secrets takes 7
	effortMore   = 3       // likewise in each further view of a text
	outlineSpeed = 32      // bytes that an outline reads while a pattern reads one
)

// spend notes that a pattern has searched n bytes at at.
func (e *effort) spend(at, n int) {
	for end := at + n; at < end; {
		block := at / effortBlock
		for len(e.blocks) <= block {
			e.blocks = append(e.blocks, 0)
		}
		next := min(end, (block+1)*effortBlock)
		e.blocks[block] += next - at
		at = next
	}
}

// spent reports whether a block of the view has had its share.
func (v *view) spent(at int) bool {
	share := effortShare
	if v.words || v.blanks {
		share = effortMore
	}
	block := at / effortBlock
	return block < len(v.effort.blocks) && v.effort.blocks[block] >= share*effortBlock
}
