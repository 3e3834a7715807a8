package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/export"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// servedPast reads stored sessions for servers. It implements server.Past.
type servedPast struct{ *library.Past }

// newServedPast returns a Past that reads a library. The caller must Close it.
func newServedPast(l *library.Library) *servedPast { return &servedPast{library.NewPast(l)} }

// Export implements server.Past.
func (v *servedPast) Export(ctx context.Context, w io.Writer, format string, info *store.Info, part server.Part) error {
	if !slices.Contains(export.Formats(), format) {
		return errors.New("unknown format " + format)
	}
	leave, err := v.Turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	ref, err := archive.Ref{}.Part(part.From, part.To, part.Only)
	if err == nil {
		err = export.Exporter{Library: v.Library, Ref: ref, Animate: part.Animate}.Write(ctx, w, format, info)
	}
	var missing *archive.MissingError
	var misuse *failure.Error
	if errors.As(err, &missing) || errors.As(err, &misuse) && misuse.Misuse {
		return fmt.Errorf("%w: %w", server.ErrPart, err)
	}
	return err
}

// entries returns all entries of a past session. If it is not completely extracted, it does that
// first.
func (v *servedPast) entries(ctx context.Context, info *store.Info) ([]*session.Entry, error) {
	page, reading, err := v.Page(ctx, info, store.Span{})
	for err == nil && reading != nil {
		page, reading, err = v.Page(ctx, info, store.Span{})
	}
	return page.Entries, err
}
