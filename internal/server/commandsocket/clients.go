package commandsocket

import (
	"sync"
	"time"
)

// clients knows which commands have clients, so that a socket for a new command can be refused when
// too many run, and one for a command whose client comes back cannot.
type clients struct {
	mu sync.Mutex // guards of
	of map[clientKey]*attached
}

type clientKey struct{ box, id string }

type attached struct {
	sockets int
	left    time.Time // when the last one left
}

// returnTime is how long a client whose socket was lost is expected back, at most.
const returnTime = 10 * time.Minute

// enter counts a socket of a command. leave must be called; told says that the client knows how the
// command has ended, and needs not come back.
func (c *clients) enter(box, id string) (leave func(told bool)) {
	k := clientKey{box, id}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[clientKey]*attached{}
	}
	if c.of[k] == nil {
		c.of[k] = &attached{}
	}
	c.of[k].sockets++
	return func(told bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		a := c.of[k]
		if a == nil {
			return
		}
		a.sockets--
		a.left = time.Now()
		if told && a.sockets <= 0 {
			delete(c.of, k)
		}
	}
}

// expected reports whether a client of the box may come back to a command that it has: one that
// runs without a client, or one whose client has not heard of its end.
func (c *clients) expected(box string, running []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range running {
		if a := c.of[clientKey{box, id}]; a == nil || a.sockets <= 0 {
			return true
		}
	}
	for k, a := range c.of {
		switch {
		case a.sockets > 0:
		case time.Since(a.left) > returnTime:
			delete(c.of, k)
		case k.box == box:
			return true
		}
	}
	return false
}
