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
	RoleMember  = "member"  // reads what is its own, and the sessions of its spaces
	RoleAuditor = "auditor" // reads everything, which is recorded
	RoleAdmin   = "admin"   // changes users and spaces; reads as a member does
)

// Kinds of tokens.
const (
	KindUser = "user" // does what its owner may do
	KindPush = "push" // sends sessions for its owner, and reads nothing
)

// Viewer is on whose behalf the database is used. The zero value may do nothing.
type Viewer struct {
	User     int64
	Name     string // of the user
	Role     string
	Kind     string // of the token
	Token    int64
	Space    int64  // of a push token
	Link     int64  // by which one session is read, and nothing else; 0: none
	Address  string // of the client
	Export   bool   // what is read leaves as a file
	Operator bool   // administers the database without being a user of it; reads nothing
}

// viewing is a Viewer during one request.
type viewing struct {
	Viewer
	mu    sync.Mutex
	noted map[string]bool // what the audit has of this request; guarded by mu
}

type viewerKey struct{}

// As returns a context in which the methods of a Store act for v, as one request: what it reads of
// a session is recorded once.
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
// reading statement has it; no other function decides on that. table is an alias of sessions (s, c)
// or words (w).
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
	if table == "w" { // in the form that the index of words has
		return fmt.Sprintf("ARRAY[w.space, -w.owner] && (ARRAY(SELECT m.space FROM members AS m WHERE m.user_id = %[1]s) || -%[1]s::bigint)", user)
	}
	return shared(table, user)
}

// shared returns the condition under which a row of a table is that of a user, or of a space of
// theirs.
func shared(table, user string) string {
	return fmt.Sprintf("(%[1]s.owner = %[2]s OR %[1]s.space = ANY (ARRAY(SELECT m.space FROM members AS m WHERE m.user_id = %[2]s)))", table, user)
}

// opened returns the condition under which a link opens a session s now.
func opened(link, now string) string {
	return fmt.Sprintf("s.id IN (SELECT l.session FROM links AS l WHERE l.id = %s AND l.revoked_at IS NULL AND l.expires_at > %s)", link, now)
}

// stillVisible is visible for many viewers, the rows f (user_id, token, link): may they still read
// the sessions s, and are their tokens still valid?
func stillVisible(a *args) string {
	now := a.add(time.Now().UnixNano())
	return `(f.token = 0 OR EXISTS (SELECT FROM tokens AS t WHERE t.id = f.token AND t.kind = 'user' AND (t.expires_at IS NULL OR t.expires_at > ` + now + `)))
		AND CASE WHEN f.link <> 0 THEN ` + opened("f.link", now) + `
			WHEN f.user_id = 0 THEN false
			ELSE ` + shared("s", "f.user_id") + ` OR EXISTS (SELECT FROM users AS u WHERE u.id = f.user_id AND u.role = 'auditor') END`
}

// mayTag returns nil if the viewer, who reads the session, may change its tags.
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

// mayChange returns nil if the viewer, who reads the session, may rename, share and delete it.
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
	err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM members WHERE user_id = $1 AND space = $2 AND role = 'member')", user, space).Scan(&may)
	if err == nil && !may {
		err = session.ErrForbidden
	}
	return err
}

// sender returns the owner of what the viewer sends.
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
