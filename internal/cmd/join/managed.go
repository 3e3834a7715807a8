package join

import (
	"context"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// Managed joins the session at the URL of a management server. The caller must close the
// stream.
func (l Live) Managed(ctx context.Context, where string) (*Log, error) {
	options := l.Options(nil)
	var err error
	if options.Token, err = (Token{}).For(where); err != nil {
		return nil, err
	}
	server, err := client.Dial(ctx, where, options)
	if err != nil {
		return nil, Error(err)
	}
	stream, err := server.Attach(ctx, "", client.AttachOptions{Name: ViewerName(), Mode: protocol.ModeFrames,
		From: new(int64)})
	if err != nil {
		return nil, Error(err)
	}
	return NewLog(stream, func(text string) { l.Open.Notice("%s", text) }), nil
}
