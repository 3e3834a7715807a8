package redact

import (
	"slices"
	"unicode/utf8"
)

// search finds the secrets of one rule in a view, near the words of the rule.
//
// Most words are not part of a secret. The outline of the rule's pattern shows where a match is
// possible, and reads each byte only a few times, however dense the words are. The pattern itself
// is far slower and is tried only there. See effort for texts in which even that is too often.
type search struct {
	*view
	rule  *rule
	spots []spot // sorted by at
	found []finding
	done  int // end of the last secret
	bare  int // start of the last secret if its match begins there, too; else done
}

// spot is an offset in the folded text at which a word of a rule begins. order numbers the spots of
// all rules in a view; findings are sorted by it.
type spot struct{ at, order int }

type finding struct {
	Match
	order int
}

// minToken is the length in bytes below which a row counts as the rest of a token, not as another
// token.
const minToken = 16

// peek is how many bytes an outline reads at first from a word on. That usually suffices.
const peek = 64

func (s *search) all() []finding {
	if s.rule.anchored {
		s.atWords()
	} else {
		s.nearWords()
	}
	return s.found
}

// atWords finds the matches of a rule that begin with one of its words.
func (s *search) atWords() {
	for rest := s.spots; len(rest) > 0; {
		n := s.together(rest, 0)
		group := rest[:n]
		rest = rest[n:]
		if n > 1 {
			group = s.starting(group)
		}
		for _, p := range group {
			if s.isNext(p.at, p.at) {
				s.try(p.at, p.at, p.order)
			}
		}
	}
}

// together returns the number of spots at the start that are so close that the texts to search
// around them overlap. Such a text begins before bytes before its spot.
func (s *search) together(spots []spot, before int) int {
	n := 1
	for n < len(spots) && spots[n].at-before <= spots[n-1].at+s.rule.reach+context {
		n++
	}
	return n
}

// starting returns the spots of a group at which a match may begin.
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

// nearWords finds the matches of a rule that contain one of its words anywhere.
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
			if word := max(at, group[0].at); s.isNext(at, word) {
				s.try(at, word, group[0].order)
			}
		}
	}
}

// try looks for a secret in a match that begins at at. The rule's word is at word.
func (s *search) try(at, word, order int) {
	limit := min(len(s.folded), at+s.rule.reach+context)
	if s.hard && len(s.inside(at-lookBack, limit)) == 0 {
		return
	}
	last, read, open := s.rule.outlines().extent(s.folded[at:limit])
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
	s.effort.spend(at, read)
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
		if m.start == at {
			s.bare = at
		}
	}
}

// isNext reports whether to look for a secret in a match that begins at at, with the rule's word at
// word: it must not be a part of the last secret. If the last secret continues in the row that
// begins at at, there may also be two secrets, such as tokens in a list.
func (s *search) isNext(at, word int) bool {
	return word >= s.done || at >= s.bare+minToken && s.beginsRow(at)
}

func (s *search) add(m span, order int) {
	if s.rule.id == genericRule || s.rule.id == namedTokenRule {
		m.end = s.valueEnd(m)
	}
	if m.start < s.done && m.end >= s.done && m.start > s.bare && s.beginsRow(m.start) { // there are two
		s.found[len(s.found)-1].End = s.original(m.start-1) + 1
	}
	s.found = append(s.found, finding{s.match(s.rule.id, m.start, m.end), order})
	s.done = max(s.done, m.end)
	s.bare = s.done
}

// secretAt returns the secret of a match that begins at at, in the text up to end.
func (s *search) secretAt(at, end int) []span {
	for {
		pattern, from := s.pattern(at)
		loc, steps := pattern.find(s.folded[from:end])
		s.effort.spend(at, stepBytes*steps)
		if loc == nil {
			return nil
		}
		r := s.rule
		loc[0] += at - from
		found := r.secret(s.view, from, loc)
		if found != nil && from+loc[1] == end && end < len(s.folded) && end-at > r.reach && s.cutsNothing(end) {
			end = min(len(s.folded), end+2*(end-at)) // the secret may be longer
			continue
		}
		return found
	}
}

// pattern returns the rule's matcher for a match that begins at at, and the offset at which to
// start it. The pattern may depend on the character before the match.
func (s *search) pattern(at int) (m *matcher, from int) {
	r := s.rule
	if r.anchored || at == 0 || !s.words && s.beginsRow(at) {
		return r.first.from(`\A`, r.pattern), at
	}
	_, size := utf8.DecodeLastRuneInString(s.folded[:at])
	return r.behind.from(`\A(?s:.)`, r.pattern), at - size
}

// beginsRow reports whether a row that was joined to the previous one begins at an offset of the
// folded text.
func (v *view) beginsRow(at int) bool { return len(v.inside(at-1, at+1)) > 0 }

// cutsNothing reports whether no row ends at end.
func (v *view) cutsNothing(end int) bool { return len(v.inside(end-1, end+1)) == 0 }

// effort counts the work for each block of a view, in bytes that outlines have read. The steps of
// matchers are converted to the bytes that an outline reads in the same time. It limits the time
// for texts that are designed to take long: in a block that has used up its share, everything that
// an outline matches counts as a secret.
type effort struct{ blocks []int }

const (
	effortBlock = 4 << 10 // in bytes
	effortShare = 64      // work for each byte of a block; a text full of secrets needs 30
	effortMore  = 24      // the same in a text's further views
	stepBytes   = 3       // number of bytes that an outline reads in the time of a step
)

// spend adds work at an offset.
func (e *effort) spend(at, n int) {
	block := at / effortBlock
	for len(e.blocks) <= block {
		e.blocks = append(e.blocks, 0)
	}
	e.blocks[block] += n
}

// spent reports whether the block that contains at has used up its share.
func (v *view) spent(at int) bool {
	share := effortShare
	if v.words || v.blanks {
		share = effortMore
	}
	block := at / effortBlock
	return block < len(v.effort.blocks) && v.effort.blocks[block] >= share*effortBlock
}
