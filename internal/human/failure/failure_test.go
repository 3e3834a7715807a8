package failure_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

func TestIsMisuse(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{io.EOF, false},
		{failure.New(io.EOF, "try again"), false},
		{failure.Misuse("name it", "no %s", "name"), true},
		{fmt.Errorf("show: %w", failure.Misuse("", "no name")), true},
		{failure.Usage(io.EOF), true},
	} {
		if got := failure.IsMisuse(c.err); got != c.want {
			t.Errorf("IsMisuse(%v) = %v", c.err, got)
		}
	}
}

// An error that has been explained stays as it is.
func TestUsageKeepsTheHint(t *testing.T) {
	var e *failure.Error
	if err := failure.Usage(failure.New(io.EOF, "try again")); !errors.As(err, &e) || e.Hint != "try again" || e.Misuse {
		t.Errorf("it became %#v", err)
	}
	if got := failure.Usage(io.EOF); !errors.Is(got, io.EOF) || got.Error() != "EOF" {
		t.Errorf("it became %#v", got)
	}
}
