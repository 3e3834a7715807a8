package human

import (
	"errors"
	"math"
	"strconv"
	"time"
)

// Moment is a flag value for a time in a recording: seconds from the start, or "end".
type Moment struct {
	Given   bool
	Seconds float64 // +Inf is the end
}

// Set implements pflag.Value.
func (m *Moment) Set(text string) error {
	if text == "end" {
		*m = Moment{true, math.Inf(1)}
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) {
		return errors.New("write seconds from the start, 0 or more, or end")
	}
	*m = Moment{true, n}
	return nil
}

func (m *Moment) String() string {
	switch {
	case !m.Given:
		return ""
	case math.IsInf(m.Seconds, 1):
		return "end"
	}
	return strconv.FormatFloat(m.Seconds, 'f', -1, 64)
}

// Type implements pflag.Value.
func (*Moment) Type() string { return "moment" }

// Duration returns the time from the start, or the maximum Duration for the end.
func (m *Moment) Duration() time.Duration {
	if m.Seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(math.Round(m.Seconds * float64(time.Second)))
}
