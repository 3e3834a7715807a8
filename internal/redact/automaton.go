package redact

import "slices"

// automaton finds many words in one pass, ignoring case (Aho and Corasick, CACM 18:6, 1975). Words
// are lower-case ASCII.
type automaton struct {
	class   [256]uint8 // class of each byte; 0 if it is in no word
	classes int
	next    []int32 // next state by state*classes + class; after packing, see pack
	words   [][]int // numbers of the words that end in a state
	sizes   []int   // lengths of the words, in bytes
	longest int     // length of the longest word
}

func newAutomaton(words []string) *automaton {
	a := &automaton{classes: 1}
	for _, w := range words {
		a.sizes = append(a.sizes, len(w))
		a.longest = max(a.longest, len(w))
		for i := range len(w) {
			a.addClass(w[i])
		}
	}
	size := 1
	for _, w := range words {
		size += len(w)
	}
	a.next, a.words = make([]int32, 0, size*a.classes), make([][]int, 0, size)
	a.addState()
	for n, w := range words {
		state := int32(0)
		for i := range len(w) {
			at := a.at(state, w[i])
			if a.next[at] == 0 {
				child := a.addState()
				a.next[at] = child
			}
			state = a.next[at]
		}
		a.words[state] = append(a.words[state], n)
	}
	a.link()
	a.pack()
	return a
}

func (a *automaton) addClass(c byte) {
	if a.class[c] != 0 {
		return
	}
	a.class[c] = uint8(a.classes)
	if c >= 'a' && c <= 'z' {
		a.class[c-'a'+'A'] = uint8(a.classes)
	}
	a.classes++
}

func (a *automaton) addState() int32 {
	a.words = append(a.words, nil)
	a.next = a.next[:len(a.next)+a.classes]
	return int32(len(a.words) - 1)
}

func (a *automaton) at(state int32, c byte) int { return int(state)*a.classes + int(a.class[c]) }

// link sets where to continue when a word breaks off. It works breadth-first, so that states nearer
// to the root are done first.
func (a *automaton) link() {
	fail := make([]int32, len(a.words))
	queue := []int32{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for c := range a.classes {
			at := int(state)*a.classes + c
			back := a.next[int(fail[state])*a.classes+c]
			child := a.next[at]
			if child == 0 {
				a.next[at] = back
				continue
			}
			if state != 0 {
				fail[child] = back
				a.words[child] = append(a.words[child], a.words[back]...)
			}
			queue = append(queue, child)
		}
	}
}

// pack converts next to the form that each reads fastest: the start of the next state's row or, if
// words end in that state, its complement.
func (a *automaton) pack() {
	for i, state := range a.next {
		a.next[i] = state * int32(a.classes)
		if a.words[state] != nil {
			a.next[i] = ^a.next[i]
		}
	}
}

// hit is the occurrence of a word.
type hit struct{ word, end int }

// lanes is the number of parts of a text that are read in parallel: a step depends on the one
// before it, but not on those of other parts.
const lanes = 4

// each calls found with the number and the end of each word in text, ordered by end.
func (a *automaton) each(text string, found func(word, end int)) {
	part := len(text) / lanes
	if part <= a.longest {
		a.read(text, 0, len(text), 0, found)
		return
	}
	var hits [lanes][]hit // most texts have none
	next, class := a.next, &a.class
	t0, t1, t2, t3 := text[:part], text[part:2*part], text[2*part:3*part], text[3*part:4*part]
	r0, r1, r2, r3 := int32(0), int32(0), int32(0), int32(0)
	for i := range part {
		r0 = next[int(r0)+int(class[t0[i]])]
		r1 = next[int(r1)+int(class[t1[i]])]
		r2 = next[int(r2)+int(class[t2[i]])]
		r3 = next[int(r3)+int(class[t3[i]])]
		if r0|r1|r2|r3 >= 0 {
			continue
		}
		for lane, row := range [lanes]*int32{&r0, &r1, &r2, &r3} {
			if *row < 0 {
				*row = ^*row
				hits[lane] = a.ending(hits[lane], *row, lane*part+i+1)
			}
		}
	}
	for lane, row := range [lanes]int32{r0, r1, r2, r3} {
		begin := (lane + 1) * part
		if lane == lanes-1 {
			a.read(text, begin, len(text), row, func(word, end int) { hits[lane] = append(hits[lane], hit{word, end}) })
			break
		}
		a.read(text, begin, begin+a.longest, row, func(word, end int) { // words that extend into the next part
			if end-a.sizes[word] < begin {
				hits[lane] = append(hits[lane], hit{word, end})
			}
		})
	}
	for _, h := range inOrder(hits) {
		found(h.word, h.end)
	}
}

// inOrder returns the hits of all parts ordered by end. Their order can be wrong only at the
// borders of parts.
func inOrder(parts [lanes][]hit) []hit {
	all := parts[0]
	for _, hits := range parts[1:] {
		sorted := len(all) == 0 || len(hits) == 0 || all[len(all)-1].end <= hits[0].end
		if all = append(all, hits...); !sorted {
			slices.SortStableFunc(all, func(x, y hit) int { return x.end - y.end })
		}
	}
	return all
}

// ending appends the words that end in a state to hits.
func (a *automaton) ending(hits []hit, row int32, end int) []hit {
	for _, w := range a.words[int(row)/a.classes] {
		hits = append(hits, hit{w, end})
	}
	return hits
}

// read reads text[begin:end], starting in a state.
func (a *automaton) read(text string, begin, end int, row int32, found func(word, end int)) {
	for i := begin; i < end; i++ {
		row = a.next[int(row)+int(a.class[text[i]])]
		if row < 0 {
			row = ^row
			for _, w := range a.words[int(row)/a.classes] {
				found(w, i+1)
			}
		}
	}
}
