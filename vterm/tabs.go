package vterm

const tabWidth = 8

// resetTabs sets the default tab stops only.
func (sc *screen) resetTabs(cols int) {
	if sc.defaultTabs != cols {
		sc.tabs = map[int]bool{}
		sc.addTabs(0, cols)
		sc.defaultTabs = cols
	}
}

// addTabs adds the default tab stops from column from on.
func (sc *screen) addTabs(from, cols int) {
	sc.defaultTabs = 0
	for x := from; x < cols; x += tabWidth {
		sc.tabs[x] = true
	}
}

// extendTabs adds default tab stops after the last one, when a resize made the screen cols wide.
func (sc *screen) extendTabs(cols int) {
	from := cols
	if !sc.tabs[from] {
		from = sc.tabBefore(from, cols)
	}
	sc.addTabs(from, cols)
}

// tabAfter returns the next tab stop after x, or the last column.
func (sc *screen) tabAfter(x, cols int) int {
	for x++; x < cols; x++ {
		if sc.tabs[x] {
			return x
		}
	}
	return cols - 1
}

// tabBefore returns the tab stop before x, or the first column.
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

// clearTabs is TBC. 0 clears the stop at the cursor, 3 all stops.
func (t *Term) clearTabs(what int) {
	t.scr.defaultTabs = 0
	switch what {
	case 0:
		delete(t.scr.tabs, t.scr.x)
	case 3:
		clear(t.scr.tabs)
	}
}
