package team

import (
	"context"
	"net/http"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
)

// policy is what the server asks of its senders.
type policy struct {
	Patterns []redact.Pattern `json:"patterns"` // to take out, besides what the user's settings say

	of      *redact.Redactor // by the user's settings
	library *library.Library // with those patterns
	until   time.Time        // when the server is asked again
}

// policyTime is how long a policy counts.
const policyTime = time.Minute

// masked returns the library from which is sent: it takes out what the user's settings and the
// server's policy say. While the policy cannot be had, nothing is sent.
func (s *Syncer) masked(ctx context.Context) (*library.Library, error) {
	if s.Library.Redact.Redactor == nil {
		return nil, ErrRedactionOff
	}
	if now := time.Now(); s.policy.library == nil || s.policy.of != s.Library.Redact.Redactor || now.After(s.policy.until) {
		var p policy
		if err := s.Server.call(ctx, http.MethodGet, "/api/push/policy", "", nil, &p); err != nil {
			return nil, err
		}
		find, err := s.Library.Redact.With(p.Patterns)
		if err != nil {
			return nil, err
		}
		l := *s.Library
		l.Redact.Redactor = find
		p.of, p.library, p.until = s.Library.Redact.Redactor, &l, now.Add(policyTime)
		s.policy = p
	}
	return s.policy.library, nil
}
