package cli

import "testing"

func TestParseKey(t *testing.T) {
	for name, want := range map[string]byte{"ctrl+]": 0x1d, "^]": 0x1d, "Ctrl+Q": 0x11, "c-a": 1, `ctrl+\`: 0x1c} {
		if got, err := ParseKey(name); got != want || err != nil {
			t.Errorf("%s: %#x %v", name, got, err)
		}
	}
	for _, name := range []string{"", "q", "ctrl+", "ctrl+[", "ctrl+1", "alt+x", "F1"} {
		if _, err := ParseKey(name); err == nil {
			t.Errorf("%q is a key", name)
		}
	}
}
