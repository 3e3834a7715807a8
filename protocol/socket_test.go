package protocol_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/protocol"
)

func TestSocketDir(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/7")
	if got := protocol.SocketDir(); got != "/run/user/7/ptyrec" {
		t.Errorf("got %s", got)
	}
	t.Setenv("XDG_RUNTIME_DIR", "relative")
	if got := protocol.SocketDir(); !filepath.IsAbs(got) || filepath.Base(got) == "ptyrec" {
		t.Errorf("got %s", got)
	}
}

func TestSocketIDs(t *testing.T) {
	dir, err := os.MkdirTemp("", "pr") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, id := range []string{"b", "a"} {
		l, err := net.Listen("unix", protocol.SocketPath(dir, id))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	if err := os.WriteFile(filepath.Join(dir, "c.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ids, err := protocol.SocketIDs(dir)
	if diff := cmp.Diff([]string{"a", "b"}, ids); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := protocol.SocketIDs(dir); err == nil {
		t.Error("a folder that others may enter was taken")
	}
}
