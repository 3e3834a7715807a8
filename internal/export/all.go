package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// WriteAll writes each session to a file in dir, named after its date and title. create must create
// a file and call write to fill it; it is called concurrently. If one session fails, the others are
// still written.
func (x Exporter) WriteAll(ctx context.Context, dir, format string, infos []*store.Info,
	create func(path string, write func(io.Writer) error) error) error {
	sessions, titles := make([]session.Session, len(infos)), make([]string, len(infos))
	for i, info := range infos {
		sessions[i], titles[i] = info.Session, listing.Title(info)
	}
	names := archive.FileNames(sessions, titles)
	return sys.OnAllCores(len(infos), func(i int) error {
		return create(filepath.Join(dir, names[i]+"."+extension(format)), func(w io.Writer) error {
			return x.Write(ctx, w, format, infos[i])
		})
	})
}

// WriteNew writes a session to a file that must not exist, in the format of its extension. ~/ at
// the start of path is the user's home. create must create the file and call write to fill it.
func (x Exporter) WriteNew(ctx context.Context, path string, info *store.Info,
	create func(path string, write func(io.Writer) error) error) error {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		path = filepath.Join(home, rest)
	}
	format, err := FormatOf(path, "")
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already: choose another name", path)
	}
	return create(path, func(w io.Writer) error { return x.Write(ctx, w, format, info) })
}
