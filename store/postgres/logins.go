package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ptyrec/ptyrec/session"
)

// MachineLogin is a machine that waits to be admitted by a user in a browser. Machine and browser
// both show Code, so that the user can compare them.
type MachineLogin struct {
	Code    string    `json:"code"`
	Name    string    `json:"name"`    // the name that the machine reports
	Address string    `json:"address"` // IP address of the request
	Expires time.Time `json:"expires_at"`
}

const (
	// waitTime is how long a machine can wait to be admitted.
	waitTime = 10 * time.Minute
	// machineTime is how long a machine stays logged in.
	machineTime = 180 * 24 * time.Hour
	// maxWaiting is the approximate maximum number of machines that wait.
	maxWaiting = 1000
	// maxMachineName is the maximum length of a machine's name, in bytes.
	maxMachineName = 64
)

// letters are the characters of codes. None can be mistaken for another.
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// newCode returns a code of 40 random bits, as XXXX-XXXX.
func newCode() string {
	bits := make([]byte, 8)
	_, _ = rand.Read(bits) // never fails
	for i, b := range bits {
		bits[i] = letters[b%byte(len(letters))]
	}
	return string(bits[:4]) + "-" + string(bits[4:])
}

// AddLogin registers a machine that waits to be admitted. hash is the SHA-256 of the token that it
// will use. Anyone may call it. The error wraps session.ErrBusy if too many machines wait.
func (s *Store) AddLogin(ctx context.Context, hash [sha256.Size]byte, name string) (l MachineLogin, err error) {
	now := time.Now()
	name, _ = clean(name)
	l = MachineLogin{Code: newCode(), Name: name, Address: ViewerOf(ctx).Address, Expires: now.Add(waitTime).UTC()}
	if len(name) > maxMachineName {
		return l, ErrName
	}
	err = s.inTx(ctx, "add login", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM logins WHERE expires_at <= $1", now.UnixNano()); err != nil {
			return err
		}
		return inserted(tx.Exec(ctx,
			`INSERT INTO logins (code, hash, name, address, created_at, expires_at) SELECT $1, $2, $3, $4, $5, $6
			WHERE (SELECT count(*) FROM logins) < $7 ON CONFLICT DO NOTHING`, l.Code, hash[:], l.Name, l.Address, now.UnixNano(),
			l.Expires.UnixNano(), maxWaiting))("logins", session.ErrBusy)
	})
	return l, err
}

// MachineLogin returns the machine that waits with a code. The error wraps session.ErrForbidden if
// the viewer may not admit machines, and session.ErrNotFound if no machine has the code.
func (s *Store) MachineLogin(ctx context.Context, code string) (l MachineLogin, err error) {
	if err := admits(ctx); err != nil {
		return l, err
	}
	var expires int64
	err = s.inTx(ctx, "find login", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT code, name, address, expires_at FROM logins WHERE code = $1 AND expires_at > $2",
			code, time.Now().UnixNano()).
			Scan(&l.Code, &l.Name, &l.Address, &expires)
	})
	l.Expires = timeOf(expires)
	return l, noLogin(err)
}

// Admit makes the token of the machine that waits with a code a valid token of the viewer. The
// errors are those of MachineLogin. A code works only once.
func (s *Store) Admit(ctx context.Context, code string) error {
	if err := admits(ctx); err != nil {
		return err
	}
	v, now := ViewerOf(ctx), time.Now()
	err := s.inTx(ctx, "admit", func(tx pgx.Tx) error {
		var hash []byte
		var name string
		err := tx.QueryRow(ctx, "DELETE FROM logins WHERE code = $1 AND expires_at > $2 RETURNING hash, name", code,
			now.UnixNano()).Scan(&hash, &name)
		if err != nil {
			return err
		}
		err = inserted(tx.Exec(ctx, `INSERT INTO tokens (user_id, hash, name, kind, login, created_at, expires_at, ends_at)
			SELECT user_id, $1, $2, kind, true, $3, least($4, `+endsAt+`), `+endsAt+` FROM tokens WHERE id = $5 ON CONFLICT `+
			`DO NOTHING`,
			hash, name, now.UnixNano(), now.Add(machineTime).UnixNano(), v.Token))("token", session.ErrForbidden)
		if err != nil {
			return err
		}
		return note(ctx, tx, didLogin, "", "machine "+name)
	})
	return noLogin(err)
}

// Reject removes the machine that waits with a code. The errors are those of MachineLogin.
func (s *Store) Reject(ctx context.Context, code string) error {
	if err := admits(ctx); err != nil {
		return err
	}
	return s.inTx(ctx, "reject", func(tx pgx.Tx) error {
		return inserted(tx.Exec(ctx, "DELETE FROM logins WHERE code = $1 AND expires_at > $2", code,
			time.Now().UnixNano()))("login", session.ErrNotFound)
	})
}

// admits returns nil if the viewer may admit machines.
func admits(ctx context.Context) error {
	if v := ViewerOf(ctx); v.User == 0 || v.Kind != KindUser || v.Link != 0 {
		return session.ErrForbidden
	}
	return nil
}

// noLogin converts the error of a query for a code.
func noLogin(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("login: %w", session.ErrNotFound)
	}
	return err
}
