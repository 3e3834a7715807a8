package library_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func TestChoose(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var infos []*store.Info // a is the newest, of today; each takes 10 bytes
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		infos = append(infos, &store.Info{Session: session.Session{ID: id, StartedAt: now.AddDate(0, 0, -i)},
			Status: store.Ended, StoredBytes: 10})
	}
	infos[1].Status = store.Live
	infos[3].Tags = []string{"keep"}
	for _, tt := range []struct {
		limits library.RetentionLimits
		want   string // the ids to delete
	}{
		{library.RetentionLimits{Keep: -1, Size: -1}, ""},
		{library.RetentionLimits{Keep: -1, Size: -1, Before: now.AddDate(0, 0, -1)}, "ec"},
		{library.RetentionLimits{Keep: -1, Size: -1, Before: now.AddDate(0, 0, -1), Tagged: true}, "edc"},
		{library.RetentionLimits{Keep: 0, Size: -1, Tagged: true}, "edca"}, // the live one stays
		{library.RetentionLimits{Keep: 4, Size: -1}, "e"},
		{library.RetentionLimits{Keep: -1, Size: 30}, "e"}, // a, b and c take 30; d has a tag
		{library.RetentionLimits{Keep: -1, Size: 0}, "eca"},
	} {
		var got strings.Builder
		for _, info := range tt.limits.Choose(infos) {
			got.WriteString(info.ID)
		}
		if got.String() != tt.want {
			t.Errorf("%+v: %q, want %q", tt.limits, got.String(), tt.want)
		}
	}
}
