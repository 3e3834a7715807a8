package archive_test

import (
	"slices"
	"testing"

	"github.com/ptyrec/ptyrec/internal/archive"
)

func TestOutputs(t *testing.T) {
	got, err := archive.Outputs([]string{"x/a.cast.gz", "-", "b.ttyrec", "typescript"}, "out", ".json")
	if want := []string{"out/a.json", "out/stdin.json", "out/b.json", "out/typescript.json"}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("Outputs() = %q, %v, want %q", got, err, want)
	}
	if got, err := archive.Outputs([]string{"a.cast"}, "", ".json"); err != nil || !slices.Equal(got, []string{"-"}) {
		t.Errorf("without a folder: %q, %v", got, err)
	}
	if got, err := archive.Outputs([]string{"a.cast", "x/a.ttyrec"}, "out", ".json"); err == nil {
		t.Errorf("two of one name: %q", got)
	}
}
