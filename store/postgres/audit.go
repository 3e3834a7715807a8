package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// Actions that the audit records.
const (
	didLogin  = "login"
	didToken  = "token"
	didRole   = "role"
	didSpace  = "space"
	didDelete = "delete"
	didRead   = "read"
	didExport = "export"
	didSearch = "search"
	didList   = "list"
	didLink   = "link"   // created a link
	didOpen   = "open"   // read a session through a link
	didRevoke = "revoke" // revoked the links to a session

	didRetention = "retention" // also for what the server deletes itself
	didPolicy    = "policy"
)

// Record is a row of the audit log.
type Record struct {
	At time.Time `json:"at"`
	// User is the user's name, "operator" (has the database's password), "anyone" (has a link and
	// no token) or "server" (retention).
	User    string `json:"user"`
	Token   int64  `json:"token,omitempty"`
	What    string `json:"what"`
	Session string `json:"session,omitempty"`
	About   string `json:"about,omitempty"` // the user, token, space or link that the action was about
	Address string `json:"address,omitempty"`
}

// note writes a row of the audit in the transaction that does what it records. It must be the last
// statement of the transaction, because it locks the last row of the day.
func note(ctx context.Context, tx pgx.Tx, what, id, about string) error {
	v := ViewerOf(ctx)
	r := Record{At: time.Now().UTC(), User: v.Name, Token: v.Token, What: what, Session: id, About: about,
		Address: v.Address}
	switch {
	case v.Operator:
		r.User = "operator"
	case v.Link != 0:
		r.User, r.About = cmp.Or(r.User, "anyone"), linkName(v.Link)
	}
	text, _, err := cleanJSON(r)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `WITH chain AS (
			INSERT INTO audit_days AS d (day, n, before, hash) VALUES ($1::date, 1, '', sha256(convert_to($2::text, 'UTF8')))
			ON CONFLICT (day) DO UPDATE SET n = d.n + 1, before = d.hash, hash = sha256(d.hash || convert_to($2::text, 'UTF8'))
			RETURNING n, before, hash)
		INSERT INTO audit (day, n, row, before, hash) SELECT $1::date, n, $2::text, before, hash FROM chain`,
		r.At.Format(time.DateOnly), text)
	return err
}

// noteOnce writes a row unless this request has already written the same one. The transaction must
// end right after it.
func noteOnce(ctx context.Context, tx pgx.Tx, what, id string) error {
	v := viewingOf(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	key := what + " " + id
	if v.noted[key] {
		return nil
	}
	err := note(ctx, tx, what, id, "")
	if err == nil {
		v.noted[key] = true
	}
	return err
}

// noteList records that an auditor listed what belongs to others. The transaction must end right
// after it.
func noteList(ctx context.Context, tx pgx.Tx) error {
	if ViewerOf(ctx).Role != RoleAuditor {
		return nil
	}
	return noteOnce(ctx, tx, didList, "")
}

// noteRead records that the viewer read another user's session.
func noteRead(ctx context.Context, tx pgx.Tx, id string, owner int64) error {
	v := ViewerOf(ctx)
	switch {
	case owner == v.User:
		return nil
	case v.Link != 0 && !v.Export:
		return noteOnce(ctx, tx, didOpen, id)
	case v.Export:
		return noteOnce(ctx, tx, didExport, id)
	}
	return noteOnce(ctx, tx, didRead, id)
}

// Audit calls fn with the rows of the audit since a day, in order. The error wraps ErrAudit if a
// row was changed or removed. Only auditors and the operator may call it.
func (s *Store) Audit(ctx context.Context, since time.Time, fn func(Record) error) error {
	if v := ViewerOf(ctx); !v.Operator && (v.Kind != KindUser || v.Role != RoleAuditor) {
		return session.ErrForbidden
	}
	return s.inTx(ctx, "read audit", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT day::text, n, row, before, hash FROM audit WHERE day >= $1::date ORDER BY day, "+
			"n", since.UTC().Format(time.DateOnly))
		if err != nil {
			return err
		}
		var day, text string
		var n int64
		var before, hash []byte
		last := map[string]chainEnd{}
		_, err = pgx.ForEachRow(rows, []any{&day, &n, &text, &before, &hash}, func() error {
			sum := sha256.Sum256(append(bytes.Clone(before), text...))
			if end := last[day]; n != end.n+1 || !bytes.Equal(before, end.hash) || !bytes.Equal(hash, sum[:]) {
				return fmt.Errorf("row %d of %s: %w", n, day, ErrAudit)
			}
			last[day] = chainEnd{n, bytes.Clone(hash)}
			var r Record
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				return errors.Join(ErrAudit, err)
			}
			return fn(r)
		})
		if err != nil {
			return err
		}
		return checkEnds(ctx, tx, since, last)
	})
}

// ErrAudit reports that the audit was changed after it was written.
var ErrAudit = errors.New("the audit was changed")

// chainEnd is the last row of a day.
type chainEnd struct {
	n    int64
	hash []byte
}

// checkEnds returns an error if rows are missing at the end of a day.
func checkEnds(ctx context.Context, tx pgx.Tx, since time.Time, last map[string]chainEnd) error {
	rows, err := tx.Query(ctx, "SELECT day::text, n, hash FROM audit_days WHERE day >= $1::date",
		since.UTC().Format(time.DateOnly))
	if err != nil {
		return err
	}
	var day string
	var n int64
	var hash []byte
	days := 0
	_, err = pgx.ForEachRow(rows, []any{&day, &n, &hash}, func() error {
		days++
		if end := last[day]; end.n != n || !bytes.Equal(end.hash, hash) {
			return fmt.Errorf("the last rows of %s: %w", day, ErrAudit)
		}
		return nil
	})
	if err == nil && days != len(last) {
		err = ErrAudit
	}
	return err
}
