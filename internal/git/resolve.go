package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Resolve returns the id of the commit that rev names in the repository of dir. The error wraps
// errNone or ErrUnanswered.
func Resolve(ctx context.Context, dir, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") || !Inside(dir) {
		return "", fmt.Errorf("%q: %w", rev, errNone)
	}
	text, err := ask(ctx, dir, "rev-parse", "-q", "--verify", rev+"^{commit}")
	commit := strings.TrimSpace(text)
	if err == nil && !isID(commit) {
		err = errNone
	}
	if errors.Is(err, ErrUnanswered) && ctx.Err() == nil { // it is ambiguous, or written wrong
		err = errNone
	}
	return commit, err
}
