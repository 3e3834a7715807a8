package archive

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// Outputs returns the path of the output file for each recording: DIR/NAME+ending, or "-" if dir is
// empty. It returns an error if two are equal.
func Outputs(paths []string, dir, ending string) ([]string, error) {
	out := make([]string, len(paths))
	taken := map[string]string{}
	for i, path := range paths {
		if dir == "" {
			out[i] = "-"
			continue
		}
		out[i] = filepath.Join(dir, castName(path)+ending)
		if other, ok := taken[out[i]]; ok {
			return nil, &failure.Error{Err: fmt.Errorf("%s and %s would both be written to %s", other, path, out[i]),
				Misuse: true}
		}
		taken[out[i]] = path
	}
	return out, nil
}

// castName is a recording's file name without its endings.
func castName(path string) string {
	if path == "-" {
		return "stdin"
	}
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst", ".cast", ".json", ".ttyrec", ".typescript"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
