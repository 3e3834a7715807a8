package team

import (
	"context"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/protocol/team"
)

// policy is the server's policy for senders.
type policy struct {
	of      *redact.Redactor // by the user's settings
	library *library.Library // with the server's patterns, too
	until   time.Time        // time to ask the server again
}

// policyTime is how long a policy is valid.
const policyTime = time.Minute

// masked returns the library from which to send. It removes the secrets according to the user's
// settings and the server's policy. If the policy is unavailable, it returns an error and nothing
// is sent.
func (s *Syncer) masked(ctx context.Context) (*library.Library, error) {
	if s.Library.Redact.Redactor == nil {
		return nil, ErrRedactionOff
	}
	if now := time.Now(); s.policy.library == nil || s.policy.of != s.Library.Redact.Redactor ||
		now.After(s.policy.until) {
		var told team.Policy
		if err := s.Server.call(ctx, http.MethodGet, "/api/push/policy", "", nil, &told); err != nil {
			return nil, err
		}
		patterns := make([]redact.Pattern, len(told.Patterns))
		for i, p := range told.Patterns {
			patterns[i] = redact.Pattern(p)
		}
		find, err := s.Library.Redact.With(patterns)
		if err != nil {
			return nil, err
		}
		l := *s.Library
		l.Redact.Redactor = find
		s.policy = policy{s.Library.Redact.Redactor, &l, now.Add(policyTime)}
	}
	return s.policy.library, nil
}
