package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
)

// askedGrant is the duration of a grant to which the client's user agrees.
const askedGrant = 10 * time.Minute

// questionID identifies the question in a call and in its answer.
const questionID = "grant"

// canAsk reports whether the client can ask its user.
func canAsk(c *toolCall) bool {
	can := c.request.ClientCapabilities()
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// askUser makes the client ask its user for a grant. The first call returns the question. When the
// client calls again with the answer, askUser grants the session or returns an error.
func (s *Server) askUser(ctx context.Context, c *toolCall, db *Archive, info *store.Info) (answer, error) {
	response, ok := c.request.Params.InputResponses[questionID].(*sdk.ElicitResult)
	if !ok || c.request.Params.RequestState != info.ID {
		return answer{state: info.ID, input: sdk.InputRequestMap{questionID: &sdk.ElicitParams{
			Mode: "form",
			Message: fmt.Sprintf("Let %s type into the terminal of session %s (%s) for %v? It was: %q", callerOf(c), info.ID,
				clock(info.StartedAt), askedGrant,
				clip(s.title(ctx, db, info), 60)),
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
		}}}, nil
	}
	if response.Action != "accept" {
		return answer{}, toolErrorf("The user said no: nothing was typed. Do not ask again unless the user wants it.")
	}
	stream, _, err := attach(ctx, db, info.ID,
		client.AttachOptions{Name: callerOf(c), Kind: protocol.Human, Mode: protocol.ModeNone})
	if err != nil {
		return answer{}, typingError(info.ID, err)
	}
	defer func() { _ = stream.Close() }() // never fails
	if err := stream.Grant(ctx, askedGrant); err != nil {
		return answer{}, typingError(info.ID, err)
	}
	return answer{}, nil
}
