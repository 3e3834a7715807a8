package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// Admin is what the commands use: a team's database, or its server.
type Admin interface {
	AddUser(ctx context.Context, name, role string) error
	SetEmail(ctx context.Context, name, email string) error
	RemoveUser(ctx context.Context, name string) error
	Users(ctx context.Context) ([]postgres.User, error)
	AddToken(ctx context.Context, n postgres.NewToken) (string, error)
	RemoveToken(ctx context.Context, id int64) error
	Tokens(ctx context.Context) ([]postgres.Token, error)
	AddSpace(ctx context.Context, name string) error
	SetMember(ctx context.Context, space, user, role string) error
	Spaces(ctx context.Context) ([]postgres.Space, error)
	SetRetention(ctx context.Context, space string, days int64) error
	Hold(ctx context.Context, id string, hold bool) error
	Held(ctx context.Context) ([]string, error)
	AddPattern(ctx context.Context, p redact.Pattern) error
	RemovePattern(ctx context.Context, name string) error
	Patterns(ctx context.Context) ([]redact.Pattern, error)
	Audit(ctx context.Context, since time.Time, fn func(postgres.Record) error) error
}

// remote is a server at which an admin is logged in. Its errors are those of the database.
type remote struct{ server *team.Server }

// Remote returns an Admin that uses a team's server with its token.
func Remote(s *team.Server) Admin { return remote{s} }

// args are the arguments of a call.
type args map[string]any

// call makes a call once; it must not be repeated, since it may have created a token. It decodes
// the result into to, unless that is nil.
func (r remote) call(ctx context.Context, name string, a args, to any) error {
	body, err := r.post(ctx, name, a)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	answer := struct {
		Result any `json:"result"`
	}{to}
	if err := json.NewDecoder(body).Decode(&answer); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	return nil
}

func (r remote) post(ctx context.Context, name string, a args) (io.ReadCloser, error) {
	body, err := r.server.Post(ctx, "/api/team/"+name, a)
	code, message, ok := team.Refused(err)
	if !ok {
		return body, err
	}
	for other, known := range map[string]error{"unknown": postgres.ErrUnknown, "taken": postgres.ErrTaken,
		"not_member": postgres.ErrNotMember, "forbidden": session.ErrForbidden} {
		if code == other {
			return nil, answered{message, known}
		}
	}
	return nil, err
}

// answered is an error that the server has returned.
type answered struct {
	message string
	kind    error
}

func (e answered) Error() string { return e.message }
func (e answered) Unwrap() error { return e.kind }

func (r remote) AddUser(ctx context.Context, name, role string) error {
	return r.call(ctx, "add-user", args{"name": name, "role": role}, nil)
}

func (r remote) SetEmail(ctx context.Context, name, email string) error {
	return r.call(ctx, "set-email", args{"name": name, "email": email}, nil)
}

func (r remote) RemoveUser(ctx context.Context, name string) error {
	return r.call(ctx, "remove-user", args{"name": name}, nil)
}

func (r remote) Users(ctx context.Context) (users []postgres.User, err error) {
	err = r.call(ctx, "users", args{}, &users)
	return users, err
}

func (r remote) AddToken(ctx context.Context, n postgres.NewToken) (token string, err error) {
	a := args{"user": n.User, "name": n.Name, "kind": n.Kind, "space": n.Space}
	if !n.Expires.IsZero() {
		a["expires_at"] = n.Expires
	}
	err = r.call(ctx, "add-token", a, &token)
	return token, err
}

func (r remote) RemoveToken(ctx context.Context, id int64) error {
	return r.call(ctx, "remove-token", args{"id": id}, nil)
}

func (r remote) Tokens(ctx context.Context) (tokens []postgres.Token, err error) {
	err = r.call(ctx, "tokens", args{}, &tokens)
	return tokens, err
}

func (r remote) AddSpace(ctx context.Context, name string) error {
	return r.call(ctx, "add-space", args{"name": name}, nil)
}

func (r remote) SetMember(ctx context.Context, space, user, role string) error {
	return r.call(ctx, "set-member", args{"space": space, "user": user, "role": role}, nil)
}

func (r remote) Spaces(ctx context.Context) (spaces []postgres.Space, err error) {
	err = r.call(ctx, "spaces", args{}, &spaces)
	return spaces, err
}

func (r remote) SetRetention(ctx context.Context, space string, days int64) error {
	return r.call(ctx, "set-retention", args{"space": space, "days": days}, nil)
}

func (r remote) Hold(ctx context.Context, id string, hold bool) error {
	return r.call(ctx, "hold", args{"session": id, "hold": hold}, nil)
}

func (r remote) Held(ctx context.Context) (ids []string, err error) {
	err = r.call(ctx, "held", args{}, &ids)
	return ids, err
}

func (r remote) AddPattern(ctx context.Context, p redact.Pattern) error {
	return r.call(ctx, "add-pattern", args{"name": p.Name, "regexp": p.Regexp}, nil)
}

func (r remote) RemovePattern(ctx context.Context, name string) error {
	return r.call(ctx, "remove-pattern", args{"name": name}, nil)
}

func (r remote) Patterns(ctx context.Context) (patterns []redact.Pattern, err error) {
	err = r.call(ctx, "patterns", args{}, &patterns)
	return patterns, err
}

func (r remote) Audit(ctx context.Context, since time.Time, fn func(postgres.Record) error) error {
	body, err := r.post(ctx, "audit", args{"since": since})
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	for in := json.NewDecoder(body); ; {
		var line struct {
			postgres.Record
			Error    string `json:"error"`
			Tampered bool   `json:"tampered"`
		}
		err := in.Decode(&line)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the server's answer is incomplete: %w", err)
		case line.Tampered:
			return postgres.ErrAudit
		case line.Error != "":
			return errors.New(line.Error)
		}
		if err := fn(line.Record); err != nil {
			return err
		}
	}
}
