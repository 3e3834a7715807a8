package redact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/redact"
)

// Cover keeps everything but the secrets in its place, also with wide characters and boxes.
func TestCoverKeepsPlaces(t *testing.T) {
	r := newRedactor(t, redact.Pattern{Name: "name", Regexp: `张伟A+`})
	for _, c := range []struct{ rows, want []string }{
		{nil, nil},
		{[]string{"nothing", "", "here"}, []string{"nothing", "", "here"}},
		{[]string{"see 张伟A.", "x"}, []string{"see *****.", "x"}},
		{[]string{"│ TOKEN=ghp_x7Kd93mQvTz1 │", "│ LrPw8YbNcE5hJ2gUsA4fRo6I │", "│ done │"},
			[]string{"│ TOKEN=**************** │", "│ ************************ │", "│ done │"}},
	} {
		if diff := cmp.Diff(c.want, r.Cover(c.rows)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.rows, diff)
		}
	}
	var none *redact.Redactor
	if got := none.Cover([]string{"a"}); len(got) != 1 || got[0] != "a" {
		t.Errorf("nil: %q", got)
	}
}
