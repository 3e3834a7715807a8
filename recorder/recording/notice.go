package recording

import (
	"context"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// toldFile is a file next to the journals. It exists when the user was notified often enough that
// sessions are recorded.
const toldFile = ".told"

// Name returns the short name of the session, to notify the user that it is recorded. If most is
// not 0, ok is false after that many sessions, because the user knows by then. It is also false if
// the database cannot be used.
func (r *Recording) Name(ctx context.Context, most int) (name string, ok bool) {
	told := filepath.Join(sqlite.JournalFolder(r.sink.path), toldFile)
	if _, err := os.Stat(told); most > 0 && err == nil {
		return "", false // the user waits for the prompt, so the database stays closed
	}
	ids, err := r.sink.ids(ctx)
	if err != nil {
		return "", false
	}
	if most > 0 && recorded(ids) > most {
		if f, err := sys.PrivateFile(told, 0); err == nil { // if this fails, it is decided again next time
			_ = f.Close()
		}
		return "", false
	}
	return listing.NewShortIDs(ids).Of(r.sink.session.ID), true
}

// recorded counts the sessions that were recorded here. Imported ones have ids of another UUID
// version.
func recorded(ids []string) (n int) {
	for _, id := range ids {
		if u, err := uuid.Parse(id); err == nil && u.Version() == 7 {
			n++
		}
	}
	return n
}
