package mcp

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
)

// announceTime is how often a change of a resource is announced at most.
const announceTime = time.Second

// subscriptions are the resources that clients watch.
type subscriptions struct {
	running sync.WaitGroup

	mu      sync.Mutex // guards watches
	watches map[string]*watch
}

// watch is a resource that is watched for some clients.
type watch struct {
	clients map[*sdk.ServerSession]bool
	stop    context.CancelFunc
}

// withoutSubscribe removes the capability resources/subscribe from the answer to initialize. A
// client of a version that starts with initialize needs a connection to be told of changes. Later
// versions start with server/discover.
func withoutSubscribe(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		if begun, ok := result.(*sdk.InitializeResult); ok && err == nil && begun.Capabilities != nil {
			begun.Capabilities.Resources = &sdk.ResourceCapabilities{}
		}
		return result, err
	}
}

// subscribe begins to watch a resource for a client.
func (s *Server) subscribe(ctx context.Context, r *sdk.SubscribeRequest) error {
	if s.Stateless && r.ProtocolVersion() < "2026-07-28" {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "over HTTP, subscriptions need protocol 2026-07-28 (subscriptions/listen)"}
	}
	uri := r.Params.URI
	db, info, ofScreen, err := s.findResource(ctx, uri)
	if err != nil {
		return err
	}
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	if w := s.subscriptions.watches[uri]; w != nil {
		w.clients[r.Session] = true
		return nil
	}
	watching, stop := context.WithCancel(s.stopped)
	s.subscriptions.watches[uri] = &watch{map[*sdk.ServerSession]bool{r.Session: true}, stop}
	if info.Status == store.Live { // another does not change
		s.subscriptions.running.Go(func() { s.watch(watching, db, info, uri, ofScreen) })
	}
	return nil
}

func (s *Server) unsubscribe(_ context.Context, r *sdk.UnsubscribeRequest) error {
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	w := s.subscriptions.watches[r.Params.URI]
	if w == nil {
		return nil
	}
	if delete(w.clients, r.Session); len(w.clients) == 0 {
		w.stop()
		delete(s.subscriptions.watches, r.Params.URI)
	}
	return nil
}

// watch announces the changes of a live session until it ends.
func (s *Server) watch(ctx context.Context, db *Archive, info *store.Info, uri string, ofScreen bool) {
	o := client.AttachOptions{Name: clientName, Kind: protocol.Agent, Mode: protocol.ModeText}
	if !ofScreen {
		none := math.MaxInt32 // of those that are there
		o.Mode, o.Entries = protocol.ModeNone, &none
	}
	stream, _, err := attach(ctx, db, info.ID, o)
	if err != nil {
		return
	}
	defer func() { _ = stream.Close() }() // never fails
	changed, known := false, !ofScreen
	for next := time.Now(); ; {
		until, stop := ctx, context.CancelFunc(func() {})
		if changed {
			until, stop = context.WithDeadline(ctx, next)
		}
		e, err := stream.Next(until)
		late := until.Err() != nil
		stop()
		if ctx.Err() != nil {
			return
		}
		over := err != nil && !late
		if _, ok := e.(protocol.Screen); ok && !known { // the screen as it was
			known = true
			continue
		}
		changed = changed || over || err == nil && isChange(e)
		if changed && (over || !time.Now().Before(next)) {
			_ = s.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}) // a client that is gone needs none
			changed, next = false, time.Now().Add(announceTime)
		}
		if over {
			return
		}
	}
}

// isChange reports whether a resource is another after an event.
func isChange(e client.Event) bool {
	switch e := e.(type) {
	case protocol.Screen, protocol.State, protocol.Exit:
		return true
	case protocol.Entries:
		return len(e.Entries)+len(e.Gone) > 0
	}
	return false
}
