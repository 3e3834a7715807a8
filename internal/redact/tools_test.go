package redact_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact/shapes"
)

// Secrets in the output of tools are hidden: as text, in a terminal and in a box.
func TestWhatToolsPrint(t *testing.T) {
	r := newRedactor(t)
	list := shapes.Tools()
	if len(list) < 150 {
		t.Fatalf("%d shapes", len(list))
	}
	for _, c := range list {
		whole := c.Before + c.Secret + c.After
		got := r.Text(whole, nil)
		cut := strings.Contains(got, "]"+c.Secret[len(c.Secret)-1:]+c.After) // all but the last character is hidden
		if leftOver(withoutMarks(got), c.Secret) > 3 || cut {
			t.Errorf("%q becomes %q", whole, got)
		}
		masked, _ := mask(r, strings.ReplaceAll(whole, "\n", "\r\n"))
		if n := leftOver(masked[0], c.Secret); n > 4 {
			t.Errorf("%q: in a terminal %d characters are left: %q", whole, n, masked[0])
		}
		box := "│ " + strings.ReplaceAll(strings.TrimRight(whole, "\r\n"), "\n", " │\n│ ") + " │"
		if got := r.Text(box, nil); !strings.Contains(c.Before, "\t") && leftOver(withoutMarks(got), c.Secret) > 3 {
			t.Errorf("in a box: %q becomes %q", box, got)
		}
	}
}
