package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/opener"
	"github.com/ptyrec/ptyrec/process"
	"github.com/ptyrec/ptyrec/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// sandboxPrefix names a sandbox where a session is expected: all its commands, as one conversation.
const sandboxPrefix = "sandbox:"

// sessionPrefix begins the name of the session that the Cloudflare SDK makes for a sandbox.
const sessionPrefix = "sandbox-"

// sandbox is the commands that programs asked for under one name.
type sandbox struct {
	db    *store.Store
	infos []*store.Info // the oldest first
	ref   archive.Ref

	follows bool                           // what a running command has written is read by others
	of      map[*session.Entry]*store.Info // the command that each entry of the transcript is of
}

// openSandbox opens the sandbox that the first of args names. It is nil if that is a session.
func (a *app) openSandbox(ctx context.Context, args []string) (*sandbox, error) {
	if len(args) == 0 || !strings.HasPrefix(args[0], sandboxPrefix) {
		return nil, nil
	}
	ref, err := opener.ParseRef(args[0])
	if err != nil {
		return nil, err
	}
	db, err := a.openExisting(ctx)
	if err != nil {
		return nil, err
	}
	s := &sandbox{db: db, ref: ref}
	return s, s.load(ctx)
}

// load finds the sandbox's commands.
func (s *sandbox) load(ctx context.Context) (err error) {
	if s.infos, err = s.db.Sessions(ctx, store.Filter{Sandbox: s.name()}); err != nil {
		return err
	}
	if name, ok := strings.CutPrefix(s.name(), sessionPrefix); ok && len(s.infos) == 0 {
		if s.infos, err = s.db.Sessions(ctx, store.Filter{Sandbox: name}); err != nil {
			return err
		}
		s.ref.Session = sandboxPrefix + name
	}
	if len(s.infos) == 0 {
		return fail(fmt.Errorf("sandbox %q: %w", s.name(), session.ErrNotFound), "`ptyrec list` names the sandboxes")
	}
	slices.Reverse(s.infos)
	return nil
}

func (s *sandbox) name() string { return strings.TrimPrefix(s.ref.Session, sandboxPrefix) }

// live reports whether a command of the sandbox is recorded now.
func (s *sandbox) live() bool {
	return slices.ContainsFunc(s.infos, func(i *store.Info) bool { return i.Status == store.Live })
}

// info describes the sandbox as if it were one session.
func (s *sandbox) info() *store.Info {
	first, last := s.infos[0], s.infos[len(s.infos)-1]
	info := &store.Info{Session: first.Session, Status: store.Ended, Name: "sandbox " + s.name()}
	info.ID, info.Command, info.Title = s.ref.Session, []string{"sandbox", s.name()}, info.Name
	info.Process, info.Asked, info.Agents = "", nil, []session.Agent{}
	info.EndedAt, info.ExitCode = last.EndedAt, last.ExitCode
	for _, i := range s.infos {
		info.Agents = append(info.Agents, i.Agents...)
	}
	if s.live() {
		info.Status, info.EndedAt, info.ExitCode = store.Live, nil, nil
	}
	return info
}

// transcript returns the commands in order, numbered as one conversation.
func (s *sandbox) transcript(ctx context.Context, a *app) (t *session.Transcript, err error) {
	all := &session.Transcript{
		Format: session.TranscriptFormat, Version: session.TranscriptVersion,
		Session: s.info().Session, Entries: []*session.Entry{},
	}
	s.of = map[*session.Entry]*store.Info{}
	lib, err := a.library(s.db)
	if err != nil {
		return nil, err
	}
	for _, info := range s.infos {
		if s.follows && info.Status == store.Live && info.Piped() {
			t = &session.Transcript{Entries: process.NewTranscript(info.Session).Entries()}
		} else if t, err = lib.Transcript(ctx, info); err != nil {
			return nil, err
		}
		for _, e := range t.Entries {
			e.Seq = len(all.Entries) + 1
			all.Entries = append(all.Entries, e)
			s.of[e] = info
		}
	}
	return all, nil
}

// show writes the sandbox as show does a session.
func (s *sandbox) show(ctx context.Context, a *app, f showFlags) error {
	if f.raw {
		for _, info := range s.infos {
			if err := showRaw(ctx, a, s.db, info); err != nil {
				return err
			}
		}
		return nil
	}
	t, err := s.transcript(ctx, a)
	if err == nil {
		t, err = s.ref.Cut(t, true)
	}
	if err != nil {
		return opener.Missing(err)
	}
	return showTranscript(a, t, s.info(), s.ref, f)
}

// export writes the sandbox in a format that has no recording.
func (s *sandbox) export(ctx context.Context, a *app, out, format string) error {
	if !slices.Contains(render.Formats(), format) {
		return misuse("export one of its commands: `ptyrec list --sandbox "+s.name()+"`", "a sandbox cannot be written as %s", format)
	}
	t, err := s.transcript(ctx, a)
	if err == nil {
		t, err = s.ref.Cut(t, true)
	}
	if err != nil {
		return opener.Missing(err)
	}
	return a.writeFile(out, func(w io.Writer) error { return render.Write(w, format, t) })
}

// tail writes the last entries of the sandbox, and further ones as commands end, while any runs.
// Without --json it writes what those with pipes write as it comes.
func (s *sandbox) tail(ctx context.Context, a *app, f tailFlags, format render.Terminal, write func(*session.Entry) error) error {
	tick := time.NewTicker(tailPoll)
	defer tick.Stop()
	s.follows = !f.asJSON
	w := &tailWriter{out: a.stdout, format: format}
	given, running := map[string]bool{}, map[string]*commandTail{}
	for first := true; ; first = false {
		live := s.live() // before the entries: what they end with is not to be missed
		t, err := s.transcript(ctx, a)
		if err != nil {
			return err
		}
		for i, e := range t.Entries {
			info := s.of[e]
			switch growing := running[info.ID]; {
			case given[e.ID]:
				continue
			case e.Status == session.StatusStreaming && (f.asJSON || !info.Piped()):
				continue
			case e.Status == session.StatusStreaming && growing == nil:
				running[info.ID], err = newCommandTail(ctx, a, s.db, w, info, e.Seq, f.last > 0 || !first)
			case e.Status == session.StatusStreaming:
				err = growing.follow(ctx)
			case growing != nil:
				given[e.ID] = true
				err = growing.end(ctx, e)
			default:
				given[e.ID] = true
				if !first || i >= len(t.Entries)-f.last {
					w.now = nil
					err = write(e)
				}
			}
			if err != nil {
				return err
			}
		}
		if !live {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if err := s.load(ctx); err != nil {
			return err
		}
	}
}

// sandboxLines returns a line for each sandbox that the filter chooses, the newest first.
func sandboxLines(ctx context.Context, db *store.Store, filter store.Filter, now time.Time) ([]string, error) {
	boxes, err := db.Sandboxes(ctx, filter)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, b := range boxes {
		running := ""
		if b.Running > 0 {
			running = fmt.Sprintf(", %d running", b.Running)
		}
		when := b.Last.Local().Format("15:04")
		if b.Last.Local().Format(time.DateOnly) != now.Local().Format(time.DateOnly) {
			when = b.Last.Local().Format("2006-01-02 15:04")
		}
		lines = append(lines, fmt.Sprintf("sandbox %s   %s%s, %s\n", b.Name, cli.Plural(b.Commands, "command"), running, when))
	}
	return lines, nil
}
