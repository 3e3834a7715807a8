package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
)

type (
	// Item is a message that the screen shows.
	Item = chat.Item
	// Resumption says how an agent's conversation is continued.
	Resumption = chat.Resumption
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
