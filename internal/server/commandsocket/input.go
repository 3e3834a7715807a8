package commandsocket

import (
	"errors"
	"fmt"
	"sync"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/protocol/command"
)

// queue holds input until its command reads it.
type queue struct {
	wake chan struct{} // receives a value after each change

	mu      sync.Mutex // guards the fields below
	items   []item
	waiting int // size of items, in bytes
	ended   bool
}

// item is a piece of input.
type item struct {
	data   []byte
	offset *int64 // offset in all input; nil: it follows the previous item
	end    bool   // the end of the input
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// put adds an item. It returns false if the queue is full.
func (q *queue) put(i item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting+len(i.data) > maxWaiting {
		return false
	}
	q.items = append(q.items, i)
	q.waiting += len(i.data)
	q.changed()
	return true
}

// end marks the end of the input.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.changed()
}

// changed wakes next. q.mu must be held.
func (q *queue) changed() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next waits for an item, which stays in the queue until drop is called. ok is false after the last
// item.
func (q *queue) next() (i item, ok bool) {
	for {
		q.mu.Lock()
		some, ended := len(q.items) > 0, q.ended
		if some {
			i = q.items[0]
		}
		q.mu.Unlock()
		if some || ended {
			return i, some
		}
		<-q.wake
	}
}

// drop removes the item that next has returned.
func (q *queue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting -= len(q.items[0].data)
	q.items = q.items[1:]
}

// listen reads the client's messages until the connection ends, and returns the reason.
func (a *attachment) listen() error {
	for {
		r, err := a.receive()
		if err != nil {
			return err
		}
		room := true
		switch r.Type {
		case command.Input:
			i := item{data: []byte(r.Data)}
			if a.acks {
				i.offset = r.Offset
				i.data = append(i.data, r.Binary...)
			}
			room = a.input.put(i)
		case command.CloseStdin:
			room = a.input.put(item{end: true})
		case command.Kill:
			a.others.Go(a.kill)
		case command.Execute, command.Reconnect:
			return invalid(errors.New("this socket already has a command"))
		}
		if !room {
			return &fault{command.CommandError, fmt.Sprintf("more than %d MiB of input wait for the command", maxWaiting>>20)}
		}
	}
}

// kill ends all processes of the command, even if the client leaves meanwhile.
func (a *attachment) kill() {
	_ = a.command.Kill(a.server, process.Kill, 0) // it may have ended
}

// feed writes the input to the command as fast as it reads. Input for a command that has ended or
// closed its stdin is lost.
func (a *attachment) feed() {
	for {
		i, ok := a.input.next()
		if !ok {
			return
		}
		if i.end {
			_ = a.command.CloseInput(a.server) // it may have ended
		} else {
			a.write(i)
		}
		a.input.drop()
	}
}

// write writes a piece of input and acknowledges it.
func (a *attachment) write(i item) {
	if i.offset == nil {
		_ = a.command.Write(a.server, i.data)
		return
	}
	taken, err := a.command.WriteAt(a.server, *i.offset, i.data)
	if errors.Is(err, process.ErrEnded) {
		taken, err = *i.offset+int64(len(i.data)), nil
	}
	if err == nil {
		_ = a.send(command.Reply{Type: command.Ack, StdinOffset: &taken}) // the client may be gone
	}
}
