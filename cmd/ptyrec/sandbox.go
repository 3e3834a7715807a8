package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
)

// openSandbox opens the sandbox that the first of args names. It is nil if that is a session.
func (a *app) openSandbox(ctx context.Context, team bool, args []string) (*library.Library, *library.Sandbox, error) {
	if len(args) == 0 || !strings.HasPrefix(args[0], library.SandboxPrefix) {
		return nil, nil, nil
	}
	ref, err := opener.ParseRef(args[0])
	if err != nil {
		return nil, nil, err
	}
	db, err := a.openFor(ctx, team)
	if err != nil {
		return nil, nil, err
	}
	lib, err := a.library(db)
	if err != nil {
		return nil, nil, err
	}
	s, err := lib.Sandbox(ctx, ref)
	return lib, s, err
}

// showSandbox writes a sandbox as show does a session.
func showSandbox(ctx context.Context, a *app, lib *library.Library, s *library.Sandbox, f showFlags) error {
	if f.raw {
		for _, info := range s.Infos {
			if err := showRaw(ctx, a, lib, info); err != nil {
				return err
			}
		}
		return nil
	}
	t, err := s.Transcript(ctx)
	if err != nil {
		return opener.Missing(err)
	}
	return showTranscript(a, t, s.Info(), s.Ref, f)
}

// exportSandbox writes a sandbox in a format that has no recording.
func exportSandbox(ctx context.Context, a *app, s *library.Sandbox, out, format string) error {
	if !slices.Contains(render.Formats(), format) {
		return failure.Misuse("export one of its commands: `ptyrec list --sandbox "+s.Name()+"`", "a sandbox cannot be written as %s", format)
	}
	t, err := s.Transcript(ctx)
	if err != nil {
		return opener.Missing(err)
	}
	return a.writeFile(out, func(w io.Writer) error { return render.Write(w, format, t) })
}
