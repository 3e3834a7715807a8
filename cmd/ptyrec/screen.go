package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/screen"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
)

// screenOptions are the flags of the screen command.
type screenOptions struct {
	at      float64 // seconds, or atEnd
	dir     string
	session string
	widths  string
	format  string
}

// atEnd is the moment behind everything.
var atEnd = math.Inf(1)

func newScreenCmd(a *app) *cobra.Command {
	var o screenOptions
	cmd := &cobra.Command{
		Use:        "screen CAST… [-o DIR] | screen S",
		SuggestFor: []string{"screenshot", "snapshot", "shot"},
		Short:      "Show the screen of a recording at a moment",
		Long: `Screen plays recordings into a terminal of its own and writes what it shows at the end, or at a moment:
one recording's screen to stdout, or each one's to DIR/NAME.json (.txt, .ansi, .svg). JSON has the scrollback, too.
A session S that runs shows the screen of now, without scrollback.`,
		Example: `  ptyrec screen session.cast
  ptyrec screen session.cast --at 12.5 --svg > screenshot.svg
  ptyrec screen *.cast --json -o screens
  ptyrec screen --session last --ansi
  ptyrec screen 019a9ec0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.session == "" && len(args) == 1 && namesSession(args[0]) {
				o.session, args = args[0], nil
			}
			if err := o.check(cmd, args); err != nil {
				return usageError(err)
			}
			if o.session != "" {
				return screenOfSession(cmd.Context(), a, o)
			}
			return screens(a, args, o)
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&o.at, "at", 0, "the moment, in `SECONDS` from the start (default the end)")
	flags.StringVarP(&o.dir, "output", "o", "", "write `DIR`/NAME.json (.txt, .ansi, .svg) for each recording")
	flags.StringVar(&o.session, "session", "", "a recorded session instead: an `ID`, a unique beginning of one, or last")
	flags.StringVar(&o.widths, "widths", "graphemes", "how wide characters are: graphemes, or unicode11 as in xterm.js")
	for _, f := range screen.Formats() {
		flags.Bool(f, false, "write "+strings.ToUpper(f))
	}
	flags.Lookup("text").Usage = "write plain text (the default)"
	return cmd
}

// check completes o and says what is wrong with the command line.
func (o *screenOptions) check(cmd *cobra.Command, args []string) error {
	for _, f := range screen.Formats() {
		on, err := cmd.Flags().GetBool(f)
		switch {
		case err != nil:
			return err
		case on && o.format != "":
			return fmt.Errorf("--%s and --%s exclude each other", o.format, f)
		case on:
			o.format = f
		}
	}
	if o.format == "" {
		o.format = "text"
	}
	if !cmd.Flags().Changed("at") {
		o.at = atEnd
	}
	switch {
	case !slices.Contains([]string{"graphemes", "unicode11"}, o.widths):
		return fmt.Errorf("unknown widths %q: graphemes or unicode11", o.widths)
	case o.at != atEnd && !(o.at >= 0):
		return errors.New("--at takes seconds from the start, 0 or more")
	case o.session != "" && (len(args) > 0 || o.dir != ""):
		return errors.New("--session takes no recording and no folder")
	case o.session == "" && len(args) == 0:
		return errors.New("no recording is named")
	case len(args) > 1 && o.dir == "":
		return errors.New("several recordings need a folder")
	}
	return nil
}

// screens writes the screen of each recording.
func screens(a *app, paths []string, o screenOptions) error {
	return eachRecording(a, "screen", paths, o.dir, screen.Ending(o.format), func(rec *recording) (func(io.Writer) error, error) {
		s, err := o.play(rec.Header.Cols, rec.Header.Rows, rec)
		if err != nil {
			err = fmt.Errorf("%s: %w", rec.path, err)
		}
		return func(w io.Writer) error { return screen.Write(w, o.format, s) }, err
	})
}

var sessionName = regexp.MustCompile(`^(last|[0-9a-f][0-9a-f-]{3,35})$`)

// namesSession tells that an argument is a session, and no recording of that name.
func namesSession(arg string) bool {
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist) && sessionName.MatchString(arg)
}

// screenOfSession writes the screen of a session: the one of now, which one that runs tells itself, or what the database has.
func screenOfSession(ctx context.Context, a *app, o screenOptions) error {
	db, info, err := a.openNamed(ctx, o.session)
	if err != nil {
		return err
	}
	if info.Status == store.Live && o.at == atEnd && o.widths == "graphemes" {
		if t := screenOfLive(ctx, info.ID); t != nil {
			return a.writeFile("-", func(w io.Writer) error { return screen.Write(w, o.format, screen.Of(t)) })
		}
	}
	source, _, err := newOutgoing(ctx, a, db, info, nil)
	if err != nil {
		return err
	}
	defer source.stop()
	s, readErr := o.play(info.Cols, info.Rows, source)
	for _, d := range source.damage {
		a.notice("%v", d)
	}
	return errors.Join(readErr, a.writeFile("-", func(w io.Writer) error { return screen.Write(w, o.format, s) }))
}

// screenOfLive gives the screen of a session that runs; nil where it cannot be asked.
func screenOfLive(ctx context.Context, id string) *vterm.Term {
	s, _, err := joinLive(ctx, id, client.AttachOptions{Name: "screen", Kind: protocol.Agent, Mode: protocol.ModeScreen})
	if err != nil {
		return nil
	}
	defer s.Close()
	t, err := screenNow(ctx, s)
	if err != nil {
		return nil
	}
	return t
}

// play feeds what source gives, up to the moment, to a terminal. Where source breaks off, the screen
// is that of what came before.
func (o *screenOptions) play(cols, rows int, source eventSource) (screen.Screen, error) {
	opt := vterm.Options{Cols: cols, Rows: rows}
	if o.widths == "unicode11" {
		opt.Widths = vterm.Unicode11
	}
	t := vterm.New(opt)
	var err error
	for {
		var e session.Event
		if e, err = source.Next(); err != nil {
			break
		}
		if e.At.Seconds() > o.at {
			break
		}
		switch e.Kind {
		case session.Output:
			_, _ = t.Write(e.Data) // never fails
		case session.Resize:
			t.Resize(e.Cols, e.Rows)
		}
	}
	return screen.Of(t), ignoreEnd(err)
}
