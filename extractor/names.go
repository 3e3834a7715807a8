package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
)

type (
	// Item is a message that the screen shows.
	Item = chat.Item
	// Resumption says how an agent's conversation is continued.
	Resumption = chat.Resumption
	// Placement names the rule that found a frame's place on a document.
	Placement = document.Placement
	// State is what an agent does.
	State = chat.State
)

// States of an agent.
const (
	StateUnknown  = chat.StateUnknown
	StateIdle     = chat.StateIdle
	StateBusy     = chat.StateBusy
	StateAsking   = chat.StateAsking
	StateStarting = chat.StateStarting

	// ResumeID is where the id goes in Resumption.Args.
	ResumeID = chat.ResumeID
)
