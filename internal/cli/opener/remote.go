package opener

import (
	"context"
	"errors"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Finder finds sessions by name. *team.Reader implements it.
type Finder interface {
	Find(ctx context.Context, ref string) (*store.Info, error)
}

// Remote returns the session on a server that the first of args names, or else the last one there.
func Remote(ctx context.Context, s Finder, args []string) (*store.Info, archive.Ref, error) {
	name := "last"
	if len(args) > 0 {
		name = args[0]
	}
	ref, err := parseRef(name)
	if err != nil {
		return nil, ref, err
	}
	info, err := s.Find(ctx, ref.Session)
	if errors.Is(err, session.ErrNotFound) {
		err = failure.New(err, "`ptyrec list --team` lists the sessions that you may read")
	}
	return info, ref, err
}
