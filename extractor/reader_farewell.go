package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
)

// farewell is an agent's leave from the alternate screen: some print their whole conversation on
// the main screen then.
type farewell struct {
	left []row.Line // rows that have left the main screen since
}

// leaveAlt reads the main screen's first frames after an agent's alternate one. It returns false
// where the frame has been dealt with: nothing is printed yet, and more may come.
func (r *Reader) leaveAlt(f *Frame) bool {
	p := r.seg.agent
	if p == nil || !p.Farewell {
		r.leave()
		r.open(nil, false, len(r.main.Lines))
		return true
	}
	s := r.screen(*f)
	if f.Wiped {
		r.main, r.bye, f.Wiped = document.Document{}, farewell{}, false
	}
	r.bye.left = append(r.bye.left, r.scrolled(*f)...)
	end := len(row.Trim(s.Lines))
	lines := append(r.bye.left[:len(r.bye.left):len(r.bye.left)], s.Lines[:end]...)
	q, _, at, _ := r.banner(lines)
	switch {
	case q == p:
		left := r.bye.left
		r.bye = farewell{}
		from := r.main.Base
		r.main.Advance(left, s.Lines[:end])
		r.reopen(p, false, from+at)
		r.main.Dirty = min(r.main.Dirty, from+at)
		r.readInline(s, nil, end, false, f.Settled)
		return false
	case f.Settled || len(r.bye.left) > maxLeft || r.promptAt(s, end):
		r.left, r.bye = r.bye.left, farewell{}
		r.leave()
		r.open(nil, false, len(r.main.Lines))
		f.History = nil
		return true
	}
	return false
}
