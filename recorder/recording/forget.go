package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// forgetTries is the maximum number of attempts to delete a session while other programs use it.
const forgetTries = 20

// forget stops the recording and deletes what was recorded, in the journal and the database. The
// command continues. The error says what may remain.
func (s *sink) forget(ctx context.Context) error {
	s.indexing.Lock() // nothing is saved from now on
	defer s.indexing.Unlock()
	s.forgotten.Store(true)
	s.setUnsaved(nil)
	s.stopPacking()
	if err := s.Discard(); err != nil {
		return fmt.Errorf("the journal: %w", err)
	}
	if _, err := os.Stat(s.path); errors.Is(err, os.ErrNotExist) {
		return nil // the session is not in a database
	}
	db, err := s.database(ctx)
	if err == nil {
		err = db.DeleteSession(ctx, s.session.ID)
		for try := 0; errors.Is(err, session.ErrBusy) && try < forgetTries; try++ {
			time.Sleep(sinkWait / forgetTries) // another program may be storing the journal
			err = db.DeleteSession(ctx, s.session.ID)
		}
	}
	if errors.Is(err, session.ErrNotFound) {
		return nil // it was never in the database
	}
	if err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	if err := db.Scrub(ctx); err != nil {
		return fmt.Errorf("the session is deleted, but its data may still be in the database's files: %w", err)
	}
	return nil
}
