package sys_test

import (
	"testing"

	"github.com/ptyrec/ptyrec/internal/sys"
)

func TestFolders(t *testing.T) {
	folders := map[string]struct {
		of     func() (string, error)
		inHome string
	}{
		"XDG_CONFIG_HOME": {sys.ConfigFolder, "/home/u/.config"},
		"XDG_DATA_HOME":   {sys.DataFolder, "/home/u/.local/share"},
		"XDG_STATE_HOME":  {sys.StateFolder, "/home/u/.local/state"},
	}
	for variable, f := range folders {
		for _, tt := range []struct{ home, value, want string }{
			{"/home/u", "", f.inHome},
			{"/home/u", "/elsewhere", "/elsewhere"},
			{"", "/elsewhere", "/elsewhere"},
			{"/home/u", "relative", f.inHome}, // the specification says so
			{"", "", ""},
			{"relative", "", ""},
		} {
			t.Setenv("HOME", tt.home)
			t.Setenv(variable, tt.value)
			if got, err := f.of(); got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("HOME=%s %s=%s: %q, %v, want %q", tt.home, variable, tt.value, got, err, tt.want)
			}
		}
	}
}
