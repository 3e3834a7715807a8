package server

import (
	"context"
	"sync"

	"github.com/ptyrec/ptyrec/protocol"
)

// states caches what the agents of live sessions are doing, according to their entries.
type states struct {
	mu   sync.Mutex // guards last
	last map[string]lastState
}

type lastState struct {
	protocol.State
	seq int // of the newest entry that was read
}

// lookBack is the number of entries that are read again, because the newest may still change.
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

// maxStates is the number of cached sessions at which the cache is emptied.
const maxStates = 10_000
