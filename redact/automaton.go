package redact

// automaton finds many words in one pass, whatever their case (Aho and Corasick, CACM 18:6, 1975).
// Words are lower case and ASCII.
type automaton struct {
	class   [256]uint8 // of bytes; 0: in no word
	classes int
	next    []int32 // by state*classes + class: the next state, or, once it is packed, see pack
	words   [][]int // that end in a state
}

func newAutomaton(words []string) *automaton {
	a := &automaton{classes: 1}
	for _, w := range words {
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

// link fills in where to go on when a word breaks off: breadth first, so that what is nearer the
// root is done.
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

// pack makes next what each reads fastest: where the row of the next state begins, or, if words end
// in that state, the complement.
func (a *automaton) pack() {
	for i, state := range a.next {
		a.next[i] = state * int32(a.classes)
		if a.words[state] != nil {
			a.next[i] = ^a.next[i]
		}
	}
}

// each calls found with each word's number and its end in text, in order of the ends.
func (a *automaton) each(text string, found func(word, end int)) {
	next := a.next
	row := int32(0)
	for i := range len(text) {
		row = next[int(row)+int(a.class[text[i]])]
		if row < 0 {
			row = ^row
			for _, w := range a.words[int(row)/a.classes] {
				found(w, i+1)
			}
		}
	}
}
