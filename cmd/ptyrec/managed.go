package main

import (
	"context"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cmd/watch/join"
	"github.com/ptyrec/ptyrec/internal/cmd/watch/remotelog"
	"github.com/ptyrec/ptyrec/protocol"
)

// openManaged joins the session at the URL of a management server. The caller must close the
// stream.
func openManaged(ctx context.Context, a *app, where string) (*remotelog.Log, error) {
	options := a.liveOptions(nil)
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
	return remotelog.New(stream, func(text string) { a.notice("%s", text) }), nil
}
