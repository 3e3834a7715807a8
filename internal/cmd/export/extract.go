package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/internal/sys"
)

// extractOptions are the options of extract.
type extractOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	dir string
}

// NewCmdExtract returns the extract command.
func NewCmdExtract(f *factory.Factory) *cobra.Command {
	o := &extractOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "extract FILE… [-o DIR] | extract S",
		Short: "Extract transcripts from recordings",
		Long: `Extract reads recordings and writes their conversations as JSON transcripts: a single one to
stdout, or each to DIR/NAME.json. If S is a session in the database, extract reads its raw log
again and replaces its entries. Entries that do not change keep their ids.`,
		Example: `  ptyrec extract session.cast > session.json
  ptyrec extract *.cast -o transcripts
  ptyrec extract last`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure.Usage(errors.New("no recording is named"))
			}
			if len(args) == 1 {
				of, err := o.Open.Resolve(cmd.Context(), args)
				if err != nil {
					return err
				}
				if args[0] = of.File; of.File == "" && o.dir != "" {
					return failure.Usage(errors.New("-o requires a recording, not a session"))
				}
				if !of.Ref.Whole() && of.File != "" {
					return opener.WholeOnly(of.Ref)
				}
				if of.File == "" {
					return extractSession(cmd.Context(), o, of)
				}
			}
			if len(args) > 1 && o.dir == "" {
				return failure.Usage(errors.New("several recordings require a folder"))
			}
			return extract(o, args)
		},
	}
	cmd.Flags().StringVarP(&o.dir, "output", "o", "", "write each recording to `DIR`/NAME.json")
	cmd.Flags().StringVar(&f.Timing, "timing", "", "read the timing of a typescript from `FILE`")
	return cmd
}

func extract(o *extractOptions, paths []string) error {
	return eachRecording(o.IO, o.Open, "extract", paths, o.dir, ".json",
		func(rec *archive.Recording) (func(io.Writer) error, error) {
			t, err := rec.Transcribe(nil)
			return func(w io.Writer) error { return render.Write(w, "json", t) }, err
		})
}

// eachRecording reads recordings and writes the result for each to stdout, or to DIR/NAME+ending.
// What was read before an error is written, too.
func eachRecording(std *cli.IO, open *opener.Opener, label string, paths []string, dir, ending string,
	read func(rec *archive.Recording) (write func(io.Writer) error, err error)) error {
	targets, err := archive.Outputs(paths, dir, ending)
	if err != nil {
		return err
	}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	bar := std.ReadProgress(label, paths)
	defer bar.Finish()
	return sys.OnAllCores(len(paths), func(i int) error {
		rec, err := open.Recording(paths[i], bar.Add)
		if err != nil {
			return err
		}
		defer rec.Close()
		write, readErr := read(rec)
		if err := std.WriteFile(targets[i], write); err != nil {
			return err
		}
		if warning := rec.Warning(); warning != "" {
			std.Notice("%s: %s", paths[i], warning)
		}
		return readErr
	})
}

// extractSession extracts a recorded session again with the current extractors.
func extractSession(ctx context.Context, o *extractOptions, of opener.Target) error {
	lib, err := o.Open.Library(of.DB)
	if err != nil {
		return err
	}
	t, damage, err := lib.Renew(ctx, of.Info)
	if errors.Is(err, library.ErrNoRawLog) {
		return failure.New(fmt.Errorf("session %s: %w", of.Info.ID, err),
			"only its entries are left: `ptyrec show` prints them")
	}
	if err != nil {
		return err
	}
	for _, d := range damage {
		o.IO.Notice("%v", d)
	}
	if t, err = of.Ref.Cut(t, of.Info.Name != ""); err != nil {
		return opener.Missing(err)
	}
	return render.Write(o.IO.Out, "json", t)
}
