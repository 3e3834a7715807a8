package session

import "time"

// Where figures of usage come from.
const (
	UsageLog    = "log"    // the agent's own log: each request
	UsageScreen = "screen" // what the agent printed: at least so much was used
)

// Usage is what one request, or one conversation, used of a model. Counts are in tokens.
type Usage struct {
	Key        string    `json:"key,omitempty"` // of the request, unique among those of an agent; or of the figure on the screen
	Source     string    `json:"source"`        // UsageLog or UsageScreen
	Agent      string    `json:"agent"`
	Model      string    `json:"model,omitempty"` // empty: unknown
	At         time.Time `json:"at"`
	Input      int64     `json:"input"`          // without what was read from or written to a cache
	CacheRead  int64     `json:"cache_read"`     // input that a cache had
	CacheWrite int64     `json:"cache_write"`    // input that was put into a cache
	Output     int64     `json:"output"`         // with Reasoning
	Reasoning  int64     `json:"reasoning"`      // output that is not shown
	Total      int64     `json:"total"`          // of all, also if only that is known
	Cost       *float64  `json:"cost,omitempty"` // in US dollars, as the agent states it; nil: it does not
}
