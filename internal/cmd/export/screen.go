package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

// screenOptions are the options of screen.
type screenOptions struct {
	IO   *cli.IO
	Open *opener.Opener
	Live join.Live

	at     human.Moment
	dir    string
	widths string
	format string
}

// NewCmdScreen returns the screen command.
func NewCmdScreen(f *factory.Factory) *cobra.Command {
	o := &screenOptions{IO: f.IO, Open: f.Open, Live: f.Live}
	cmd := &cobra.Command{
		Use:        "screen [S|FILE] | screen FILE… -o DIR",
		SuggestFor: []string{"screenshot", "snapshot", "shot"},
		Short:      "Print the screen of a session at a moment",
		Long: `Screen prints the screen of a session or a recording when the last message is complete, or at the
moment --at. (At its end, a full-screen agent has left the screen.) Without messages it prints the
last screen. S#12 is the moment when entry 12 was complete, without what earlier entries left on
the screen; S#4..S#12 is the same moment. Of a live session it prints the current screen. JSON
includes the scrollback, except of live sessions. Several recordings are written to DIR/NAME.json
(.txt, .ansi, .svg).`,
		Example: `  ptyrec screen
  ptyrec screen 4f1a --ansi
  ptyrec screen session.cast --at 12.5 --svg > screenshot.svg
  ptyrec screen *.cast --json -o screens`,
		ValidArgsFunction: factory.CompletePlay(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, args); err != nil {
				return failure.Usage(err)
			}
			if o.dir == "" {
				return screenOfSession(cmd.Context(), o, args)
			}
			return screens(o, args)
		},
	}
	flags := cmd.Flags()
	flags.Var(&o.at, "at", "choose the moment: `SECONDS` from the start, or end (default: the last message is complete)")
	flags.StringVarP(&o.dir, "output", "o", "", "write each recording to `DIR`/NAME.json (.txt, .ansi, .svg)")
	flags.StringVar(&o.widths, "widths", "graphemes", "choose character widths by `RULE`: graphemes, unicode11 (xterm.js)")
	for _, f := range screen.Formats() {
		flags.Bool(f, false, "write "+strings.ToUpper(f))
	}
	flags.Lookup("text").Usage = "write plain text (the default)"
	return cmd
}

// check sets defaults and validates the command line.
func (o *screenOptions) check(cmd *cobra.Command, args []string) error {
	for _, f := range screen.Formats() {
		on, err := cmd.Flags().GetBool(f)
		switch {
		case err != nil:
			return err
		case on && o.format != "":
			return fmt.Errorf("--%s and --%s cannot be combined", o.format, f)
		case on:
			o.format = f
		}
	}
	if o.format == "" {
		o.format = "text"
	}
	switch {
	case !slices.Contains([]string{"graphemes", "unicode11"}, o.widths):
		return fmt.Errorf("unknown widths %q: graphemes or unicode11", o.widths)
	case o.dir != "" && len(args) == 0:
		return errors.New("no recording is named")
	case len(args) > 1 && o.dir == "":
		return errors.New("several recordings require a folder")
	}
	return nil
}

// characters returns the width of characters.
func (o *screenOptions) characters() vterm.Widths {
	if o.widths == "unicode11" {
		return vterm.Unicode11
	}
	return vterm.Graphemes
}

// screens writes the screen of each recording.
func screens(o *screenOptions, paths []string) error {
	return eachRecording(o.IO, o.Open, "screen", paths, o.dir, screen.Ending(o.format),
		func(rec *archive.Recording) (func(io.Writer) error, error) {
			s, err := o.playFile(rec)
			if err != nil {
				err = fmt.Errorf("%s: %w", rec.Path, err)
			}
			return func(w io.Writer) error { return screen.Write(w, o.format, s) }, err
		})
}

// playFile plays a recording up to the wanted moment. If the moment depends on messages, it reads
// the recording twice.
func (o *screenOptions) playFile(rec *archive.Recording) (screen.Screen, error) {
	at := o.at.Duration()
	if !o.at.Given {
		at = math.MaxInt64
		if rec.Path != "-" {
			first, err := o.Open.Recording(rec.Path, func(int) {})
			if err != nil {
				return screen.Screen{}, err
			}
			defer first.Close()
			t, _ := first.Transcribe(nil) // errors are reported when it is played
			at = export.MomentOf(o.at, archive.Ref{}, t)
		}
	}
	return archive.ScreenAt(rec, vterm.Options{Cols: rec.Header.Cols, Rows: rec.Header.Rows, Widths: o.characters()}, at)
}

// screenOfSession writes a screen of a session: of a live session its current screen, which the
// session sends, otherwise a recorded one.
func screenOfSession(ctx context.Context, o *screenOptions, args []string) error {
	of, err := o.Open.Resolve(ctx, args)
	if err != nil {
		return err
	}
	if of.File != "" && of.Ref.Whole() {
		return screens(o, []string{of.File})
	}
	db, info, ref, err := o.Open.Session(ctx, args)
	if err != nil {
		return err
	}
	if info.Status == store.Live && !o.at.Given && ref.Whole() && o.widths == "graphemes" {
		if t := screenOfLive(ctx, o, info.ID); t != nil {
			return o.IO.WriteFile("-", func(w io.Writer) error { return screen.Write(w, o.format, screen.Of(t)) })
		}
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	s, err := export.Exporter{Library: lib, At: o.at, Ref: ref}.Screen(ctx, info, o.characters())
	if err != nil {
		return opener.Missing(err)
	}
	return o.IO.WriteFile("-", func(w io.Writer) error { return screen.Write(w, o.format, s) })
}

// screenOfLive returns the screen of a live session, or nil if the session does not respond.
func screenOfLive(ctx context.Context, o *screenOptions, id string) *vterm.Term {
	s, _, err := o.Live.Join(ctx, id, client.AttachOptions{Name: "screen", Kind: protocol.Agent,
		Mode: protocol.ModeScreen})
	if err != nil {
		return nil
	}
	defer s.Close()
	t, err := join.Screen(ctx, s)
	if err != nil {
		return nil
	}
	return t
}
