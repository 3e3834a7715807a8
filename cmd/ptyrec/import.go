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
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/listing"
	"github.com/ptyrec/ptyrec/internal/parallel"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func newImportCmd(a *app) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Take recordings into the database",
		Long: `Import copies recordings into the database and extracts their conversations, as run does with a
live session. It reads asciicast versions 1 to 3, ttyrecs, the frames that sandboxctl session
record writes, and typescripts of script(1) with their timing (NAME.timing next to them, or
--timing); plain or compressed with gzip or zstd. - is stdin; a
folder means all recordings in it. For each recording it prints id, file, agent and title.
Recordings that the database has already are skipped; they are compared by their content.`,
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

// imported is what became of a recording.
type imported struct {
	info   *store.Info // nil: it could not be read
	known  bool        // it is in the database already
	failed bool        // nothing of it was imported, or not all
}

func imports(ctx context.Context, a *app, args []string, dry bool) error {
	paths, err := recordingsIn(args)
	if err != nil {
		return err
	}
	im := &importer{a: a, dry: dry, bar: newProgress(a, "import", paths), begun: time.Now()}
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
	done := make([]imported, len(paths))
	err = parallel.Each(len(paths), func(i int) (err error) {
		done[i], err = im.one(ctx, paths[i])
		done[i].failed = err != nil
		return err
	})
	im.bar.Finish()
	return errors.Join(err, im.tell(ctx, paths, done))
}

// importer takes recordings into a database. Its methods may be called concurrently.
type importer struct {
	a     *app
	db    *store.Store // nil in a dry run without one
	bar   *cli.Progress
	dry   bool
	begun time.Time
	bytes atomic.Int64 // read
}

// tell prints what was imported, under which id, and how much that was.
func (im *importer) tell(ctx context.Context, paths []string, done []imported) error {
	var short listing.ShortIDs
	if im.db != nil {
		ids, err := im.db.IDs(ctx)
		if err != nil {
			return err
		}
		short = listing.NewShortIDs(ids)
	}
	fresh, known, failed := 0, 0, 0
	for i, d := range done {
		path := printable.Line(paths[i])
		if d.failed {
			failed++
		}
		switch {
		case d.info == nil:
		case d.known:
			known++
			im.a.notice("%s is already in the database as %s", path, short.Of(d.info.ID))
		case im.dry:
			fresh++
			fmt.Fprintf(im.a.stdout, "%s: %s, %s\n", printable.Line(path), listing.Agent(d.info), printable.Clip(listing.Title(d.info), 60))
		default:
			fresh++
			fmt.Fprintf(im.a.stdout, "%s  %s: %s, %s\n", short.Of(d.info.ID), printable.Line(path), listing.Agent(d.info), printable.Clip(listing.Title(d.info), 60))
		}
	}
	verb := "imported"
	switch {
	case im.dry:
		verb = "to be imported"
	case fresh > 0:
		verb += fmt.Sprintf(" (%s in %v)", humanize.IBytes(uint64(im.bytes.Load())), time.Since(im.begun).Round(100*time.Millisecond))
	}
	text := fmt.Sprintf("%d %s, %d there already", fresh, verb, known)
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if failed < len(done) || len(done) > 1 { // else the error has said it
		im.a.notice("%s", text)
	}
	return nil
}

func (im *importer) one(ctx context.Context, path string) (imported, error) {
	rec, err := im.a.openRecording(path, func(n int) {
		im.bytes.Add(int64(n))
		im.bar.Add(n)
	})
	if err != nil {
		return imported{}, err
	}
	defer rec.Close()
	raw := store.NewRecording(rec.Session.Cols, rec.Session.Rows)
	t, readErr := rec.Transcribe(raw.Write)
	known, err := im.put(ctx, t, raw)
	if err != nil {
		return imported{}, fmt.Errorf("%s: %w", path, err)
	}
	if warning := rec.Warning(); warning != "" {
		im.a.notice("%s: %s", path, warning)
	}
	return imported{info: &store.Info{Session: t.Session}, known: known}, readErr
}

// put stores a recording under t's id, unless it is known, whose id t then gets, or this is but a
// dry run.
func (im *importer) put(ctx context.Context, t *session.Transcript, raw *store.Recording) (known bool, err error) {
	if im.db != nil {
		id, err := im.db.FindRecording(ctx, raw)
		if err == nil {
			t.Session.ID = id
		}
		if !errors.Is(err, session.ErrNotFound) {
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
