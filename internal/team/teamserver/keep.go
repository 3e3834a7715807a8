package teamserver

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/ptyrec/ptyrec/store/postgres"
)

// keepEvery is the interval at which a server applies retention. With several servers it happens
// more often, but each deletes only what the others have not.
const keepEvery = time.Hour

// Keep applies the retention of the spaces, and deletes objects without a segment, at once and then
// regularly until ctx is cancelled.
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
		wait := time.NewTimer(keepEvery/2 + rand.N(keepEvery)) // spread the load of many servers
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}
