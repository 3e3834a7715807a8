package human

import (
	"strings"
	"testing"
	"time"
)

// TestProgress: the bar said "8030186 it/s" of bytes.
func TestProgress(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := newBar(&out, func() int { return 80 }, func() time.Time { return now }, "import", "", 0)
	p.Grow(1500 << 20)
	for range 3 {
		p.Add(250 << 20)
		now = now.Add(time.Second)
	}
	p.Add(0)
	p.Finish()
	for _, want := range []string{"import  33% (500 MiB of 1.5 GiB), 500 MiB/s",
		"import  50% (750 MiB of 1.5 GiB), 250 MiB/s, 3s left\x1b[K\r\x1b[K"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
	if strings.Contains(out.String(), "it/s") || strings.HasPrefix(out.String(), "\rimport  16%") {
		t.Errorf("shown too early, or in no unit: %q", out.String())
	}
}

func TestProgressCounts(t *testing.T) {
	tests := []struct {
		total int64
		done  int
		want  string
	}{
		{144, 72, "doctor  50% (72 of 144 sessions), 10s left"},
		{0, 72, "doctor 72 sessions"},
		{10, 72, "doctor 100% (10 of 10 sessions)"}, // more than was announced
	}
	for _, tt := range tests {
		now := time.Unix(0, 0)
		p := newBar(nil, nil, func() time.Time { return now }, "doctor", "sessions", tt.total)
		p.Add(tt.done)
		if got := p.line(now.Add(10 * time.Second)); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.done, tt.total, got, tt.want)
		}
	}
}

// A narrow terminal is not wrapped, short work shows nothing, and nothing is drawn without a
// terminal.
func TestProgressStaysOnItsLine(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := newBar(&out, func() int { return 30 }, func() time.Time { return now }, strings.Repeat("long ", 20), "", 10)
	p.Add(1)
	if out.Len() > 0 {
		t.Errorf("shown at once: %q", out.String())
	}
	now = now.Add(time.Minute)
	p.Add(1)
	if got := strings.TrimSuffix(strings.TrimPrefix(out.String(), "\r"), "\x1b[K"); len([]rune(got)) != 29 {
		t.Errorf("%d cells of 30: %q", len([]rune(got)), got)
	}
	none := NewBar(nil, nil, "x", "", 1)
	none.Add(1)
	none.Finish()
}
