package archive

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kballard/go-shellquote"
	"pgregory.net/rapid"
)

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string][]string{
		"":                     {},
		"claude":               {"claude"},
		"  claude   --resume ": {"claude", "--resume"},
		`sh -c 'echo "a b"'`:   {"sh", "-c", `echo "a b"`},
		`a\ b "c d"e ''`:       {"a b", "c de", ""},
		`sh -c "a \"b\" \$c"`:  {"sh", "-c", `a "b" $c`},
		`echo "not closed`:     {`echo "not closed`},
	} {
		if diff := cmp.Diff(want, SplitCommand(line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func TestCommandRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "words")
		if diff := cmp.Diff(want, SplitCommand(shellquote.Join(want...))); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", shellquote.Join(want...), diff)
		}
	})
}
