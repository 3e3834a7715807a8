// Package join attaches the command line to live sessions, on this machine or on a server, and adds
// hints to the errors. Log converts the events of a session on another machine to a raw log;
// Recorder records them as a session in the local database.
package join

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/vterm"
)

// Session attaches to the session that ref names, and waits until it is connected. The caller must
// close the stream. hello is the first message of the session. The errors have hints.
func Session(ctx context.Context, c *client.Client, ref string, o client.AttachOptions) (s *client.Stream,
	hello protocol.Hello, err error) {
	s, err = c.Attach(ctx, ref, o)
	if errors.Is(err, session.ErrNotFound) {
		err = failure.New(fmt.Errorf("no live session %q", ref), "`ptyrec list --live` lists live sessions")
	}
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	return connected(ctx, s)
}

// URL is like Session, for the URL of a session on a server, https://HOST/s/ID.
func URL(ctx context.Context, url string, t Token, o client.AttachOptions) (s *client.Stream, hello protocol.Hello,
	err error) {
	server, id, err := client.SplitURL(url)
	if err != nil {
		return nil, protocol.Hello{}, failure.New(err, "write https://HOST/s/ID")
	}
	token, err := t.For(url)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	sessions, err := client.Dial(ctx, server, client.Options{Token: token})
	if err != nil {
		return nil, protocol.Hello{}, Error(err)
	}
	if s, err = sessions.Attach(ctx, id, o); err != nil {
		return nil, protocol.Hello{}, Error(err)
	}
	return connected(ctx, s)
}

// connected waits until s is connected, and returns the session's first message. It closes s on an
// error.
func connected(ctx context.Context, s *client.Stream) (*client.Stream, protocol.Hello, error) {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			_ = s.Close()
			return nil, protocol.Hello{}, Over(err)
		}
		if connected, ok := e.(client.Connected); ok {
			return s, connected.Hello, nil
		}
	}
}

// Screen returns the screen of a session to which s is attached in protocol.ModeScreen.
func Screen(ctx context.Context, s *client.Stream) (*vterm.Term, error) {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return nil, Over(err)
		}
		if snap, ok := e.(protocol.Snapshot); ok {
			t := vterm.New(vterm.Options{Cols: snap.Cols, Rows: snap.Rows})
			_, _ = t.Write(snap.Data) // never fails
			return t, nil
		}
	}
}

// ViewerName returns the name of a viewer in this terminal, which other viewers see.
func ViewerName() string {
	name, err := os.Readlink("/proc/self/fd/0")
	if err != nil {
		return "attach"
	}
	return "attach on " + strings.TrimPrefix(name, "/dev/")
}

// Granter returns the name of the user who grants, which viewers see.
func Granter() string {
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return "user"
}
