package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/usertest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// recorded makes the journal of a session for the database at path, which is not made.
func recorded(t *testing.T, path string) (id string) {
	t.Helper()
	sess := session.Session{ID: store.NewID(), Command: []string{"x"}, Cols: 80, Rows: 24}
	w, err := sqlite.Record(path, sess, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Put(session.Event{Kind: session.Output, Data: []byte("hello")})
	w.Put(session.Event{Kind: session.Exit})
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return sess.ID
}

// What root records in a user's folder, the user can read.
func TestUserReadsWhatRootRecorded(t *testing.T) {
	path := filepath.Join(usertest.Folder(t), "share", "db")
	id := recorded(t, path)
	usertest.Run(t, func() {
		s, err := sqlite.Beside(path, session.ErrBusy)
		if err != nil {
			t.Error(err)
			return
		}
		text := ""
		for e, err := range s.Events(t.Context(), id) {
			if err != nil {
				t.Error(err)
			}
			text += string(e.Data)
		}
		if there, err := sqlite.Exists(path); !there || err != nil || s.Unreadable() != nil || text != "hello" {
			t.Errorf("there: %v, %v; %v; read %q", there, err, s.Unreadable(), text)
		}
	})
}

// What a user may not read is not taken for lost, or for not there.
func TestUnreadableIsNotMissing(t *testing.T) {
	for name, take := range map[string]func(path string, id string) error{
		"the journal": func(path, id string) error {
			return os.Chown(filepath.Join(sqlite.JournalFolder(path), id+".1.journal"), 0, 0)
		},
		"the journals": func(path, _ string) error { return os.Chown(sqlite.JournalFolder(path), 0, 0) },
		"the folder":   func(path, _ string) error { return os.Chown(filepath.Dir(path), 0, 0) },
	} {
		path := filepath.Join(usertest.Folder(t), "share", "db")
		id := recorded(t, path)
		if err := take(path, id); err != nil {
			t.Fatal(err)
		}
		usertest.Run(t, func() {
			if there, err := sqlite.Exists(path); !there && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s is root's: there: %v, %v", name, there, err)
			}
			s, err := sqlite.Beside(path, session.ErrBusy)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Unreadable(); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s is root's: %v", name, err)
			}
			if name != "the journal" {
				return
			}
			for _, err := range s.Events(t.Context(), id) {
				if !errors.Is(err, fs.ErrPermission) {
					t.Errorf("reading it: %v", err)
				}
			}
		})
	}
}
