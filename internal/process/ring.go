package process

import (
	"sync"
	"time"
	"unicode/utf8"
)

// ringSize is how much of the newest output a host keeps, in bytes of each stream.
const ringSize = 256 << 10

// ring keeps the newest output of a command, in order of arrival. Its methods may be called
// concurrently.
type ring struct {
	mu      sync.Mutex // guards the fields below
	pieces  []Chunk
	first   int64           // number of pieces[0]
	size    int             // size of pieces, in bytes
	begin   Offsets         // offsets of the streams at the start of pieces
	end     Offsets         // offsets of the streams at their end
	over    bool            // whether no output follows
	changed []chan struct{} // closed at the next change
}

func (o *Offsets) set(s Stream, n int64) {
	if s == Stderr {
		o.Stderr = n
	} else {
		o.Stdout = n
	}
}

// put adds text and returns its offset.
func (r *ring) put(s Stream, text string, at time.Time) (offset int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	offset = r.end.Of(s)
	r.end.set(s, offset+int64(len(text)))
	r.pieces = append(r.pieces, Chunk{Stream: s, Offset: offset, Text: text, At: at})
	r.size += len(text) + pieceCost
	for r.size > 2*ringSize && len(r.pieces) > 1 {
		old := r.pieces[0]
		r.begin.set(old.Stream, old.Offset+int64(len(old.Text)))
		r.size -= len(old.Text) + pieceCost
		r.pieces[0] = Chunk{}
		r.pieces = r.pieces[1:]
		r.first++
	}
	r.wake()
	return offset
}

// pieceCost is the approximate overhead of a piece, in bytes.
const pieceCost = 80

// finish marks the output as complete for now. Readers that have all of it end.
func (r *ring) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.wake()
}

func (r *ring) wake() {
	for _, c := range r.changed {
		close(c)
	}
	r.changed = nil
}

// begins returns the offsets at which the ring begins.
func (r *ring) begins() Offsets {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begin
}

// ends returns the offsets of the current ends of the streams.
func (r *ring) ends() Offsets {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end
}

// ringReader reads a ring from a position on.
type ringReader struct {
	ring *ring
	at   Offsets
	next int64 // number of the next piece to read
	stop *Offsets
}

// batch is how much a reader takes at a time, in bytes.
const batch = 64 << 10

// take returns the next chunks. changed is set if there are none yet. behind reports that the ring
// no longer contains them, and over that no more follow.
func (r *ringReader) take() (chunks []Chunk, changed <-chan struct{}, behind, over bool) {
	r.ring.mu.Lock()
	defer r.ring.mu.Unlock()
	g := r.ring
	if r.at.Stdout < g.begin.Stdout || r.at.Stderr < g.begin.Stderr {
		return nil, nil, true, false
	}
	size := 0
	for r.next = max(r.next, g.first); r.next < g.first+int64(len(g.pieces)) && size < batch; r.next++ {
		c := g.pieces[r.next-g.first]
		if r.stop != nil {
			if c.Offset >= r.stop.Of(c.Stream) {
				continue
			}
		}
		if skip := r.at.Of(c.Stream) - c.Offset; skip > 0 {
			if skip >= int64(len(c.Text)) {
				continue
			}
			c = c.after(skip)
		}
		r.at.set(c.Stream, c.Offset+int64(len(c.Text)))
		size += len(c.Text)
		chunks = append(chunks, c)
	}
	if len(chunks) > 0 {
		return chunks, nil, false, false
	}
	if g.over || r.stop != nil {
		return nil, nil, false, true
	}
	ch := make(chan struct{})
	g.changed = append(g.changed, ch)
	return nil, ch, false, false
}

// after returns c without its first n bytes, and without the rest of a character that is cut by
// that.
func (c Chunk) after(n int64) Chunk {
	for n < int64(len(c.Text)) && !utf8.RuneStart(c.Text[n]) {
		n++
	}
	c.Offset, c.Text = c.Offset+n, c.Text[n:]
	return c
}
