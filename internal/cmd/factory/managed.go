package factory

import (
	"context"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/protocol"
)

// OpenManaged joins the session at the URL of a management server. The caller must close the
// stream.
func OpenManaged(ctx context.Context, f *Factory, where string) (*join.Log, error) {
	options := f.LiveOptions(nil)
	var err error
	if options.Token, err = (join.Token{}).For(where); err != nil {
		return nil, err
	}
	server, err := client.Dial(ctx, where, options)
	if err != nil {
		return nil, join.Error(err)
	}
	stream, err := server.Attach(ctx, "", client.AttachOptions{Name: join.ViewerName(), Mode: protocol.ModeFrames, From: new(int64)})
	if err != nil {
		return nil, join.Error(err)
	}
	return join.NewLog(stream, func(text string) { f.IO.Notice("%s", text) }), nil
}
