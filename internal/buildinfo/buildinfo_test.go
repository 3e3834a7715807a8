package buildinfo

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestModuleVersion: a program built by go install called itself (devel).
func TestModuleVersion(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	commit := []debug.BuildSetting{setting("vcs.revision", strings.Repeat("0123456789", 4)),
		setting("vcs.modified", "true")}
	for want, info := range map[string]*debug.BuildInfo{
		"v1.2.3":                   {Main: debug.Module{Version: "v1.2.3"}, Settings: commit},
		"devel-012345678901-dirty": {Main: debug.Module{Version: "(devel)"}, Settings: commit},
		"devel-012345678901":       {Settings: commit[:1]},
		"devel":                    {Main: debug.Module{Version: "(devel)"}},
	} {
		if got := moduleVersion(info); got != want {
			t.Errorf("version %q, want %q", got, want)
		}
	}
	if got := moduleVersion(nil); got != "devel" {
		t.Errorf("without build information: %q", got)
	}
}

// What the linker was told comes before what Go noted.
func TestStamped(t *testing.T) {
	defer func(v, c, d string) { version, commit, commitDate = v, c, d }(version, commit, commitDate)
	version, commit, commitDate = "v1.2.3", "0123456789abcdef", "2026-01-02T03:04:05+02:00"
	if got, want := Line(), "ptyrec v1.2.3 (0123456789ab 2026-01-02) go"; !strings.HasPrefix(got, want) {
		t.Errorf("Line() = %q, want %q…", got, want)
	}
	if got, want := Date(), time.Date(2026, 1, 2, 1, 4, 5, 0, time.UTC); got != want {
		t.Errorf("Date() = %v, want %v", got, want)
	}
	commitDate = "yesterday"
	if got := Date(); got.Unix() != 0 {
		t.Errorf("Date() without a date = %v", got)
	}
}
