package sqlite_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// writeLeft writes the file that a recorder before journals left beside a locked database.
func writeLeft(t testing.TB, path, id string, segments ...[]byte) {
	t.Helper()
	if err := os.MkdirAll(path+"-left", 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"format": "ptyrec.left", "version": 1,
		"session": session.Session{ID: id, Command: []string{"x"}, StartedAt: start, Cols: 80, Rows: 24}})
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	for _, data := range segments {
		text = append(binary.LittleEndian.AppendUint32(text, uint32(len(data))), data...)
	}
	text = append(text, 9, 0, 0, 0, 'x') // torn off
	if err := os.WriteFile(filepath.Join(path+"-left", id+".left"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a recorder before journals left beside a locked database is still imported; a part replaces
// what it holds.
func TestSidecar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b [1].db")
	one, two, three := output(0, "one "), output(time.Second, "two "), output(2*time.Second, "three")
	exit := session.Event{At: 3 * time.Second, Kind: session.Exit, Status: 7}
	want := []session.Event{one, two, three, exit}
	small, all := sqlite.EncodeSegment(1, 4, want[1:2]), sqlite.EncodeSegment(1, 4, want[1:])
	writeLeft(t, path, "a", sqlite.EncodeSegment(0, 0, want[:1]), small, all)
	s := open(t, path)
	wantEvents(t, s, "a", want)
	if info := find(t, s, "a"); info.Status != store.Ended || info.ExitCode == nil || *info.ExitCode != 7 ||
		!info.EndedAt.Equal(start.Add(exit.At)) {
		t.Errorf("the session is %s, %v, %v", info.Status, info.ExitCode, info.EndedAt)
	}
	if _, err := os.Stat(path + "-left"); err == nil {
		t.Error("the folder is still there")
	}
}
