package session

import "time"

// Where figures of usage come from.
const (
	UsageLog    = "log"    // the agent's own log: each request
	UsageScreen = "screen" // what the agent printed: at least so much was used
)

// Usage is what one request, or one conversation, used of a model. Counts are in tokens.
type Usage struct {
	Key        string // of the request, unique among those of an agent; or of the figure on the screen
	Source     string // UsageLog or UsageScreen
	Agent      string
	Model      string // empty: unknown
	At         time.Time
	Input      int64    // without what was read from or written to a cache
	CacheRead  int64    // input that a cache had
	CacheWrite int64    // input that was put into a cache
	Output     int64    // with Reasoning
	Reasoning  int64    // output that is not shown
	Total      int64    // of all, also if only that is known
	Cost       *float64 // in US dollars, as the agent states it; nil: it does not
}
