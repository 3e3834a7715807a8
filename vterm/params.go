package vterm

const (
	maxParams = 32
	maxParam  = 1<<31 - 1
)

// params are the numbers of a control sequence. A missing one is 0. Each may have subparameters
// after colons (ECMA-48 5.4.2, as in SGR 38:2 and 4:3); a missing subparameter is -1.
type params struct {
	n      int
	nums   [maxParams]int32
	subs   [maxParams]int32
	nsubs  int
	subEnd [maxParams]uint8 // subs[subEnd[i-1]:subEnd[i]] belong to nums[i], where nsubs > 0
	inSub  bool
	full   bool // the current parameter is beyond the limit
}

// reset begins a sequence whose first parameter is missing.
func (p *params) reset() {
	p.n, p.nsubs, p.inSub, p.full = 1, 0, false, false
	p.nums[0], p.subEnd[0] = 0, 0
}

// put adds a digit, a colon or a semicolon.
func (p *params) put(b byte) {
	switch b {
	case ';':
		p.inSub, p.full = false, p.n == maxParams
		if !p.full {
			p.nums[p.n], p.subEnd[p.n] = 0, uint8(p.nsubs)
			p.n++
		}
	case ':':
		if p.full {
			return
		}
		p.inSub = true
		if p.nsubs < maxParams {
			p.subs[p.nsubs] = -1
			p.nsubs++
			p.subEnd[p.n-1] = uint8(p.nsubs)
		} else {
			p.full = true
		}
	default:
		p.digit(int32(b - '0'))
	}
}

func (p *params) digit(d int32) {
	if p.full {
		return
	}
	v := &p.nums[p.n-1]
	if p.inSub {
		v = &p.subs[p.nsubs-1]
	}
	*v = int32(min(int64(max(*v, 0))*10+int64(d), maxParam))
}

// get returns parameter i, or def if it is missing or 0.
func (p *params) get(i int, def int) int {
	if i < p.n && p.nums[i] != 0 {
		return int(p.nums[i])
	}
	return def
}

// sub returns the subparameters of parameter i.
func (p *params) sub(i int) []int32 {
	if p.nsubs == 0 {
		return nil
	}
	from := 0
	if i > 0 {
		from = int(p.subEnd[i-1])
	}
	return p.subs[from:p.subEnd[i]]
}
