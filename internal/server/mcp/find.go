package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Archive is a database and its readers.
type Archive struct {
	Store *sqlite.Store
	Live  *client.Client
	Past  Past
}

var errNoSessions = toolError("No session is recorded yet: there is no database. Sessions appear once the user " +
	"records one with: ptyrec run -- COMMAND")

// find returns the session in a call's arguments, and the entries of it if they name any. The error
// is a toolError if the name is wrong.
func (s *Server) find(ctx context.Context, name string) (*Archive, *store.Info, archive.Ref, error) {
	ref, err := archive.ParseRef(strings.TrimSpace(name))
	if err != nil {
		return nil, nil, ref, err
	}
	db, err := s.open(ctx)
	if err != nil {
		return nil, nil, ref, err
	}
	if db == nil {
		return nil, nil, ref, errNoSessions
	}
	info, err := db.Store.Find(ctx, ref.Session)
	switch {
	case errors.Is(err, session.ErrNotFound):
		err = notFound(ctx, db, ref.Session)
	case errors.Is(err, session.ErrAmbiguous):
		err = ambiguous(ctx, db, ref.Session)
	}
	return db, info, ref, err
}

// candidates is the maximum number of sessions in an error.
const candidates = 5

func notFound(ctx context.Context, db *Archive, name string) error {
	infos, err := db.Store.Sessions(ctx, store.Filter{Limit: candidates})
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return errNoSessions
	}
	return toolErrorf("There is no session %q. The newest are: %s. list_sessions lists more.",
		clip(oneWord(name), 40), listed(infos))
}

func ambiguous(ctx context.Context, db *Archive, name string) error {
	ids, err := db.Store.IDs(ctx)
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !session.Matches(id, name) })
	slices.Sort(ids)
	slices.Reverse(ids)
	infos := []*store.Info{}
	for _, id := range ids[:min(candidates, len(ids))] {
		if info, err := db.Store.Find(ctx, id); err == nil { // otherwise it was deleted meanwhile
			infos = append(infos, info)
		}
	}
	return toolErrorf("%d sessions match %q. Write more of the id: %s.", len(ids),
		clip(oneWord(name), 40), listed(infos))
}

// listed names sessions without quoting recordings.
func listed(infos []*store.Info) string {
	names := []string{}
	for _, info := range infos {
		what := info.Status
		if len(info.Agents) > 0 {
			what = oneWord(info.Agents[0].Name) + ", " + what
		}
		names = append(names, fmt.Sprintf("%s (%s, %s)", info.ID, what, clock(info.StartedAt)))
	}
	return strings.Join(names, ", ")
}

// oneWord keeps only characters that occur in names of sessions and agents.
func oneWord(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, name)
}

// refOf returns the reference of an entry, for use with other tools. Ids made by ptyrec (UUIDv7)
// are unique by their first 18 characters, the time and a counter.
func refOf(id string, seq int) string {
	if len(id) == 36 && id[14] == '7' {
		id = id[:18]
	}
	return fmt.Sprintf("%s#%d", id, seq)
}
