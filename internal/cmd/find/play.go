package find

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client/management"
	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cli/tui"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// playOptions are the options of play.
type playOptions struct {
	IO   *cli.IO
	Open *opener.Opener
	Live join.Live

	speed float64
	idle  float64 // maximum pause in seconds; 0: no limit
	at    float64 // in seconds
	part  factory.PartFlags
	team  bool
}

// NewCmdPlay returns the play command.
func NewCmdPlay(f *factory.Factory) *cobra.Command {
	o := &playOptions{IO: f.IO, Open: f.Open, Live: f.Live}
	cmd := &cobra.Command{
		Use:        "play [S | FILE | ws://HOST:PORT[/AGENT[/SESSION]]]",
		SuggestFor: []string{"replay"},
		Short:      "Play a recording in the terminal",
		Long: `Play replays a session or a recording's file. Keys:

  space        pause, continue         n, p    next, previous message
  →, ←         5 seconds on, back      0 … 9   to 0 % … 90 %
  +, -         faster, slower          .       one step, while paused
  home, end    the start, the end      q       leave

On a management server (ws:// or wss://, docs/management.md) it replays what the server has of the
session SESSION (main by default) of the machine AGENT (which you can omit if there is only one).
The token comes from $PTYREC_TOKEN or ?token= in the URL. If the session ends meanwhile, play
exits with its status.`,
		Example: `  ptyrec play
  ptyrec play 4f1a --speed 2 --at 90
  ptyrec play 'last#4..last#12'
  ptyrec play last --from 2m --to 2m30s --only replies
  ptyrec play session.cast --idle-limit 0
  ptyrec play ws://mgmt.example:8121/agent-01`,
		Args:              cli.Operands(0, 1),
		ValidArgsFunction: factory.CompletePlay(o.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(o.speed >= 0.01 && o.speed <= 1000) || !(o.idle >= 0) || !(o.at >= 0) {
				return failure.Usage(errors.New("--speed must be 0.01 to 1000, --idle-limit and --at at least 0"))
			}
			return play(cmd.Context(), o, args)
		},
	}
	o.part.Register(cmd)
	cmd.Flags().Float64Var(&o.speed, "speed", 1, "play `FACTOR` times as fast")
	cmd.Flags().Float64Var(&o.idle, "idle-limit", 2, "shorten pauses to `SECONDS`; 0 keeps them")
	cmd.Flags().BoolVar(&o.team, "team", false, factory.TeamUsage)
	cmd.Flags().Float64Var(&o.at, "at", 0, "begin at `SECONDS` from the start")
	return cmd
}

func play(ctx context.Context, o *playOptions, args []string) error {
	if !cli.IsTerminal(o.IO.Out) {
		return failure.New(errors.New("play needs a terminal"),
			"use `ptyrec show --raw` for the recorded bytes, `ptyrec screen` for the screen at a moment")
	}
	t, err := playbackOf(ctx, o, args)
	if err != nil {
		return err
	}
	if len(t.Events) == 0 {
		return failure.New(errors.New("the recording is empty"), "there is nothing to play")
	}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	finished, err := tui.Play(ctx, o.IO.Out, &t.Playback,
		tui.PlayOptions{Speed: o.speed, Idle: seconds(o.idle), From: seconds(o.at)})
	if err != nil || !finished || t.status == 0 {
		return err
	}
	return cli.ExitStatus(t.status)
}

// playbackOf returns the playback of what the first of args names, or else of the last session.
func playbackOf(ctx context.Context, o *playOptions, args []string) (*playback, error) {
	if o.team {
		db, info, ref, err := o.Open.In(ctx, true, args)
		if err != nil {
			return nil, err
		}
		return playbackOfSession(ctx, o, db, info, ref)
	}
	if len(args) > 0 && management.Is(args[0]) {
		if o.part != (factory.PartFlags{}) {
			return nil, failure.Usage(errors.New("--from, --to and --only require a stored session"))
		}
		return playbackOfManaged(ctx, o, args[0])
	}
	named, err := o.Open.Resolve(ctx, args)
	if err != nil {
		return nil, err
	}
	if named.File != "" && named.Ref.Whole() && o.part == (factory.PartFlags{}) {
		return playbackOfFile(o, named.File)
	}
	if named.File != "" {
		if named.DB, named.Info, err = o.Open.File(ctx, named.File); err != nil {
			return nil, err
		}
	}
	return playbackOfSession(ctx, o, named.DB, named.Info, named.Ref)
}

// playback is a recording to play.
type playback struct {
	archive.Playback
	status int // exit status at the end
}

func playbackOfSession(ctx context.Context, o *playOptions, db store.Reader, info *store.Info,
	ref archive.Ref) (*playback, error) {
	lib, err := o.Open.Library(db)
	if err != nil {
		return nil, err
	}
	if ref, err = o.part.Of(ref); err != nil {
		return nil, err
	}
	t, err := lib.Playback(ctx, info, ref)
	if err != nil {
		return nil, opener.Missing(err)
	}
	t.Title = listing.Title(info)
	return &playback{Playback: *t}, nil
}

func playbackOfFile(o *playOptions, path string) (*playback, error) {
	rec, err := o.Open.Recording(path, func(int) {})
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	t := &playback{Playback: archive.Playback{Cols: rec.Header.Cols, Rows: rec.Header.Rows,
		Title: printable.Clip(cmp.Or(rec.Header.Title, rec.Header.Command, path), 200)}}
	t.ReadLater(rec.Session)
	return t, t.Load(rec)
}

// playbackOfManaged returns what a management server has of the session at a URL.
func playbackOfManaged(ctx context.Context, o *playOptions, where string) (*playback, error) {
	log, err := o.Live.Managed(ctx, where)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Stream.Close() }()
	t := &playback{}
	for !log.Whole {
		event, err := log.Stream.Next(ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, join.Error(err)
		}
		if err != nil || log.IsOther(event) {
			break
		}
		if e, ok := log.Take(event); ok {
			t.Events, t.status = append(t.Events, e), e.Status
		}
	}
	t.Cols, t.Rows, t.Title = log.Session.Cols, log.Session.Rows, printable.Clip(log.Session.Title, 200)
	t.ReadLater(log.Session)
	return t, nil
}

// PlaySession plays a session as play does without flags.
func PlaySession(ctx context.Context, f *factory.Factory, id string) error {
	return play(ctx, &playOptions{IO: f.IO, Open: f.Open, Live: f.Live, speed: 1, idle: 2}, []string{id})
}
