package opener

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// worded is an error worded for the user.
type worded struct {
	text string
	err  error
}

func (w worded) Error() string { return w.text }
func (w worded) Unwrap() error { return w.err }

// Find returns the session that ref names.
func Find(ctx context.Context, s *sqlite.Store, ref string) (*store.Info, error) {
	info, err := s.Find(ctx, ref)
	if hidden := s.Unreadable(); hidden != nil && errors.Is(err, session.ErrNotFound) {
		return nil, failure.New(worded{fmt.Sprintf("session not found, and some sessions cannot be read: %v", hidden), err},
			"`ptyrec doctor` explains how to repair it")
	}
	switch {
	case errors.Is(err, session.ErrNotFound) && ref == "last":
		return nil, failure.New(worded{"no session is recorded yet", err}, "record one: ptyrec run -- COMMAND")
	case errors.Is(err, session.ErrNotFound):
		return nil, failure.New(worded{fmt.Sprintf("no session %q", ref), err},
			"`ptyrec list` lists the sessions")
	case errors.Is(err, session.ErrAmbiguous):
		return nil, ambiguous(ctx, s, ref)
	}
	return info, err
}

// ambiguous returns an error with up to five sessions that match ref.
func ambiguous(ctx context.Context, s *sqlite.Store, ref string) error {
	ids, err := s.IDs(ctx)
	if err != nil {
		return err
	}
	short := listing.NewShortIDs(ids)
	var names []string
	for _, id := range ids {
		if session.Matches(id, ref) {
			names = append(names, short.Of(id))
		}
	}
	named := strings.Join(names[:min(5, len(names))], ", ")
	if len(names) > 5 {
		named += ", …"
	}
	return failure.New(worded{fmt.Sprintf("%d sessions match %q", len(names), ref), session.ErrAmbiguous},
		"write more of the id: "+named)
}

// parseRef is archive.ParseRef with a hint.
func parseRef(text string) (archive.Ref, error) {
	r, err := archive.ParseRef(text)
	if err != nil {
		return r, &failure.Error{Err: err, Hint: "write S#12 or S#4..S#12, with the numbers that show and search print",
			Misuse: true}
	}
	return r, nil
}

// LiveName returns the name of the live session in an argument. The argument must not select
// entries (#N).
func LiveName(arg string) (string, error) {
	if cli.IsPath(arg) {
		if _, err := os.Stat(arg); !errors.Is(err, fs.ErrNotExist) {
			return "", failure.Misuse("to play it: ptyrec play "+arg, "%s is a file, not a running session", arg)
		}
	}
	ref, err := parseRef(arg)
	return ref.Session, err
}

// Missing adds the valid numbers to err if it is an archive.MissingError.
func Missing(err error) error {
	if e := (*archive.MissingError)(nil); errors.As(err, &e) {
		return failure.New(err, "`ptyrec show "+e.Session+"` shows the numbers")
	}
	return err
}
