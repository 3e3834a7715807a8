package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
)

// Types of package chat, for users of this package.
type (
	// Item is a message that the screen shows.
	Item       = chat.Item
	Resumption = chat.Resumption
	State      = chat.State
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
