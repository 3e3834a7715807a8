package vterm

// ring holds the newest items, at most limit, oldest first. It grows as it fills.
type ring[T any] struct {
	buf   []T
	head  int // index of the oldest item
	n     int
	limit int
}

// at returns item i; 0 is the oldest.
func (r *ring[T]) at(i int) T { return r.buf[r.index(i)] }

func (r *ring[T]) index(i int) int {
	i += r.head
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	return i
}

// push appends v. If the ring is full, it removes and returns the oldest item, and evicted is true.
func (r *ring[T]) push(v T) (old T, evicted bool) {
	if r.limit == 0 {
		return v, true
	}
	if r.n == len(r.buf) && r.n < r.limit {
		r.grow()
	}
	if r.n < len(r.buf) {
		r.buf[r.index(r.n)] = v
		r.n++
		return old, false
	}
	old, r.buf[r.head] = r.buf[r.head], v
	r.head = r.index(1)
	return old, true
}

func (r *ring[T]) grow() {
	buf := make([]T, min(r.limit, max(64, 2*len(r.buf))))
	for i := range r.n {
		buf[i] = r.at(i)
	}
	r.buf, r.head = buf, 0
}

// reset empties the ring. It releases the memory if there is much of it.
func (r *ring[T]) reset() {
	if len(r.buf) > 1024 {
		r.buf = nil
	}
	clear(r.buf)
	r.head, r.n = 0, 0
}
