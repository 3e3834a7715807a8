package vterm

// textTable assigns numbers to strings: the texts of grapheme clusters, and URIs. Number 0 is "".
type textTable struct {
	texts   []string
	index   map[string]uint32
	free    []uint32
	sweepAt int
}

func (s *textTable) init() {
	s.texts = append(s.texts[:0], "")
	s.index = map[string]uint32{}
	s.sweepAt = minSweep
}

func (s *textTable) text(n uint32) string { return s.texts[n] }

// full reports whether unused texts should be removed before another one is added.
func (s *textTable) full() bool { return len(s.index) >= s.sweepAt }

// maxText is the highest number; the store has 20 bits for it.
const maxText = 1<<20 - 1

// number returns the number of v, and assigns one if v is new. It returns 0 if none is left.
func (s *textTable) number(v string) uint32 {
	if v == "" {
		return 0
	}
	if n, ok := s.index[v]; ok {
		return n
	}
	var n uint32
	if k := len(s.free); k > 0 {
		n, s.free = s.free[k-1], s.free[:k-1]
		s.texts[n] = v
	} else if len(s.texts) > maxText {
		return 0
	} else {
		n = uint32(len(s.texts))
		s.texts = append(s.texts, v)
	}
	s.index[v] = n
	return n
}

// keep removes the texts whose number is false in live.
func (s *textTable) keep(live []bool) {
	for v, n := range s.index {
		if !live[n] {
			delete(s.index, v)
			s.texts[n] = ""
			s.free = append(s.free, n)
		}
	}
	s.sweepAt = max(minSweep, 2*len(s.index))
}

// sweep removes the styles, links and clusters that no cell uses any more, so that hostile output
// cannot grow the tables beyond what the screen, scrollback and history use.
func (t *Term) sweep() {
	styles := make([]bool, len(t.styles.pens))
	clusters, links := make([]bool, len(t.clusters.texts)), make([]bool, len(t.links.texts))
	t.eachLine(func(l *line) {
		if len(l.text) > 0 {
			styles[l.attr&styleMask] = true
		}
		for _, c := range l.grid[:l.used] {
			styles[c.attr&styleMask] = true
			if c.ch&chCluster != 0 {
				clusters[c.ch&^chCluster] = true
			}
		}
	})
	styles[t.attr&styleMask], styles[t.erase&styleMask] = true, true
	links[t.extra.link] = true
	t.styles.keep(styles)
	for _, n := range t.styles.index {
		links[t.styles.pens[n].link] = true
	}
	t.clusters.keep(clusters)
	t.joints = nil // they contain numbers of clusters
	t.links.keep(links)
	for y := range t.view.rows {
		t.view.rows[y].row = nil // the numbers in these rows may be assigned again
	}
}

// eachLine calls visit for every line on the screens, in the scrollback and in the history.
func (t *Term) eachLine(visit func(*line)) {
	for _, l := range t.main.rows {
		visit(l)
	}
	for _, l := range t.alt.rows {
		visit(l)
	}
	for i := range t.sb.n {
		visit(t.sb.at(i))
	}
	for i := range t.hist.n {
		if l := t.hist.at(i).line; l != nil {
			visit(l)
		}
	}
}
