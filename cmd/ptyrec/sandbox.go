package main

import (
	"context"
	"io"
	"slices"

	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
)

// showSandbox writes a sandbox as show does a session.
func showSandbox(ctx context.Context, a *factory.Factory, lib *library.Library, s *library.Sandbox, f showFlags) error {
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
func exportSandbox(ctx context.Context, a *factory.Factory, s *library.Sandbox, out, format string) error {
	if !slices.Contains(render.Formats(), format) {
		return failure.Misuse("export one of its commands: `ptyrec list --sandbox "+s.Name()+"`", "a sandbox cannot be written as %s", format)
	}
	t, err := s.Transcript(ctx)
	if err != nil {
		return opener.Missing(err)
	}
	return a.IO.WriteFile(out, func(w io.Writer) error { return render.Write(w, format, t) })
}
