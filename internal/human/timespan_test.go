package human_test

import (
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/human"
)

func TestParseSpan(t *testing.T) {
	now := time.Date(2026, 11, 20, 15, 30, 0, 0, time.UTC) // a Friday
	const layout = "01-02 15:04"
	for text, want := range map[string][2]string{
		"2026-11-03":           {"11-03 00:00", "11-04 00:00"},
		"2026-11-03 14:05":     {"11-03 14:05", "11-03 14:06"},
		"2026-11-03T14:05:00Z": {"11-03 14:05", "11-03 14:05"},
		"today":                {"11-20 00:00", "11-21 00:00"},
		"yesterday":            {"11-19 00:00", "11-20 00:00"},
		"tue":                  {"11-17 00:00", "11-18 00:00"},
		"last Tuesday":         {"11-17 00:00", "11-18 00:00"},
		"friday":               {"11-20 00:00", "11-21 00:00"},
		"Fri":                  {"11-20 00:00", "11-21 00:00"},
		"last friday":          {"11-13 00:00", "11-14 00:00"},
		"saturday":             {"11-14 00:00", "11-15 00:00"},
		"2h":                   {"11-20 13:30", "11-20 13:30"},
		"3d":                   {"11-17 15:30", "11-17 15:30"},
		"2 weeks ago":          {"11-06 15:30", "11-06 15:30"},
		"1h30m":                {"11-20 14:00", "11-20 14:00"},
	} {
		got, err := human.ParseSpan(text, now)
		if err != nil || got.Start.Format(layout) != want[0] || got.End.Format(layout) != want[1] {
			t.Errorf("Parse(%q) = %s, %s, %v, want %s", text, got.Start.Format(layout), got.End.Format(layout), err, want)
		}
	}
	for _, text := range []string{"", "x", "tu", "d", "-3d", "3 lightyears", "2026-13-01"} {
		if got, err := human.ParseSpan(text, now); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90m": 90 * time.Minute, "36h": 36 * time.Hour, "30d": 720 * time.Hour, "2w": 336 * time.Hour,
		"3 months": 90 * 24 * time.Hour,
		"1y":       365 * 24 * time.Hour, "1h30m": 90 * time.Minute, " 0s ": 0,
	} {
		if got, err := human.ParseAge(text); err != nil || got != want {
			t.Errorf("ParseAge(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-3d", "-1h", "3 lightyears", "soon"} {
		if got, err := human.ParseAge(text); err == nil {
			t.Errorf("ParseAge(%q) = %v, want an error", text, got)
		}
	}
}
