package cli_test

import (
	"testing"

	"github.com/ptyrec/ptyrec/internal/cli"
)

func TestStyle(t *testing.T) {
	for _, tt := range []struct {
		style           cli.Style
		sgr, text, want string
	}{
		{true, cli.Match, "word", "\x1b[1;31mword\x1b[m"},
		{true, "", "word", "word"},
		{true, cli.Red, "", ""},
		{false, cli.Red, "word", "word"},
	} {
		if got := tt.style.Paint(tt.sgr, tt.text); got != tt.want {
			t.Errorf("Style(%v).Paint(%q, %q) = %q, want %q", tt.style, tt.sgr, tt.text, got, tt.want)
		}
	}
}
