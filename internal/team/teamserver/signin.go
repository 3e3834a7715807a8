package teamserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// SignIn signs in the users of a database through a provider. It implements server.SignIn.
type SignIn struct {
	Store    *postgres.Store
	Provider *Provider
}

// Name returns the provider's name to show to people.
func (s SignIn) Name() string { return s.Provider.Name() }

// Begin returns the provider's address for a browser that will come back to redirect, and a secret
// for the browser to keep until then.
func (s SignIn) Begin(ctx context.Context, redirect string) (address, secret string, err error) {
	address, secret, err = s.Provider.Begin(ctx, redirect)
	return address, secret, kindOf(err)
}

// Finish returns a token for the browser that came back to redirect, and how long it is valid.
// People who are not users are rejected.
func (s SignIn) Finish(r *http.Request, redirect, secret string) (token string, age time.Duration, err error) {
	id, err := s.Provider.Finish(r.Context(), redirect, secret, r.URL.Query())
	if err != nil {
		return "", 0, kindOf(err)
	}
	token, age, err = s.Store.SignIn(as(r, postgres.Viewer{}), id)
	if errors.Is(err, session.ErrForbidden) {
		return "", 0, unknownPerson(id)
	}
	return token, age, err
}

// kindOf adds the sentinel of package session to an error of a provider.
func kindOf(err error) error {
	switch {
	case errors.Is(err, ErrRefused):
		return &refusedError{err.Error() + "."}
	case errors.Is(err, ErrUnavailable):
		return fmt.Errorf("%w: %w", session.ErrBusy, err)
	}
	return err
}

// unknownPerson returns the error for a person who is not a user, with what an admin has to do.
func unknownPerson(id postgres.Identity) error {
	if id.Email == "" {
		return &refusedError{"You have not signed in here before, and " + id.Issuer +
			" has not verified an e-mail address of yours."}
	}
	return &refusedError{fmt.Sprintf("%.300q is not the address of a user of this server, or another person has signed "+
		"in with it. An admin can add it: `ptyrec team user email NAME ADDRESS`.", id.Email)}
}

// refusedError is a refusal worded for the person.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }
func (e *refusedError) Unwrap() error { return session.ErrForbidden }
