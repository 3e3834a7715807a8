package commandsocket

import (
	"sync"
	"time"
)

// clients tracks which commands have clients. If too many commands run, a socket for a new command
// is refused, but not one for a client that comes back to its command.
type clients struct {
	mu sync.Mutex // guards of
	of map[clientKey]*attached
}

type clientKey struct{ box, id string }

type attached struct {
	sockets int
	left    time.Time // time when the last client left
}

// returnTime is how long a client whose socket was lost can come back.
const returnTime = 10 * time.Minute

// enter counts a socket of a command. leave must be called at its end; told means that the client
// knows how the command has ended, and need not come back.
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

// expected reports whether a client of the box may come back to a command: one that runs without a
// client, or whose end its client does not know.
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
