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

// announceTime is the minimum interval between two notifications about a resource.
const announceTime = time.Second

// subscriptions are the resources to which clients have subscribed.
type subscriptions struct {
	running sync.WaitGroup

	mu      sync.Mutex // guards watches
	watches map[string]*watch
}

// watch is a resource to which clients have subscribed.
type watch struct {
	clients map[*sdk.ServerSession]bool
	stop    context.CancelFunc
}

// withoutSubscribe removes the capability resources/subscribe from the response to initialize: a
// client with a protocol version that has initialize would need a connection for notifications.
// Newer versions use server/discover.
func withoutSubscribe(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		if begun, ok := result.(*sdk.InitializeResult); ok && err == nil && begun.Capabilities != nil {
			begun.Capabilities.Resources = &sdk.ResourceCapabilities{}
		}
		return result, err
	}
}

// subscribe subscribes a client to a resource.
func (s *Server) subscribe(ctx context.Context, r *sdk.SubscribeRequest) error {
	if s.Stateless && r.ProtocolVersion() < "2026-07-28" {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound,
			Message: "over HTTP, subscriptions need protocol 2026-07-28 (subscriptions/listen)"}
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
	if info.Status == store.Live { // a past session does not change
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

// watch notifies clients of the changes of a live session until it ends.
func (s *Server) watch(ctx context.Context, db *Archive, info *store.Info, uri string, ofScreen bool) {
	stream, _, err := attach(ctx, db, info.ID, changesOf(ofScreen))
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
		if _, ok := e.(protocol.Screen); ok && !known { // the screen at the start
			known = true
			continue
		}
		changed = changed || over || err == nil && isChange(e)
		if changed && (over || !time.Now().Before(next)) {
			// An error means that the client is gone.
			_ = s.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
			changed, next = false, time.Now().Add(announceTime)
		}
		if over {
			return
		}
	}
}

// changesOf returns the options for watching the changes of a session's screen, or of its entries.
func changesOf(screen bool) client.AttachOptions {
	o := client.AttachOptions{Name: clientName, Kind: protocol.Agent, Mode: protocol.ModeText}
	if !screen {
		none := math.MaxInt32 // skip the existing ones
		o.Mode, o.Entries = protocol.ModeNone, &none
	}
	return o
}

// isChange reports whether an event changes a resource.
func isChange(e client.Event) bool {
	switch e := e.(type) {
	case protocol.Screen, protocol.State, protocol.Exit:
		return true
	case protocol.Entries:
		return len(e.Entries)+len(e.Gone) > 0
	}
	return false
}
