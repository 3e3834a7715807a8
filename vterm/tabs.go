package vterm

const tabWidth = 8

// resetTabs sets the default stops alone.
func (sc *screen) resetTabs(cols int) {
	if sc.defaultTabs != cols {
		sc.tabs = map[int]bool{}
		sc.addTabs(0, cols)
		sc.defaultTabs = cols
	}
}

// addTabs sets the default stops from column from on.
func (sc *screen) addTabs(from, cols int) {
	sc.defaultTabs = 0
	for x := from; x < cols; x += tabWidth {
		sc.tabs[x] = true
	}
}

// extendTabs sets default stops from the last one before column cols on, after a resize.
func (sc *screen) extendTabs(cols int) {
	from := cols
	if !sc.tabs[from] {
		from = sc.tabBefore(from, cols)
	}
	sc.addTabs(from, cols)
}

// tabAfter is the next stop after x, else the last column.
func (sc *screen) tabAfter(x, cols int) int {
	for x++; x < cols; x++ {
		if sc.tabs[x] {
			return x
		}
	}
	return cols - 1
}

// tabBefore is the stop before x, else the first column.
func (sc *screen) tabBefore(x, cols int) int {
	for x--; x > 0 && !sc.tabs[x]; x-- {
	}
	return min(max(x, 0), cols-1)
}

// tab is HT and CHT, backTab CBT. Neither ends a pending wrap.
func (t *Term) tab(n int) {
	sc := t.scr
	for ; n > 0 && sc.x < t.cols-1; n-- {
		sc.x = sc.tabAfter(sc.x, t.cols)
	}
}

func (t *Term) backTab(n int) {
	sc := t.scr
	if sc.x >= t.cols {
		return
	}
	for ; n > 0 && sc.x > 0; n-- {
		sc.x = sc.tabBefore(sc.x, t.cols)
	}
}

// clearTabs is TBC: 0 the stop at the cursor, 3 all.
func (t *Term) clearTabs(what int) {
	t.scr.defaultTabs = 0
	switch what {
	case 0:
		delete(t.scr.tabs, t.scr.x)
	case 3:
		clear(t.scr.tabs)
	}
}
