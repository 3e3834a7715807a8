package library

import (
	"context"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Playback returns the recording of a session, or the part of it that shows the entries of ref. If
// an entry does not exist, the error is an *archive.MissingError.
func (l *Library) Playback(ctx context.Context, info *store.Info, ref archive.Ref) (*archive.Playback, error) {
	if err := Recorded(info); err != nil {
		return nil, err
	}
	transcript, err := l.Transcript(ctx, info)
	if err != nil {
		return nil, err
	}
	if ref, err = ref.Resolve(transcript); err != nil {
		return nil, err
	}
	if ref.Only != "" {
		return l.excerpt(ctx, info, ref, transcript)
	}
	t := &archive.Playback{Cols: info.Cols, Rows: info.Rows}
	source := archive.NewRawLog(ctx, l.Store, info.ID, 0)
	defer source.Stop()
	if err := t.Load(source); err != nil {
		return nil, err
	}
	t.Messages = archive.MessagesOf(transcript.Entries, info.StartedAt)
	from, to, err := ref.Span(transcript)
	if err != nil {
		return nil, err
	}
	t.Cut(from, to)
	return t, nil
}

// excerpt returns the recording of the entries of ref, without any other text.
func (l *Library) excerpt(ctx context.Context, info *store.Info, ref archive.Ref,
	transcript *session.Transcript) (*archive.Playback, error) {
	source := archive.NewRawLog(ctx, l.Store, info.ID, 0)
	defer source.Stop()
	x, err := archive.NewExcerpt(transcript, ref, info.Cols, info.Rows, source)
	if err != nil {
		return nil, err
	}
	cut, err := ref.Cut(transcript, info.Name != "")
	if err != nil {
		return nil, err
	}
	t := &archive.Playback{Cols: info.Cols, Rows: info.Rows,
		Messages: archive.MessagesOf(cut.Entries, info.StartedAt.Add(x.From))}
	return t, t.Load(x)
}
