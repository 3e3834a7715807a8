package store

import (
	"math"
	"time"
)

// Times outside of these, about 1677 to 2262, are stored as the nearest one.
var (
	earliest = time.Unix(0, math.MinInt64)
	latest   = time.Unix(0, math.MaxInt64)
)

// Nanos returns a time as databases have it: in nanoseconds since 1970 UTC; 0 is the zero time.
func Nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Before(earliest):
		return math.MinInt64
	case t.After(latest):
		return math.MaxInt64
	}
	return t.UnixNano()
}
