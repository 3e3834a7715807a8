package session

import "time"

// Sources of usage figures.
const (
	UsageLog    = "log"    // the agent's own log, per request
	UsageScreen = "screen" // the screen: a lower bound
)

// Usage counts the tokens that a request or a conversation used.
type Usage struct {
	Key        string    `json:"key,omitempty"` // id of the request or the figure, unique per agent
	Source     string    `json:"source"`        // UsageLog or UsageScreen
	Agent      string    `json:"agent"`
	Model      string    `json:"model,omitempty"` // empty if unknown
	At         time.Time `json:"at"`
	Input      int64     `json:"input"`          // input that no cache was involved in
	CacheRead  int64     `json:"cache_read"`     // input read from a cache
	CacheWrite int64     `json:"cache_write"`    // input written to a cache
	Output     int64     `json:"output"`         // output, Reasoning included
	Reasoning  int64     `json:"reasoning"`      // output that was not shown
	Total      int64     `json:"total"`          // all tokens; may be known without the parts
	Cost       *float64  `json:"cost,omitempty"` // US dollars, as stated by the agent; nil if it did not
}
