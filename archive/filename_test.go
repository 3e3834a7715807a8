package archive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/archive"
)

// TestFileNames: export --all named files by UUID (issue 12, 3.11).
func TestFileNames(t *testing.T) {
	titles := []string{"Fix the cache", "fix the CACHE", "Fix the cache", "../../etc/passwd", ".hidden", "a/b\\c:d*e?\"<>|\x00\x1b[31m\u202e", "缓存 为什么", "", "--rf", "v1.2.", "con", strings.Repeat("é", 300), "Fix the cache_2"}
	got := archive.FileNames(len(titles), func(i int) (time.Time, string) {
		return time.Date(2026, 11, 20, 23, 11, 5, 0, time.Local), titles[i]
	})
	want := []string{"_Fix-the-cache", "_fix-the-CACHE_2", "_Fix-the-cache_3", "_etc-passwd", "_hidden", "_a-b-c-d-e-31m", "_缓存-为什么", "", "_rf", "_v1.2", "_con",
		"_" + strings.Repeat("é", 59), "_Fix-the-cache_2_2"}
	for i := range want {
		want[i] = "2026-11-20_2311" + want[i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
