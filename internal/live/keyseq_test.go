package live_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/live"
)

func TestParseKey(t *testing.T) {
	for _, tt := range []struct {
		params string
		final  byte
		want   *live.Key
	}{
		{"93;5", 'u', &live.Key{Codes: []int{93}, Mods: live.Ctrl}},
		{"93;5:1", 'u', &live.Key{Codes: []int{93}, Mods: live.Ctrl}},
		{"93;5:3", 'u', &live.Key{Codes: []int{93}, Mods: live.Ctrl, Released: true}},
		{"93;197;29", 'u', &live.Key{Codes: []int{93}, Mods: live.Ctrl}}, // with both locks
		{"1098::93;6", 'u', &live.Key{Codes: []int{1098, 93}, Mods: live.Ctrl | live.Shift}},
		{"27;7;93", '~', &live.Key{Codes: []int{93}, Mods: live.Ctrl | live.Alt}},
		{"93", 'u', nil}, {"93;", 'u', nil}, {";5", 'u', nil}, {"1;5", 'A', nil}, {"2;5", '~', nil}, {"", 'u', nil},
	} {
		got, ok := live.ParseKey(tt.params, tt.final)
		if ok != (tt.want != nil) || ok && !cmp.Equal(*tt.want, got) {
			t.Errorf("CSI %s %c: %+v, %v, want %+v", tt.params, tt.final, got, ok, tt.want)
		}
	}
}
