package human

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is the period that a word such as yesterday means: from Start, inclusive, to End, exclusive.
// They are equal for a point in time.
type Span struct {
	Start, End time.Time
	Weekday    bool // the word was a weekday, which is ambiguous
}

// TimeHelp says what Parse takes.
const TimeHelp = `try 2026-11-20, "2026-11-20 14:00", today, yesterday, tuesday, 12h, 3d or 2w`

// layouts are the formats of a time, each with the length of its period.
var layouts = []struct {
	layout string
	days   int
	length time.Duration
}{
	{time.RFC3339Nano, 0, 0},
	{"2006-01-02T15:04:05", 0, time.Second},
	{"2006-01-02 15:04:05", 0, time.Second},
	{"2006-01-02T15:04", 0, time.Minute},
	{"2006-01-02 15:04", 0, time.Minute},
	{"2006-01-02", 1, 0},
}

// ParseSpan reads a date, a moment, today, yesterday, a weekday, or a time ago (2h, 3d,
// "2 weeks ago"), in now's time zone. A weekday is the last one, and today's own is today, as git
// reads it; "last friday" on a Friday was a week ago.
func ParseSpan(text string, now time.Time) (Span, error) {
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l.layout, text, now.Location()); err == nil {
			return Span{Start: t, End: t.AddDate(0, 0, l.days).Add(l.length)}, nil
		}
	}
	word, last := strings.CutPrefix(strings.ToLower(text), "last ")
	word = strings.TrimSpace(word)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	day := func(ago int) Span { return Span{Start: today.AddDate(0, 0, -ago), End: today.AddDate(0, 0, 1-ago)} }
	switch word {
	case "now":
		return Span{Start: now, End: now}, nil
	case "today":
		return day(0), nil
	case "yesterday":
		return day(1), nil
	}
	for ago := range 8 {
		name := strings.ToLower(today.AddDate(0, 0, -ago).Weekday().String())
		if len(word) >= 3 && strings.HasPrefix(name, word) && (ago > 0 || !last) {
			s := day(ago)
			s.Weekday = true
			return s, nil
		}
	}
	if d, err := ParseAge(strings.TrimSuffix(word, " ago")); err == nil {
		return Span{Start: now.Add(-d), End: now.Add(-d)}, nil
	}
	return Span{}, fmt.Errorf("unknown time %q", text)
}

const day = 24 * time.Hour

// ageUnits are those that ParseAge knows besides Go's own.
var ageUnits = map[string]time.Duration{
	"s": time.Second, "m": time.Minute, "min": time.Minute, "h": time.Hour, "d": day, "w": 7 * day, "y": 365 * day,
	"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": day, "week": 7 * day, "month": 30 * day,
	"year": 365 * day,
}

// ParseAge parses a duration: 90m, 36h, 30d, 2w, "3 months", or one in Go's format (1h30m).
func ParseAge(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
	unit := strings.TrimSpace(text[len(number):])
	d, ok := ageUnits[unit]
	if !ok {
		d, ok = ageUnits[strings.TrimSuffix(unit, "s")]
	}
	if n, err := strconv.ParseFloat(number, 64); err == nil && ok && n >= 0 {
		return time.Duration(n * float64(d)), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	return 0, fmt.Errorf("unknown length of time %q", text)
}
