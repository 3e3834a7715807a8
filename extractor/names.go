package extractor

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
)

// What users of this package need of package chat.
type (
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
