package human_test

import (
	"math"
	"testing"

	"github.com/ptyrec/ptyrec/internal/human"
)

func TestFormatSize(t *testing.T) {
	for size, want := range map[int64]string{
		-1: "0 B", 0: "0 B", 9: "9 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 10188: "9.9 KiB", 10239: "10 KiB",
		82854982: "79 MiB", 1 << 20: "1.0 MiB", 1<<40 - 1: "1024 GiB", 1 << 40: "1.0 TiB", math.MaxInt64: "8.0 EiB",
	} {
		if got := human.FormatSize(size); got != want {
			t.Errorf("%d: got %q, want %q", size, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "42": 42, "42B": 42, "42 b": 42, "1k": 1000, "1 KB": 1000, "1ki": 1024, "1 KiB": 1024, "500MB": 500e6,
		"2GiB":    2 << 30,
		"1.5 gib": 3 << 29, "1,000 MB": 1e9, "1t": 1e12, "1PiB": 1 << 50, "1EB": 1e18, ".5 MB": 5e5,
	} {
		if got, err := human.ParseSize(text); got != want || err != nil {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "B", "MB", "x", "-1", "-1 MB", "1 XB", "1 MiBi", "1 iB", "1 KMB", "10 EiB", "1e3",
		"NaN", "1 2", "9,223,372,036,854,775,808"} {
		if got, err := human.ParseSize(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}
