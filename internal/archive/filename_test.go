package archive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/session"
)

// TestFileNames: export --all named files by UUID.
func TestFileNames(t *testing.T) {
	titles := []string{"Fix the cache", "fix the CACHE", "Fix the cache", "../../etc/passwd", ".hidden",
		"a/b\\c:d*e?\"<>|\x00\x1b[31m\u202e", "缓存 为什么", "", "--rf", "v1.2.", "con", strings.Repeat("é",
			300), "Fix the cache_2"}
	var sessions []session.Session
	for i := range titles {
		sessions = append(sessions, session.Session{ID: fmt.Sprintf("019a9ec0-6400-8f7e-ab85-%012d", i),
			StartedAt: time.Date(2026, 11, 20, 23, 11, 5, 0, time.Local)})
	}
	got := archive.FileNames(sessions, titles)
	want := []string{"_Fix-the-cache_000000000000", "_fix-the-CACHE_000000000001", "_Fix-the-cache_000000000002",
		"_etc-passwd", "_hidden", "_a-b-c-d-e-31m", "_缓存-为什么", "",
		"_rf", "_v1.2", "_con", "_" + strings.Repeat("é", 29), "_Fix-the-cache_2"}
	for i := range want {
		want[i] = "2026-11-20_231105" + want[i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	alone := archive.FileNames(sessions[4:5], titles[4:5])
	if alone[0] != got[4] {
		t.Errorf("alone it is %s, with others %s", alone[0], got[4])
	}
}
