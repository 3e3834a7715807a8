package keyseq_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/live/keyseq"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		params string
		final  byte
		want   *keyseq.Key
	}{
		{"93;5", 'u', &keyseq.Key{Codes: []int{93}, Mods: keyseq.Ctrl}},
		{"93;5:1", 'u', &keyseq.Key{Codes: []int{93}, Mods: keyseq.Ctrl}},
		{"93;5:3", 'u', &keyseq.Key{Codes: []int{93}, Mods: keyseq.Ctrl, Released: true}},
		{"93;197;29", 'u', &keyseq.Key{Codes: []int{93}, Mods: keyseq.Ctrl}}, // with both locks
		{"1098::93;6", 'u', &keyseq.Key{Codes: []int{1098, 93}, Mods: keyseq.Ctrl | keyseq.Shift}},
		{"27;7;93", '~', &keyseq.Key{Codes: []int{93}, Mods: keyseq.Ctrl | keyseq.Alt}},
		{"93", 'u', nil}, {"93;", 'u', nil}, {";5", 'u', nil}, {"1;5", 'A', nil}, {"2;5", '~', nil}, {"", 'u', nil},
	} {
		got, ok := keyseq.Parse(tt.params, tt.final)
		if ok != (tt.want != nil) || ok && !cmp.Equal(*tt.want, got) {
			t.Errorf("CSI %s %c: %+v, %v, want %+v", tt.params, tt.final, got, ok, tt.want)
		}
	}
}
