package library

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// SandboxPrefix is the prefix of a reference to a sandbox, where a session is expected.
const SandboxPrefix = "sandbox:"

// sessionPrefix is the prefix of the session name that the Cloudflare SDK uses for a sandbox.
const sessionPrefix = "sandbox-"

// Sandbox is the commands that programs started under one sandbox name, as one conversation.
type Sandbox struct {
	Infos []*store.Info // of the commands, oldest first
	Ref   archive.Ref   // its session is SandboxPrefix and the name

	lib *Library
}

// Sandbox returns the sandbox that ref names. The error wraps session.ErrNotFound if there is none.
func (l *Library) Sandbox(ctx context.Context, ref archive.Ref) (*Sandbox, error) {
	s := &Sandbox{lib: l, Ref: ref}
	return s, s.Load(ctx)
}

// Load loads the sandbox's commands. It can be called again to add new ones.
func (s *Sandbox) Load(ctx context.Context) (err error) {
	if s.Infos, err = s.lib.Store.Sessions(ctx, store.Filter{Sandbox: s.Name()}); err != nil {
		return err
	}
	if name, ok := strings.CutPrefix(s.Name(), sessionPrefix); ok && len(s.Infos) == 0 {
		if s.Infos, err = s.lib.Store.Sessions(ctx, store.Filter{Sandbox: name}); err != nil {
			return err
		}
		s.Ref.Session = SandboxPrefix + name
	}
	if len(s.Infos) == 0 {
		return failure.New(fmt.Errorf("sandbox %q: %w", s.Name(), session.ErrNotFound), "`ptyrec list` names the sandboxes")
	}
	slices.Reverse(s.Infos)
	return nil
}

// Name returns the sandbox's name.
func (s *Sandbox) Name() string { return strings.TrimPrefix(s.Ref.Session, SandboxPrefix) }

// Live reports whether a command of the sandbox is being recorded.
func (s *Sandbox) Live() bool {
	return slices.ContainsFunc(s.Infos, func(i *store.Info) bool { return i.Status == store.Live })
}

// Info describes the sandbox as if it were one session.
func (s *Sandbox) Info() *store.Info {
	first, last := s.Infos[0], s.Infos[len(s.Infos)-1]
	info := &store.Info{Session: first.Session, Status: store.Ended, Name: "sandbox " + s.Name()}
	info.ID, info.Command, info.Title = s.Ref.Session, []string{"sandbox", s.Name()}, info.Name
	info.Process, info.Asked, info.Agents = "", nil, []session.Agent{}
	info.EndedAt, info.ExitCode = last.EndedAt, last.ExitCode
	for _, i := range s.Infos {
		info.Agents = append(info.Agents, i.Agents...)
	}
	if s.Live() {
		info.Status, info.EndedAt, info.ExitCode = store.Live, nil, nil
	}
	return info
}

// Transcript returns the entries that the sandbox's Ref selects, in order and numbered as one
// conversation. The error may be an *archive.MissingError.
func (s *Sandbox) Transcript(ctx context.Context) (*session.Transcript, error) {
	entries, _, err := s.Entries(ctx, true)
	if err != nil {
		return nil, err
	}
	return s.Ref.Cut(&session.Transcript{
		Format: session.TranscriptFormat, Version: session.TranscriptVersion,
		Session: s.Info().Session, Entries: entries,
	}, true)
}

// Entries returns the entries of all commands, in order and numbered as one conversation. of[i] is
// the command of entries[i]. Unless output is set, the entries of running commands with pipes lack
// their output.
func (s *Sandbox) Entries(ctx context.Context, output bool) (entries []*session.Entry,
	of map[*session.Entry]*store.Info, err error) {
	entries, of = []*session.Entry{}, map[*session.Entry]*store.Info{}
	for _, info := range s.Infos {
		var said []*session.Entry
		if !output && info.Status == store.Live && info.Piped() {
			said = process.NewTranscript(info.Session).Entries()
		} else {
			t, err := s.lib.Transcript(ctx, info)
			if err != nil {
				return nil, nil, err
			}
			said = t.Entries
		}
		for _, e := range said {
			e.Seq = len(entries) + 1
			entries, of[e] = append(entries, e), info
		}
	}
	return entries, of, nil
}
