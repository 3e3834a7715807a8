package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// User is a user of the server.
type User struct {
	ID      int64     `json:"-"`
	Name    string    `json:"name"`
	Role    string    `json:"role"`
	Email   string    `json:"email,omitempty"` // address by which a provider's person is recognised
	Created time.Time `json:"created_at"`
}

// Token describes a token. The token itself is not stored.
type Token struct {
	ID      int64      `json:"id"`
	User    string     `json:"user"`
	Name    string     `json:"name"`
	Kind    string     `json:"kind"`
	Space   string     `json:"space,omitempty"` // of a push token
	Created time.Time  `json:"created_at"`
	Expires *time.Time `json:"expires_at,omitempty"`
	Used    *time.Time `json:"used_at,omitempty"`
}

// Space is a group of sessions and of the people who may read them.
type Space struct {
	ID       int64    `json:"-"`
	Name     string   `json:"name"`
	KeepDays int64    `json:"keep_days"`
	Members  []Member `json:"members"`
}

// Member is a user who can read a space's sessions, and with the role member also send to it.
type Member struct {
	User string `json:"user"`
	Role string `json:"role"` // reader or member
}

// ErrName reports an invalid name.
var ErrName = errors.New("a name is 1 to 64 letters, digits and . _ - @, and begins with a letter or digit")

// ErrTaken reports that the name is taken.
var ErrTaken = errors.New("it exists already")

// ErrUnknown reports that there is nothing with this name.
var ErrUnknown = errors.New("it does not exist")

// ErrNotMember reports that a user is to send into a space without being a member of it.
var ErrNotMember = errors.New("not a member")

var nameForm = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

// administer runs fn in a transaction if the viewer is an administrator, and records it in the
// audit.
func (s *Store) administer(ctx context.Context, what, did, about string, fn func(pgx.Tx) error) error {
	if err := administers(ctx); err != nil {
		return err
	}
	return s.inTx(ctx, what, func(tx pgx.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return note(ctx, tx, did, "", about)
	})
}

// AddUser adds a user with a role. The error wraps ErrName or ErrTaken.
func (s *Store) AddUser(ctx context.Context, name, role string) error {
	if !nameForm().MatchString(name) {
		return fmt.Errorf("user %q: %w", name, ErrName)
	}
	return s.administer(ctx, "add user", didRole, name+" "+role, func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "INSERT INTO users (name, role, created_at) VALUES ($1, $2, $3) ON CONFLICT DO "+
			"NOTHING", name, role, time.Now().UnixNano()))(name, ErrTaken)
	})
}

// SetRole changes a user's role.
func (s *Store) SetRole(ctx context.Context, name, role string) error {
	return s.administer(ctx, "set role", didRole, name+" "+role, func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "UPDATE users SET role = $1 WHERE name = $2", role, name))(name, ErrUnknown)
	})
}

// RemoveUser deletes a user and the user's tokens. The user's sessions stay, for the members of
// their spaces.
func (s *Store) RemoveUser(ctx context.Context, name string) error {
	return s.administer(ctx, "remove user", didRole, name+" removed", func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "DELETE FROM users WHERE name = $1", name))(name, ErrUnknown)
	})
}

// inserted returns a function that returns an error if a statement changed no row.
func inserted(tag interface{ RowsAffected() int64 }, err error) func(name string, otherwise error) error {
	return func(name string, otherwise error) error {
		if err == nil && tag.RowsAffected() == 0 {
			return fmt.Errorf("%s: %w", name, otherwise)
		}
		return err
	}
}

// Users returns all users, sorted by name.
func (s *Store) Users(ctx context.Context) (users []User, err error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	err = s.inTx(ctx, "list users", func(tx pgx.Tx) error {
		users = nil
		rows, err := tx.Query(ctx, "SELECT id, name, role, email, created_at FROM users ORDER BY name")
		if err != nil {
			return err
		}
		var u User
		var created int64
		_, err = pgx.ForEachRow(rows, []any{&u.ID, &u.Name, &u.Role, &u.Email, &created}, func() error {
			u.Created = timeOf(created)
			users = append(users, u)
			return nil
		})
		return err
	})
	return users, err
}

// TokenPrefix is the prefix of every token.
const TokenPrefix = "ptr_"

// NewToken describes a token to create.
type NewToken struct {
	User, Name, Kind string
	Space            string    // of a push token; empty: only the owner can read what it sends
	Expires          time.Time // zero for never
}

// AddToken creates a token and returns it. It cannot be read again.
func (s *Store) AddToken(ctx context.Context, n NewToken) (token string, err error) {
	token = newToken()
	name, _ := clean(n.Name)
	var expires *int64
	if !n.Expires.IsZero() {
		at := n.Expires.UnixNano()
		expires = &at
	}
	err = s.administer(ctx, "add token", didToken, n.User+" "+n.Kind, func(tx pgx.Tx) error {
		space, err := spaceID(ctx, tx, n.Space)
		if err != nil {
			return err
		}
		var user int64
		err = tx.QueryRow(ctx, "SELECT id FROM users WHERE name = $1", n.User).Scan(&user)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("user %s: %w", n.User, ErrUnknown)
		}
		if err != nil {
			return err
		}
		if err := mayPushInto(ctx, tx, user, space); errors.Is(err, session.ErrForbidden) {
			return fmt.Errorf("user %s, space %s: %w", n.User, n.Space, ErrNotMember)
		} else if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO tokens (user_id, hash, name, kind, space, created_at, expires_at) VALUES ($1, "+
			"$2, $3, $4, $5, $6, $7)",
			user, hashOf(token), name, n.Kind, space, time.Now().UnixNano(), expires)
		return err
	})
	return token, err
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// RemoveToken revokes a token.
func (s *Store) RemoveToken(ctx context.Context, id int64) error {
	return s.administer(ctx, "remove token", didToken, fmt.Sprint(id, " removed"), func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "DELETE FROM tokens WHERE id = $1", id))(fmt.Sprint("token ", id), ErrUnknown)
	})
}

// Tokens returns all tokens, newest first.
func (s *Store) Tokens(ctx context.Context) (tokens []Token, err error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	err = s.inTx(ctx, "list tokens", func(tx pgx.Tx) error {
		tokens = nil
		rows, err := tx.Query(ctx,
			`SELECT t.id, u.name, t.name, t.kind, coalesce(s.name, ''), t.created_at, t.expires_at, t.used_at
			FROM tokens AS t JOIN users AS u ON u.id = t.user_id LEFT JOIN spaces AS s ON s.id = t.space ORDER BY t.id DESC`)
		if err != nil {
			return err
		}
		var t Token
		var created int64
		var expires, used *int64
		_, err = pgx.ForEachRow(rows, []any{&t.ID, &t.User, &t.Name, &t.Kind, &t.Space, &created, &expires, &used},
			func() error {
				t.Created, t.Expires, t.Used = timeOf(created), timeOrNil(expires), timeOrNil(used)
				tokens = append(tokens, t)
				return nil
			})
		return err
	})
	return tokens, err
}

// usedEvery is the minimum interval between updates of a token's time of last use.
const usedEvery = time.Minute

// Identify returns the Viewer for a client with this token. The error wraps session.ErrForbidden if
// the token is not valid.
func (s *Store) Identify(ctx context.Context, token string) (v Viewer, err error) {
	if !strings.HasPrefix(token, TokenPrefix) {
		return v, session.ErrForbidden
	}
	now := time.Now().UnixNano()
	var used *int64
	err = s.pool.QueryRow(ctx,
		`SELECT u.id, u.name, u.role, t.kind, t.id, t.space, t.used_at FROM tokens AS t JOIN users AS u ON u.id = t.user_id
		WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > $2)`, hashOf(token), now).
		Scan(&v.User, &v.Name, &v.Role, &v.Kind, &v.Token, &v.Space, &used)
	if errors.Is(err, pgx.ErrNoRows) {
		return v, session.ErrForbidden
	}
	switch {
	case err == nil && used == nil:
		err = s.firstUse(ctx, v, now)
	case err == nil && now-*used > int64(usedEvery):
		_, err = s.pool.Exec(ctx, "UPDATE tokens SET used_at = $1 WHERE id = $2", now, v.Token)
	}
	err = s.failed("check token", err)
	return v, err
}

// firstUse records that a token is used. For a token created by an administrator it also audits the
// login; other tokens are audited when they are created.
func (s *Store) firstUse(ctx context.Context, v Viewer, now int64) error {
	v.Address = ViewerOf(ctx).Address
	return s.inTx(ctx, "check token", func(tx pgx.Tx) error {
		var login bool
		err := tx.QueryRow(ctx, "UPDATE tokens SET used_at = $1 WHERE id = $2 AND used_at IS NULL RETURNING login", now,
			v.Token).Scan(&login)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && login {
			return nil
		}
		if err != nil {
			return err
		}
		return note(As(ctx, v), tx, didLogin, "", "token")
	})
}

// spaceID returns the id of a space, or 0 if the name is empty.
func spaceID(ctx context.Context, tx pgx.Tx, name string) (id int64, err error) {
	if name == "" {
		return 0, nil
	}
	name, _ = clean(name)
	err = tx.QueryRow(ctx, "SELECT id FROM spaces WHERE name = $1", name).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("space %q: %w", name, ErrUnknown)
	}
	return id, err
}

// AddSpace adds a space without members. The error wraps ErrName or ErrTaken.
func (s *Store) AddSpace(ctx context.Context, name string) error {
	if !nameForm().MatchString(name) {
		return fmt.Errorf("space %q: %w", name, ErrName)
	}
	return s.administer(ctx, "add space", didSpace, name, func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "INSERT INTO spaces (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", name,
			time.Now().UnixNano()))(name, ErrTaken)
	})
}

// SetMember lets a user read a space's sessions (role reader), or also send to it (role member). An
// empty role removes the user from the space.
func (s *Store) SetMember(ctx context.Context, space, user, role string) error {
	return s.administer(ctx, "set member", didSpace, space+" "+user+" "+role, func(tx pgx.Tx) error {
		id, err := spaceID(ctx, tx, space)
		if err != nil {
			return err
		}
		if role == "" {
			return inserted(tx.Exec(ctx,
				"DELETE FROM members USING users WHERE users.id = user_id AND space = $1 AND users.name = $2", id, user))(user,
				ErrUnknown)
		}
		return inserted(tx.Exec(ctx, `INSERT INTO members (space, user_id, role) SELECT $1, id, $2 FROM users WHERE name = $3
			ON CONFLICT (user_id, space) DO UPDATE SET role = excluded.role`, id, role, user))(user, ErrUnknown)
	})
}

// Spaces returns all spaces and their members, sorted by name.
func (s *Store) Spaces(ctx context.Context) (spaces []Space, err error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	err = s.inTx(ctx, "list spaces", func(tx pgx.Tx) error {
		spaces = nil
		rows, err := tx.Query(ctx,
			`SELECT s.id, s.name, s.keep_days, coalesce(u.name, ''), coalesce(m.role, '') FROM spaces AS s
			LEFT JOIN (members AS m JOIN users AS u ON u.id = m.user_id) ON m.space = s.id ORDER BY s.name, u.name`)
		if err != nil {
			return err
		}
		var sp Space
		var m Member
		_, err = pgx.ForEachRow(rows, []any{&sp.ID, &sp.Name, &sp.KeepDays, &m.User, &m.Role}, func() error {
			if len(spaces) == 0 || spaces[len(spaces)-1].ID != sp.ID {
				spaces = append(spaces, Space{sp.ID, sp.Name, sp.KeepDays, []Member{}})
			}
			if last := &spaces[len(spaces)-1]; m.User != "" {
				last.Members = append(last.Members, m)
			}
			return nil
		})
		return err
	})
	return spaces, err
}
