package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// toolError is an error worded for a model: what happened, and what to do.
type toolError string

func (e toolError) Error() string { return string(e) }

func toolErrorf(format string, args ...any) error { return toolError(fmt.Sprintf(format, args...)) }

// maxError is the maximum length of a tool's error, in characters.
const maxError = 1000

// explain returns an error worded for a model. Unknown errors are logged and not shown, because
// they may quote a recording.
func (s *Server) explain(ctx context.Context, err error) string {
	var said toolError
	var refused *protocol.Error
	switch {
	case errors.As(err, &said):
		return clip(string(said), maxError)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "The call was cancelled, or took too long. Try again with a smaller question."
	case errors.Is(err, session.ErrNewer):
		return "A newer ptyrec wrote the database, and this one cannot read it. Ask the user to update ptyrec."
	case errors.Is(err, session.ErrCorrupt):
		return "The database is damaged. Ask the user to run: ptyrec doctor --repair"
	case errors.Is(err, session.ErrNotDatabase):
		return "The database file is not a ptyrec database. Ask the user to name another with --db, or to move the file away."
	case errors.Is(err, session.ErrBusy):
		return "Another program has locked the database. Try again in a moment."
	case errors.Is(err, session.ErrNotWritable):
		return "The database cannot be opened: ptyrec may not read or write the file, or its folder. Ask the user to run: " +
			"ptyrec doctor"
	case errors.Is(err, session.ErrRemoved):
		return "The database was removed. Try again."
	case errors.Is(err, archive.ErrRef):
		return "The session is not understood. Write an id, its beginning or end, last, or a ref such as ID#12."
	case errors.As(err, &refused):
		return "The session refused: " + clip(refused.Message, 200) + "."
	}
	s.log.WarnContext(ctx, "a call failed", "error", err)
	return "ptyrec could not do this. Ask the user to run: ptyrec doctor"
}
