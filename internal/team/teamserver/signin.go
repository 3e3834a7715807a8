package teamserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/internal/team/oidc"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// SignIn signs the users of a database in at a provider. It implements server.SignIn.
type SignIn struct {
	Store    *postgres.Store
	Provider *oidc.Provider
}

// Name is what people know the provider by.
func (s SignIn) Name() string { return s.Provider.Name() }

// Begin returns the provider's address for a browser that is to come back to redirect, and a secret
// that this browser keeps until then.
func (s SignIn) Begin(ctx context.Context, redirect string) (address, secret string, err error) {
	address, secret, err = s.Provider.Begin(ctx, redirect)
	return address, secret, kindOf(err)
}

// Finish returns a token for the browser that came back to redirect, and how long it is valid.
// People whom no admin has made users are refused.
func (s SignIn) Finish(r *http.Request, redirect, secret string) (token string, age time.Duration, err error) {
	id, err := s.Provider.Finish(r.Context(), redirect, secret, r.URL.Query())
	if err != nil {
		return "", 0, kindOf(err)
	}
	token, age, err = s.Store.SignIn(as(r, postgres.Viewer{}), postgres.Identity(id))
	if errors.Is(err, session.ErrForbidden) {
		return "", 0, unknownPerson(id)
	}
	return token, age, err
}

// kindOf returns an error of a provider with the sentinel for its kind.
func kindOf(err error) error {
	switch {
	case errors.Is(err, oidc.ErrRefused):
		return &refusedError{err.Error() + "."}
	case errors.Is(err, oidc.ErrUnavailable):
		return fmt.Errorf("%w: %w", session.ErrBusy, err)
	}
	return err
}

// unknownPerson says to somebody, and to an admin, why the provider's word is not enough.
func unknownPerson(id oidc.Identity) error {
	if id.Email == "" {
		return &refusedError{"You have not signed in here before, and " + id.Issuer + " has not verified an e-mail address of yours."}
	}
	return &refusedError{fmt.Sprintf("%.300q is not the address of a user of this server, or another person has signed in with it. An admin makes it known: `ptyrec team user email NAME ADDRESS`.", id.Email)}
}

// refusedError is a refusal in words for the person.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }
func (e *refusedError) Unwrap() error { return session.ErrForbidden }
