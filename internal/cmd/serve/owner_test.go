package serve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/testkit/usertest"
)

// What root writes in a user's folder belongs to the user.
func TestFilesOfRootBelongToTheFoldersOwner(t *testing.T) {
	usertest.NeedRoot(t)
	home := t.TempDir()
	if err := os.Chown(home, usertest.ID, usertest.ID); err != nil {
		t.Fatal(err)
	}
	pid, state := filepath.Join(home, "run", "pid"), filepath.Join(home, "state", "s.json")
	remove, err := writePID(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if err := agentapi.WriteState(state, agentapi.State{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pid, filepath.Dir(pid), state, filepath.Dir(state)} {
		if info, err := os.Stat(path); err != nil || sys.Owner(info) != usertest.ID {
			t.Errorf("%s is not the user's: %v", path, err)
		}
	}
}
