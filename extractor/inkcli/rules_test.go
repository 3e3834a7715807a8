package inkcli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
	"github.com/ptyrec/ptyrec/session"
)

// TestMendTables puts the right ends of rows back that Ink has wrapped, and leaves a row of empty
// cells as it is.
func TestMendTables(t *testing.T) {
	for _, tt := range []struct{ name, rows, want string }{
		{"a row whose end is wrapped", "  ┌───┬───┐\n  │ a │ b\n  │\n  Text.", "  ┌───┬───┐\n  │ a │ b\n+│\n  Text."},
		{"a quote", "  │ a\n  │\n  │ b", "  │ a\n  │\n  │ b"},
		{"a quote below a table", "  ┌───┐\n  │ a │\n  └───┘\n  │ b\n  │ c", "  ┌───┐\n  │ a │\n  └───┘\n  │ b\n  │ c"},
		{
			"a corner at the edge", "  ┌───┬─\n  ─┐\n  │ a │ b\n  │  │\n  ├───┼─\n  ─┤\n  │ 1 │ 2\n  │  │\n  └───┴─\n  ─┘",
			"  ┌───┬─\n+┬─┐\n  │ a │ b\n+│  │\n  ├───┼─\n+┼─┤\n  │ 1 │ 2\n+│  │\n  └───┴─\n+┴─┘",
		},
		{"a rule whose end is not there yet", "  ┌───┬─\n  ─┐\n  │ a │ b\n  │  │\n  └───┴─\n  Text.",
			"  ┌───┬─\n+┬─┐\n  │ a │ b\n+│  │\n  └───┴─\n  Text."},
		{"a row of empty cells", "  ┌───┬───┐\n  │ a │ b │\n  │   │   │\n  └───┴───┘",
			"  ┌───┬───┐\n  │ a │ b │\n  │   │   │\n  └───┴───┘"},
	} {
		var got []string
		for _, l := range mendTables(rowtest.Dump(t, 40, tt.rows)) {
			s := l.Text
			if row.Extent(l.Row) != row.Width(s) {
				t.Errorf("%s: %q is %d cells wide", tt.name, s, row.Extent(l.Row))
			}
			if l.Wrapped {
				s = "+" + s
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestOutput reads an output that is indented, of which the terminal wrapped a row.
func TestOutput(t *testing.T) {
	tool := &session.Tool{Output: "done"}
	if Output(tool, rowtest.Dump(t, 12, "   one two t\n+hree"), 0); tool.Output != "done\none two three" {
		t.Errorf("%q", tool.Output)
	}
}
