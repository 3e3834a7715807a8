package store

import (
	"math"
	"time"
)

// The earliest and latest time that Nanos can represent, in about 1677 and 2262.
var (
	earliest = time.Unix(0, math.MinInt64)
	latest   = time.Unix(0, math.MaxInt64)
)

// Nanos returns t in nanoseconds since 1970, as databases store it. The zero time is 0. A time
// outside the range becomes the nearest one inside.
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
