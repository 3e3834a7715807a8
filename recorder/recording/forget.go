package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// forgetTries is how often the deletion of a session is tried while other programs use it.
const forgetTries = 20

// forget stops the recording and deletes what was recorded: the journal, and what the database has
// of the session. The command goes on. The error says what may be left.
func (s *sink) forget(ctx context.Context) error {
	s.indexing.Lock() // nothing is saved meanwhile, nor later
	defer s.indexing.Unlock()
	s.forgotten.Store(true)
	s.setUnsaved(nil)
	s.stopPacking()
	if err := s.Discard(); err != nil {
		return fmt.Errorf("the journal: %w", err)
	}
	if _, err := os.Stat(s.path); errors.Is(err, os.ErrNotExist) {
		return nil // the session never came into a database
	}
	db, err := s.database(ctx)
	if err == nil {
		err = db.DeleteSession(ctx, s.session.ID)
		for try := 0; errors.Is(err, session.ErrBusy) && try < forgetTries; try++ {
			time.Sleep(sinkWait / forgetTries) // another program stores the journal just now
			err = db.DeleteSession(ctx, s.session.ID)
		}
	}
	if errors.Is(err, session.ErrNotFound) {
		return nil // it never came into it
	}
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	if err := db.Scrub(ctx); err != nil {
		return fmt.Errorf("the session is deleted, but its data may still be in the database's files: %w", err)
	}
	return nil
}
