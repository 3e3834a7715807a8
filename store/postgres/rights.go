package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// Roles of users on the whole server.
const (
	RoleMember  = "member"  // reads own sessions and those of own spaces
	RoleAuditor = "auditor" // reads everything; each access is audited
	RoleAdmin   = "admin"   // changes users and spaces; reads as a member does
)

// Kinds of tokens.
const (
	KindUser = "user" // may do what its owner may do
	KindPush = "push" // sends sessions for its owner, and cannot read
)

// Viewer identifies on whose behalf the database is used. The zero value may do nothing.
type Viewer struct {
	User     int64
	Name     string // of the user
	Role     string
	Kind     string // of the token
	Token    int64
	Space    int64  // of a push token
	Link     int64  // the viewer may read only the session of this link; 0: no link
	Address  string // of the client
	Export   bool   // the viewer downloads what it reads
	Operator bool   // administers the database without being one of its users; cannot read
}

// viewing is a Viewer during one request.
type viewing struct {
	Viewer
	mu    sync.Mutex
	noted map[string]bool // audit rows that this request has written; guarded by mu
}

type viewerKey struct{}

// As returns a context in which the methods of a Store act for v. The context stands for one
// request: reading the same session several times is audited once.
func As(ctx context.Context, v Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, &viewing{Viewer: v, noted: map[string]bool{}})
}

// ViewerOf returns the Viewer of a context.
func ViewerOf(ctx context.Context) Viewer { return viewingOf(ctx).Viewer }

func viewingOf(ctx context.Context) *viewing {
	if v, ok := ctx.Value(viewerKey{}).(*viewing); ok {
		return v
	}
	return &viewing{}
}

// visible returns the condition under which the viewer may read what belongs to a session. Every
// statement that reads uses it; access is decided nowhere else. table is an alias of sessions (s,
// c) or words (w).
func visible(ctx context.Context, table string, a *args) string {
	v := ViewerOf(ctx)
	switch {
	case v.Link != 0 && table == "s":
		return opened(a.add(v.Link), a.add(time.Now().UnixNano()))
	case v.User == 0 || v.Kind != KindUser || v.Link != 0:
		return "false"
	case v.Role == RoleAuditor:
		return "true"
	}
	user := a.add(v.User)
	if table == "w" { // in the form that the index on words has
		return fmt.Sprintf("ARRAY[w.space, -w.owner] && (ARRAY(SELECT m.space FROM members AS m WHERE m.user_id = %[1]s) "+
			"|| -%[1]s::bigint)", user)
	}
	return shared(table, user)
}

// shared returns the condition under which a row of a table belongs to a user, or to one of the
// user's spaces.
func shared(table, user string) string {
	return fmt.Sprintf("(%[1]s.owner = %[2]s OR %[1]s.space = ANY (ARRAY(SELECT m.space FROM members AS m WHERE "+
		"m.user_id = %[2]s)))", table, user)
}

// opened returns the condition under which a link now opens a session s.
func opened(link, now string) string {
	return fmt.Sprintf("s.id IN (SELECT l.session FROM links AS l WHERE l.id = %s AND l.revoked_at IS NULL AND "+
		"l.expires_at > %s)", link, now)
}

// stillVisible is visible for many viewers: it returns the condition under which the rows f
// (user_id, token, link) may still read the sessions s, and their tokens are still valid.
func stillVisible(a *args) string {
	now := a.add(time.Now().UnixNano())
	return `(f.token = 0 OR EXISTS (SELECT FROM tokens AS t WHERE t.id = f.token AND t.kind = 'user' AND (t.expires_at ` +
		`IS NULL OR t.expires_at > ` + now + `)))
		AND CASE WHEN f.link <> 0 THEN ` + opened("f.link", now) + `
			WHEN f.user_id = 0 THEN false
			ELSE ` + shared("s", "f.user_id") + ` OR EXISTS (SELECT FROM users AS u WHERE u.id = f.user_id AND u.role = ` +
		`'auditor') END`
}

// mayTag returns nil if the viewer may change the tags of a session that it can read.
func mayTag(ctx context.Context, tx pgx.Tx, k key) error {
	v := ViewerOf(ctx)
	switch {
	case v.Link != 0:
		return session.ErrForbidden
	case k.owner == v.User:
		return nil
	case k.space == 0:
		return session.ErrForbidden
	}
	return mayPushInto(ctx, tx, v.User, k.space)
}

// mayChange returns nil if the viewer may rename, share and delete a session that it can read.
func mayChange(ctx context.Context, k key) error {
	if v := ViewerOf(ctx); k.owner != v.User || v.Link != 0 {
		return session.ErrForbidden
	}
	return nil
}

// mayPushInto returns nil if a user may send sessions into a space.
func mayPushInto(ctx context.Context, tx pgx.Tx, user, space int64) error {
	if space == 0 {
		return nil
	}
	var may bool
	err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM members WHERE user_id = $1 AND space = $2 AND role = 'member')",
		user, space).Scan(&may)
	if err == nil && !may {
		err = session.ErrForbidden
	}
	return err
}

// sender returns the user who owns what the viewer sends.
func sender(ctx context.Context) (owner int64, err error) {
	v := ViewerOf(ctx)
	if v.User == 0 {
		return 0, session.ErrForbidden
	}
	return v.User, nil
}

// administers returns nil if the viewer may change users, tokens and spaces.
func administers(ctx context.Context) error {
	if v := ViewerOf(ctx); v.Operator || v.User != 0 && v.Kind == KindUser && v.Role == RoleAdmin {
		return nil
	}
	return session.ErrForbidden
}
