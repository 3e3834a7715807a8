package teamserver

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/ptyrec/ptyrec/store/postgres"
)

// keepEvery is how often retention is applied. With several servers it is more often: what one
// does, the others need not do.
const keepEvery = time.Hour

// Keep applies the retention of the spaces, and deletes objects that no segment needs, until ctx is
// over, the first time at once.
func Keep(ctx context.Context, db *postgres.Store, log *slog.Logger) {
	for {
		n, err := db.Expire(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.WarnContext(ctx, "retention failed; it is tried again in an hour", "error", err)
		case n > 0:
			log.InfoContext(ctx, "old sessions were deleted", "sessions", n)
		}
		switch n, err := db.Sweep(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.WarnContext(ctx, "objects without a segment could not be deleted; it is tried again tomorrow", "error", err)
		case n > 0:
			log.InfoContext(ctx, "objects without a segment were deleted", "objects", n)
		}
		wait := time.NewTimer(keepEvery/2 + rand.N(keepEvery)) // many servers do not come at once
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}
