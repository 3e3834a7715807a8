package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnnouncement(t *testing.T) {
	local := address{Listen: defaultListen}
	for _, c := range []struct {
		name     string
		say      announcement
		out      string
		want     []string
		unwanted string
	}{
		{"plain", announcement{Address: local, URL: "http://h/", Token: "T"}, "http://h/#token=T\n",
			[]string{"contains your token", "Ctrl+C"}, "arning"},
		{"token file", announcement{Address: local, URL: "http://h/", Token: "T", TokenFile: "F"}, "http://h/\n",
			[]string{"the token, which is in F"}, "contains"},
		{"network", announcement{Address: address{Listen: ":1"}, URL: "http://h/", Token: "T"}, "http://h/#token=T\n",
			[]string{"warning: without --cert"}, "WARNING"},
		{"commands", announcement{Address: local, URL: "http://h/", Token: "T", AllowRun: true, NoToken: true,
			OpenReading: true}, "http://h/#token=T\n",
			[]string{"WARNING: --unsafe-no-token", "read all sessions"}, "everyone who has the token"},
		{"MCP", announcement{Address: local, URL: "http://h/", Token: "T", MCPPath: "/mcp"}, "http://h/#token=T\n",
			[]string{"to http://h/mcp,"}, "arning"},
	} {
		var notices []string
		c.say.Notice = func(format string, args ...any) { notices = append(notices, fmt.Sprintf(format, args...)) }
		var out strings.Builder
		if err := c.say.Write(&out); err != nil || out.String() != c.out {
			t.Errorf("%s: %q, %v, want %q", c.name, out.String(), err, c.out)
		}
		all := strings.Join(notices, "\n")
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q in %q", c.name, want, all)
			}
		}
		if strings.Contains(all, c.unwanted) {
			t.Errorf("%s: %q in %q", c.name, c.unwanted, all)
		}
	}
	// A QR code is drawn where a phone can reach the server and the terminal has room.
	var out strings.Builder
	n := announcement{Address: address{Listen: ":1"}, URL: "http://192.0.2.1:1/", Token: "T", Width: 200,
		Notice: func(string, ...any) {}}
	if err := n.Write(&out); err != nil || strings.Count(out.String(), "\n") < 10 {
		t.Errorf("no QR code: %q, %v", out.String(), err)
	}
}

func TestLoadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	first, err := loadToken(path, false)
	if err != nil || first == "" {
		t.Fatal(first, err)
	}
	if again, err := loadToken(path, false); err != nil || again != first {
		t.Errorf("the token changed: %q, %v", again, err)
	}
	if renewed, err := loadToken(path, true); err != nil || renewed == first {
		t.Errorf("the token was not renewed: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := loadToken(path, false); err == nil {
		t.Error("a token that others can read was accepted")
	}
}
