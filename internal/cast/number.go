package cast

import (
	"fmt"
	"strconv"
	"time"
)

const (
	// maxSeconds is longer than any recording (31 years) and fits well into a time.Duration.
	maxSeconds = 1e9
	maxTime    = maxSeconds * time.Second
	// maxTimestamp is the latest accepted start of a recording, in the year 2223. Its end still
	// fits into nanoseconds.
	maxTimestamp = 8e9
)

// decodeTime parses a number of seconds at the start of b exactly: 0.1 is 100 ms, not the nearest
// float, so that the sum of many v3 intervals does not drift. Negative times count as 0.
func decodeTime(b []byte) (at time.Duration, rest []byte, err error) {
	i, whole := 0, int64(0)
	for ; i < len(b) && i < 10 && isDigit(b[i]); i++ {
		whole = whole*10 + int64(b[i]-'0')
	}
	digits := i
	nanos, scale := int64(0), int64(time.Second)
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && isDigit(b[i]); i++ {
			digits++
			scale /= 10 // 0 after nine digits: the rest is less than a nanosecond
			nanos += int64(b[i]-'0') * scale
		}
	}
	if digits == 0 || whole > maxSeconds || i < len(b) && (isDigit(b[i]) || b[i]|0x20 == 'e') {
		return decodeFloat(b)
	}
	return time.Duration(whole)*time.Second + time.Duration(nanos), b[i:], nil
}

// decodeFloat parses numbers that are rare in recordings, such as -1e-06.
func decodeFloat(b []byte) (time.Duration, []byte, error) {
	i := 0
	for i < len(b) && (isDigit(b[i]) || b[i] == '-' || b[i] == '+' || b[i] == '.' || b[i]|0x20 == 'e') {
		i++
	}
	f, err := strconv.ParseFloat(string(b[:i]), 64)
	if err != nil || f > maxSeconds {
		return 0, nil, fmt.Errorf("%q is not a number of seconds", b[:i])
	}
	return time.Duration(max(f, 0) * float64(time.Second)), b[i:], nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
