package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/detached"
	"github.com/ptyrec/ptyrec/recorder/peer"
	"github.com/ptyrec/ptyrec/vterm"
)

// agentapiName is the server's name as a viewer, and as the sender of prompts in the record.
const agentapiName = "agentapi"

// agentEndTime is how long the session has to end with the server.
const agentEndTime = 6 * time.Second

// start starts the command in a session that ends with this process, lets programs type into it,
// and follows it. id is the session's id. end must be called at the end.
func (o *agentServer) start(ctx context.Context) (s *agentapi.Session, id string, end func(), err error) {
	starter, err := detached.NewStarter(o.Database, o.Environ)
	if err != nil {
		return nil, "", nil, err
	}
	closeOwner := func() { _ = starter.Close() }
	id, err = starter.StartOwned(ctx, o.Command, "", o.Cols, o.Rows)
	if err != nil {
		closeOwner()
		return nil, "", nil, failure.New(fmt.Errorf("the command did not start: %w", err), "try it with `ptyrec run`")
	}
	stream, err := o.attach(ctx, id)
	if err != nil {
		closeOwner()
		return nil, "", nil, err
	}
	f := agentapi.Options{
		Type: o.Agent, Sender: prompt.New(o.Sessions, id, prompt.Options{Name: agentapiName}), Markdown: o.Markdown,
		Tools: o.Tools, Banner: banner, Redact: o.Redact, Log: o.Log,
		Start: agentapi.Start{Prompt: o.Prompt},
	}
	if o.LoadState {
		f.Start.Load = func() (agentapi.State, error) { return agentapi.ReadState(o.StateFile) }
	}
	s = agentapi.Follow(stream, f)
	return s, id, func() {
		closeOwner()
		select {
		case <-s.Ended():
		case <-time.After(agentEndTime):
		}
		s.Close()
	}, nil
}

// senderFor returns the Sender for a session and the client of a request. A client that was started
// in a recorded session may not answer questions of the agent, because it may be the agent.
func senderFor(sessions *client.Client, id string, r *http.Request) agentapi.Sender {
	link := server.LinkOf(r)
	place := peer.TCP(link.Client, link.Server, func(pid int) peer.Place { return peer.Of(pid, 0) })
	return prompt.New(sessions, id, prompt.Options{Name: agentapiName, Behalf: link, NoAnswers: place != peer.Outside})
}

// attach lets programs type into a session, and attaches to it.
func (o *agentServer) attach(ctx context.Context, id string) (stream *client.Stream, err error) {
	if err = letType(ctx, o.Sessions, id); err == nil {
		stream, err = o.Sessions.Attach(ctx, id,
			client.AttachOptions{Name: agentapiName, Kind: protocol.Agent, Mode: protocol.ModeBytes, From: new(int64),
				Entries: new(int)})
	}
	if err != nil && o.ends(ctx, id) {
		return nil, failure.New(errors.New("the command ended before it could be served"),
			"`ptyrec show "+listing.ShortID(id)+"` shows its output")
	}
	return stream, err
}

// letType lets programs type into a session until `ptyrec revoke`. It returns nil if the session is
// already over.
func letType(ctx context.Context, sessions *client.Client, id string) error {
	s, err := sessions.Attach(ctx, id, client.AttachOptions{Name: agentapiName, Kind: protocol.Human,
		Mode: protocol.ModeNone})
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.Grant(ctx, 0)
	var refused *protocol.Error
	if errors.As(err, &refused) && refused.Code == protocol.CodeEnded || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// ends reports whether a session ends within endTime. While a session ends, it refuses requests
// with various errors.
func (o *agentServer) ends(ctx context.Context, id string) bool {
	for limit := time.Now().Add(agentEndTime); time.Now().Before(limit); time.Sleep(50 * time.Millisecond) {
		live, err := o.Sessions.Sessions(ctx)
		if err != nil {
			return false
		}
		if !slices.ContainsFunc(live, func(s client.Session) bool { return s.ID == id }) {
			return true
		}
	}
	return false
}

// banner returns what an agent shows above its input box. It is an agentapi.Banner.
func banner(s *vterm.Snapshot, agent string) string {
	const frame = " │┃║╭╮╰╯─━┌┐└┘"
	var lines []string
	for _, row := range extractor.Look(s, agent).Talk {
		if row = strings.Trim(row, frame); row != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, row)
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
