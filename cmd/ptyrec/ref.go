package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// entryRef is a session, and maybe an entry in it: S or S#12.
type entryRef struct {
	session string
	seq     int // 0: none is named
}

func parseRef(text string) (entryRef, error) {
	name, number, found := strings.Cut(text, "#")
	if !found {
		return entryRef{session: name}, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return entryRef{}, &failure{err: fmt.Errorf("%q names no entry", text), hint: "write S#12, with the number that show and search give", status: statusUsage}
	}
	if name == "" {
		name = "last"
	}
	return entryRef{session: name, seq: n}, nil
}

// openSession opens the database and finds the session that the arguments name: the first of them, else the last session.
func (a *app) openSession(ctx context.Context, args []string) (*store.Store, *store.Info, entryRef, error) {
	ref := entryRef{session: "last"}
	if len(args) > 0 {
		var err error
		if ref, err = parseRef(args[0]); err != nil {
			return nil, nil, ref, err
		}
	}
	db, info, err := a.openNamed(ctx, ref.session)
	return db, info, ref, err
}

// openNamed opens the database and finds the session of this name.
func (a *app) openNamed(ctx context.Context, name string) (*store.Store, *store.Info, error) {
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil, nil, err
	}
	info, err := findSession(ctx, db, name)
	return db, info, err
}

// entryOf gives the entry with this number; nil where there is none.
func entryOf(entries []*session.Entry, seq int) *session.Entry {
	for _, e := range entries {
		if e.Seq == seq {
			return e
		}
	}
	return nil
}

func noEntry(id string, seq int) error {
	return fail(fmt.Errorf("session %s has no entry #%d", id, seq), "`ptyrec show` gives the numbers")
}

// shortID gives the beginning of an id that no other session shares.
func shortID(ctx context.Context, db *store.Store, id string) string {
	ids, err := db.IDs(ctx)
	if err != nil {
		return id
	}
	return newShortIDs(ids).of(id)
}
