package library

import (
	"context"

	"github.com/ptyrec/ptyrec/archive"
	"github.com/ptyrec/ptyrec/store"
)

// Playback returns the recording of a session to play, or the part of it that shows the entries of ref.
// If the session does not have them, the error is an *archive.MissingError.
func (l *Library) Playback(ctx context.Context, info *store.Info, ref archive.Ref) (*archive.Playback, error) {
	if err := Recorded(info); err != nil {
		return nil, err
	}
	t := &archive.Playback{Cols: info.Cols, Rows: info.Rows}
	source := archive.NewRawLog(ctx, l.Store, info.ID, 0)
	defer source.Stop()
	if err := t.Load(source); err != nil {
		return nil, err
	}
	transcript, err := l.Transcript(ctx, info)
	if err != nil {
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
