package server

import (
	"context"
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
)

// states remembers what the agents of live sessions do, as their logs have it.
type states struct {
	mu   sync.Mutex // guards last
	last map[string]lastState
}

type lastState struct {
	protocol.State
	seq int // of the newest entry that was looked at
}

// lookBack is how many entries are looked at again: the newest may still change.
const lookBack = 8

// of returns the state of a live session.
func (s *states) of(ctx context.Context, db Store, id string) (protocol.State, error) {
	s.mu.Lock()
	last := s.last[id]
	s.mu.Unlock()
	entries, err := db.EntriesAfter(ctx, id, max(0, last.seq-lookBack))
	if err != nil {
		return last.State, err
	}
	for _, e := range entries {
		if state, ok := protocol.StateOf(e); ok {
			last.State = state
		}
		last.seq = e.Seq
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) > maxStates {
		s.last = map[string]lastState{}
	}
	s.last[id] = last
	return last.State, nil
}

// maxStates is how many sessions are remembered before all are forgotten.
const maxStates = 10_000
