package archive

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
)

// endings are the file name endings of recordings that are found in a folder.
var endings = []string{".cast", ".cast.gz", ".cast.zst", ".ttyrec", ".ttyrec.gz", ".ttyrec.zst", ".typescript"}

// Recordings returns the paths in args, where a folder is replaced by the recordings in it. A
// folder without recordings is an error.
func Recordings(args []string) (paths []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == "-" || err != nil || !info.IsDir() {
			paths = append(paths, arg)
			continue
		}
		before := len(paths)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && IsRecordingName(d.Name()) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(paths) == before {
			return nil, failure.New(fmt.Errorf("%s is a folder with no recording in it: %w", arg, session.ErrNotRecording),
				"looked for: typescript, *"+strings.Join(endings, ", *"))
		}
	}
	return paths, nil
}

// IsRecordingName reports whether a file with this name counts as a recording.
func IsRecordingName(name string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return name == "typescript"
}
