package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func newImportCmd(a *app) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Take recordings into the database",
		Long: `Import takes recordings into the database, raw and read out, as run does with a live session: asciicast versions 1 to 3,
typescripts of script(1) with their timing (found beside as NAME.timing, or named with --timing), ttyrecs; plain, gzip or zstd; - is stdin, of
a folder all recordings in it. What is there already is left alone: recordings are compared by what they hold.`,
		Example: `  ptyrec import *.cast
  ptyrec import ~/recordings --dry-run
  script -T typescript.timing -O typescript; ptyrec import typescript
  zstdcat session.cast.zst | ptyrec import -`,
		Args: operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.timing != "" && len(args) != 1 {
				return usageError(errors.New("--timing goes with one typescript"))
			}
			return imports(cmd.Context(), a, args, dry)
		},
	}
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would be done, and do nothing")
	cmd.Flags().StringVar(&a.timing, "timing", "", "the timing `FILE` of a typescript")
	return cmd
}

// imported counts what became of the recordings.
type imported struct{ new, known, failed atomic.Int64 }

func imports(ctx context.Context, a *app, args []string, dry bool) error {
	paths, err := recordingsIn(args)
	if err != nil {
		return err
	}
	im := &importer{a: a, dry: dry, bar: newProgress(a, "import", paths), many: len(paths) > 1}
	if dry {
		im.db, err = a.openExisting(ctx)
		if errors.Is(err, errNoDatabase) {
			err = nil // then nothing is known yet
		}
	} else {
		im.db, err = a.openStore(ctx)
	}
	if err != nil {
		return err
	}
	defer im.bar.Finish()
	err = eachParallel(len(paths), func(i int) error {
		err := im.one(ctx, paths[i])
		if err != nil {
			im.failed.Add(1)
		}
		return err
	})
	im.bar.Finish()
	if im.many || dry {
		im.tell()
	}
	return err
}

// importer takes recordings into a database. Its methods may be called concurrently.
type importer struct {
	imported
	a    *app
	db   *store.Store // nil in a dry run without one
	bar  *cli.Progress
	dry  bool
	many bool
}

func (im *importer) tell() {
	verb := "imported"
	if im.dry {
		verb = "to be imported"
	}
	text := fmt.Sprintf("%d %s, %d there already", im.new.Load(), verb, im.known.Load())
	if n := im.failed.Load(); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	im.a.notice("%s", text)
}

func (im *importer) one(ctx context.Context, path string) error {
	rec, err := openRecording(im.a, path, im.bar.Add)
	if err != nil {
		return err
	}
	defer rec.Close()
	raw := store.NewRecording(rec.session.Cols, rec.session.Rows)
	t, readErr := rec.transcribe(raw.Write)
	known, err := im.put(ctx, t, raw)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if known {
		im.known.Add(1)
		im.a.notice("%s is in the database already", path)
	} else {
		im.new.Add(1)
	}
	if im.dry && !known {
		info := &store.Info{Session: t.Session}
		fmt.Fprintf(im.a.stdout, "%s: %s, %s\n", path, agentWord(info), clip(titleOf(info), 60))
	}
	if warning := rec.Warning(); warning != "" {
		im.a.notice("%s: %s", path, warning)
	}
	return readErr
}

// put stores a recording, unless it is known, or this is but a dry run.
func (im *importer) put(ctx context.Context, t *session.Transcript, raw *store.Recording) (known bool, err error) {
	if im.db != nil {
		if _, err := im.db.FindRecording(ctx, raw); !errors.Is(err, session.ErrNotFound) {
			return err == nil, err
		}
	}
	if im.dry {
		return false, nil
	}
	err = im.db.Import(ctx, &t.Session, raw, t.Entries)
	if errors.Is(err, session.ErrExists) { // another has been faster
		return true, nil
	}
	return false, err
}

// endings are those of the recordings that are looked for in a folder.
var endings = []string{".cast", ".cast.gz", ".cast.zst", ".ttyrec", ".ttyrec.gz", ".ttyrec.zst", ".typescript"}

// recordingsIn puts the recordings in the place of the folders that hold them.
func recordingsIn(args []string) (paths []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == "-" || err != nil || !info.IsDir() {
			paths = append(paths, arg)
			continue
		}
		before := len(paths)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && isRecordingName(d.Name()) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(paths) == before {
			return nil, fail(fmt.Errorf("%s is a folder with no recording in it: %w", arg, session.ErrNotRecording), "looked for: typescript, *"+strings.Join(endings, ", *"))
		}
	}
	return paths, nil
}

func isRecordingName(name string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return name == "typescript"
}
