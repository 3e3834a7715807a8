package postgres

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// NewLink describes a link to create.
type NewLink struct {
	Session string
	Expires time.Time
	Anyone  bool // works without a token, too, if the server allows it
}

// codeBytes is the size of a link's code: 128 random bits cannot be guessed.
const codeBytes = 16

// AddLink creates a link to a session of the viewer and returns its code, which cannot be read
// again. Only the owner of a session may create links; for other readers the error wraps
// session.ErrForbidden.
func (s *Store) AddLink(ctx context.Context, n NewLink) (code string, err error) {
	bits := make([]byte, codeBytes)
	_, _ = rand.Read(bits) // never fails
	code = strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(bits))
	err = s.ownLinks(ctx, "add link", didLink, n.Session, func(tx pgx.Tx, k key) (about string, err error) {
		var id int64
		err = tx.QueryRow(ctx, "INSERT INTO links (session, hash, made_by, anyone, created_at, expires_at) VALUES ($1, "+
			"$2, $3, $4, $5, $6) RETURNING id",
			k.id, hashOf(code), ViewerOf(ctx).User, n.Anyone, time.Now().UnixNano(), n.Expires.UnixNano()).Scan(&id)
		if about = linkName(id); n.Anyone {
			about += " for anyone"
		}
		return about, err
	})
	return code, err
}

// linkName returns the name of a link in the audit.
func linkName(id int64) string { return fmt.Sprint("link ", id) }

// RevokeLinks revokes all links to a session of the viewer, and returns their number.
func (s *Store) RevokeLinks(ctx context.Context, id string) (n int64, err error) {
	err = s.ownLinks(ctx, "revoke links", didRevoke, id, func(tx pgx.Tx, k key) (string, error) {
		now := time.Now().UnixNano()
		tag, err := tx.Exec(ctx,
			"UPDATE links SET revoked_at = $1 WHERE session = $2 AND revoked_at IS NULL AND expires_at > $1", now, k.id)
		n = tag.RowsAffected()
		return fmt.Sprint(n, " links"), err
	})
	return n, err
}

// ownLinks runs fn in a transaction if the session belongs to the viewer, and records it in the
// audit.
func (s *Store) ownLinks(ctx context.Context, what, did, id string,
	fn func(pgx.Tx, key) (about string, err error)) error {
	return s.inTx(ctx, what, func(tx pgx.Tx) error {
		k, err := s.keyOf(ctx, tx, id)
		if err == nil {
			err = mayChange(ctx, k)
		}
		if err != nil {
			return err
		}
		about, err := fn(tx, k)
		if err != nil {
			return err
		}
		return note(ctx, tx, did, k.id, about)
	})
}

// OpenLink returns the viewer for a request that uses a link, and the id of the session that it may
// read. public says whether the server opens links for people who are not signed in. The error
// wraps session.ErrForbidden if the viewer must sign in first, whether the link exists or not, and
// session.ErrNotFound if the link is revoked or the token cannot read anything.
func (s *Store) OpenLink(ctx context.Context, code string, public bool) (v Viewer, id string, err error) {
	v = ViewerOf(ctx)
	var anyone bool
	err = s.inTx(ctx, "open link", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx,
			"SELECT id, session, anyone FROM links WHERE hash = $1 AND revoked_at IS NULL AND expires_at > $2", hashOf(code),
			time.Now().UnixNano()).
			Scan(&v.Link, &id, &anyone)
	})
	none := errors.Is(err, pgx.ErrNoRows)
	switch {
	case err != nil && !none:
		return v, "", err
	case v.User == 0 && (none || !anyone || !public):
		return v, "", fmt.Errorf("link: %w", session.ErrForbidden)
	case none, v.User != 0 && v.Kind != KindUser:
		return v, "", fmt.Errorf("link: %w", session.ErrNotFound)
	}
	return v, id, nil
}
