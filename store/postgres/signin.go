package postgres

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// Identity is a person's identity at an identity provider.
type Identity struct {
	Issuer  string // the provider
	Subject string // the provider's unique id of the person
	Email   string // verified by the provider, or empty
}

const (
	// loginTime is how long a browser stays logged in with a token.
	loginTime = 30 * 24 * time.Hour
	// signInTime is how long a browser stays signed in through a provider. People whom the provider
	// has removed lose access after it.
	signInTime = 24 * time.Hour
)

// newToken returns a token of 160 random bits.
func newToken() string {
	bits := make([]byte, 20)
	_, _ = rand.Read(bits) // never fails
	return TokenPrefix + strings.ToLower(base32.StdEncoding.EncodeToString(bits))
}

// Login creates a token for a browser, with the rights of the viewer. It is valid for 30 days, but
// no longer than the viewer's own token.
func (s *Store) Login(ctx context.Context) (token string, age time.Duration, err error) {
	v := ViewerOf(ctx)
	if v.User == 0 || v.Kind != KindUser {
		return "", 0, session.ErrForbidden
	}
	token = newToken()
	now := time.Now()
	err = s.inTx(ctx, "log in", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO tokens (user_id, hash, name, kind, login, created_at, expires_at, ends_at)
			SELECT user_id, $1, 'browser', kind, true, $2, least($3, expires_at), `+endsAt+` FROM tokens WHERE id = $4`,
			hashOf(token), now.UnixNano(), now.Add(loginTime).UnixNano(), v.Token)
		if err != nil {
			return err
		}
		return note(ctx, tx, didLogin, "", "")
	})
	return token, loginTime, err
}

// endsAt is the SQL expression for the time at which all logins made with a token end; NULL means
// never. Older programs made tokens for browsers without it.
const endsAt = "CASE WHEN login THEN ends_at ELSE expires_at END"

// SignIn creates a token for the browser of a person whom a provider has identified. Its user is
// the one with this identity, or else the one with the person's address. The error wraps
// session.ErrForbidden if there is none.
func (s *Store) SignIn(ctx context.Context, id Identity) (token string, age time.Duration, err error) {
	token = newToken()
	now := time.Now()
	issuer, _ := clean(id.Issuer)
	subject, _ := clean(id.Subject)
	email, _ := clean(strings.ToLower(id.Email))
	err = s.inTx(ctx, "sign in", func(tx pgx.Tx) error {
		if email != "" { // a user with another identity at the provider is another person
			_, err := tx.Exec(ctx,
				`INSERT INTO identities (issuer, subject, user_id, created_at) SELECT $1, $2, id, $3 FROM users WHERE email = $4
				ON CONFLICT DO NOTHING`, issuer, subject, now.UnixNano(), email)
			if err != nil {
				return err
			}
		}
		v := Viewer{Kind: KindUser, Address: ViewerOf(ctx).Address}
		err := tx.QueryRow(ctx,
			"SELECT u.id, u.name, u.role FROM identities AS i JOIN users AS u ON u.id = i.user_id WHERE i.issuer = $1 AND "+
				"i.subject = $2", issuer, subject).
			Scan(&v.User, &v.Name, &v.Role)
		if errors.Is(err, pgx.ErrNoRows) {
			return session.ErrForbidden
		}
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `INSERT INTO tokens (user_id, hash, name, kind, login, created_at, expires_at) VALUES ($1, `+
			`$2, 'browser', $3, true, $4, $5)
			RETURNING id`, v.User, hashOf(token), KindUser, now.UnixNano(), now.Add(signInTime).UnixNano()).Scan(&v.Token)
		if err != nil {
			return err
		}
		return note(As(ctx, v), tx, didLogin, "", "by "+issuer)
	})
	return token, signInTime, err
}

// Logout revokes the viewer's token if it was created by logging in.
func (s *Store) Logout(ctx context.Context) error {
	return s.inTx(ctx, "log out", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM tokens WHERE id = $1 AND (login OR name = 'browser')", ViewerOf(ctx).Token)
		return err
	})
}

// ErrEmail reports an invalid e-mail address.
var ErrEmail = errors.New("an e-mail address is written NAME@HOST")

const maxEmail = 254 // bytes, by RFC 5321

// SetEmail sets the address by which SignIn recognises a user the first time; empty means that it
// does not. It removes the user's present identity, so that only a person with the new address can
// sign in as the user. The error wraps ErrEmail, ErrTaken or ErrUnknown.
func (s *Store) SetEmail(ctx context.Context, name, email string) error {
	email = strings.ToLower(email)
	at := strings.IndexByte(email, '@')
	if odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }; email != "" &&
		(at < 1 || at == len(email)-1 || len(email) > maxEmail || strings.ContainsFunc(email, odd)) {
		return ErrEmail
	}
	return s.administer(ctx, "set e-mail", didRole, name+" e-mail", func(tx pgx.Tx) error {
		var taken bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM users WHERE email = $1 AND email <> '' AND name <> $2)",
			email, name).Scan(&taken); err != nil {
			return err
		}
		if taken {
			return fmt.Errorf("%s: %w", email, ErrTaken)
		}
		if _, err := tx.Exec(ctx, "DELETE FROM identities USING users WHERE user_id = users.id AND users.name = $1",
			name); err != nil {
			return err
		}
		return inserted(tx.Exec(ctx, "UPDATE users SET email = $1 WHERE name = $2", email, name))(name, ErrUnknown)
	})
}
