package journal_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/internal/testkit/usertest"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
)

// stored returns the output that the files in a folder hold, each event once.
func stored(t *testing.T, folder string) string {
	t.Helper()
	files, err := journal.List(folder)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	next := int64(0)
	for _, file := range files {
		f, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		r, err := journal.NewReader(f, file.Session)
		if err != nil {
			t.Fatal(err)
		}
		for {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || e.Number > next {
				t.Fatalf("event %d, want %d; %v", e.Number, next, err)
			}
			if e.Number == next {
				text = append(text, e.Data...)
				next++
			}
		}
		_ = f.Close()
	}
	return string(text)
}

func output(text string) session.Event {
	return session.Event{Kind: session.Output, Data: []byte(text)}
}

func settle(t *testing.T, w *journal.Writer) {
	t.Helper()
	if err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A backup with hard links, made while a session is recorded, does not hide the session.
func TestBackupWithHardLinks(t *testing.T) {
	folder, backup := filepath.Join(t.TempDir(), "j"), filepath.Join(t.TempDir(), "backup")
	w := create(t, folder)
	w.Put(output("before "))
	settle(t, w)
	files, _ := journal.List(folder)
	if err := os.Link(files[0].Path, backup); err != nil {
		t.Fatal(err)
	}
	w.Put(output("after"))
	settle(t, w)
	if got := stored(t, folder); got != "before after" || !files[0].IsWritten() {
		t.Errorf("read %q; it is being written: %v", got, files[0].IsWritten())
	}
	if lost, err := w.Close(); lost != 0 || err != nil {
		t.Errorf("lost %d, %v", lost, err)
	}
	f, err := files[0].Claim()
	if err != nil {
		t.Fatalf("it cannot be stored elsewhere: %v", err)
	}
	_ = f.Close()
}

// Somebody's file that has been linked into a folder of root's, or into another user's, is not
// read.
func TestLinkOfAnother(t *testing.T) {
	usertest.NeedRoot(t)
	for name, owners := range map[string][2]int{"another's file in root's folder": {1000, 0},
		"root's file in another's folder": {0, 1000}} {
		folder, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
		if err := os.WriteFile(other, written(t, someEvents()), 0o600); err != nil {
			t.Fatal(err)
		}
		file := journal.File{Path: filepath.Join(folder, "a-1.1.journal"), Session: "a-1", Number: 1}
		err := errors.Join(os.Chown(other, owners[0], 0), os.Chown(folder, owners[1], 0), os.Link(other, file.Path))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Open(); !errors.Is(err, journal.ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is removed while it is written is written again: nothing is lost.
func TestRemovedWhileWritten(t *testing.T) {
	for name, remove := range map[string]func(file string) error{
		"the file":         os.Remove,
		"the folder":       func(file string) error { return os.RemoveAll(filepath.Dir(file)) },
		"the folder above": func(file string) error { return os.RemoveAll(filepath.Dir(filepath.Dir(file))) },
		"the folder is moved": func(file string) error {
			return os.Rename(filepath.Dir(file),
				filepath.Dir(file)+"-old")
		},
		"the file, which a backup links": func(file string) error {
			return errors.Join(os.Link(file, file+"-backup"),
				os.Remove(file))
		},
		"a copy takes its place": func(file string) error {
			text, err := os.ReadFile(file)
			return errors.Join(err, os.Remove(file), os.WriteFile(file, text[:len(text)-3], 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "above", "j")
			w := create(t, folder)
			w.Put(output("before "))
			settle(t, w)
			files, _ := journal.List(folder)
			if err := remove(files[0].Path); err != nil {
				t.Fatal(err)
			}
			w.Put(output("after"))
			settle(t, w)
			lost, err := w.Close()
			if got := stored(t, folder); got != "before after" || lost != 0 || err == nil {
				t.Errorf("read %q, lost %d, %v", got, lost, err)
			}
		})
	}
}

// It is written again while the session goes on, not only at its end.
func TestWrittenAgainSoon(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "j")
	w := create(t, folder)
	w.Put(output("before "))
	settle(t, w)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	w.Put(output("after"))
	var files []journal.File
	var err error
	testkit.Eventually(t, "the journal is there again", func() bool {
		files, err = journal.List(folder)
		return len(files) > 0
	})
	if got := stored(t, folder); got != "before after" || err != nil || !files[0].IsWritten() {
		t.Errorf("read %q, %v; it is being written: %v", got, err, files[0].IsWritten())
	}
}

// Where it cannot be written again, all of it is lost, and its writer says so.
func TestRemovedForGood(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "j")
	w := create(t, folder)
	w.Put(output("hello"))
	settle(t, w)
	if err := errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if lost, err := w.Close(); lost != 5 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("lost %d, %v", lost, err)
	}
}

// People move the folder to another disk, and leave a link.
func TestFolderIsALink(t *testing.T) {
	folder, elsewhere := filepath.Join(t.TempDir(), "j"), t.TempDir()
	if err := os.Symlink(elsewhere, folder); err != nil {
		t.Fatal(err)
	}
	w := create(t, folder)
	w.Put(output("hello"))
	if lost, err := w.Close(); lost != 0 || err != nil || stored(t, elsewhere) != "hello" || stored(t, folder) != "hello" {
		t.Errorf("lost %d, %v", lost, err)
	}
	if err := os.RemoveAll(elsewhere); err != nil { // the disk is away
		t.Fatal(err)
	}
	if files, err := journal.List(folder); !errors.Is(err, session.ErrNowhere) {
		t.Errorf("files %v, %v", files, err)
	}
	if _, err := journal.Create(journal.Options{Folder: folder, Session: testSession}); !errors.Is(err,
		session.ErrNowhere) {
		t.Errorf("a journal where the link leads nowhere: %v", err)
	}
}

// A folder that another user owns is refused, by a link or not, and so is another's link.
func TestFolderOfAnother(t *testing.T) {
	mine, roots := usertest.Folder(t), filepath.Join(usertest.Folder(t), "roots")
	link, rootsLink := filepath.Join(mine, "link"), filepath.Join(mine, "roots-link")
	err := errors.Join(os.Mkdir(roots, 0o777), os.Chmod(roots, 0o777), os.Chown(roots, usertest.ID+1, 0),
		os.Symlink(roots, link), os.Lchown(link, usertest.ID, 0),
		os.Mkdir(filepath.Join(mine, "j"), 0o700), os.Chown(filepath.Join(mine, "j"), usertest.ID, 0),
		os.Symlink(filepath.Join(mine, "j"), rootsLink), os.Lchown(rootsLink, usertest.ID+1, 0))
	if err != nil {
		t.Fatal(err)
	}
	for folder, refused := range map[string]bool{roots: true, link: true, rootsLink: true,
		filepath.Join(mine, "j"): false} {
		var err error
		usertest.Run(t, func() { err = tryCreate(folder) })
		if errors.Is(err, journal.ErrForeign) != refused || err != nil && !refused {
			t.Errorf("%s: %v; refused: %v", folder, err, refused)
		}
	}
}

func tryCreate(folder string) error {
	w, err := journal.Create(journal.Options{Folder: folder, Session: testSession})
	if err == nil {
		_, err = w.Close()
	}
	return err
}

// A power loss does not take the name of a file whose content is durable.
func TestFolderIsSynced(t *testing.T) {
	var mu sync.Mutex
	var synced []string
	defer journal.OnSyncFolder(func(path string) {
		mu.Lock()
		defer mu.Unlock()
		synced = append(synced, path)
	})()
	folder := filepath.Join(t.TempDir(), "j")
	w := create(t, folder)
	w.Put(output("hello"))
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(synced, folder) || !slices.Contains(synced, filepath.Dir(folder)) {
		t.Errorf("synced %q", synced)
	}
}

// What killed writers leave before a file has its name is removed, or kept as a journal if it has
// events. What is being written stays.
func TestTidy(t *testing.T) {
	folder := t.TempDir()
	text := written(t, someEvents())
	head := text[:len(written(t, nil))]
	left := map[string][]byte{"a-1.1.journal.new": nil, "a-1.2.journal.new": head, "a-1.3.journal.new": text,
		"a-1.4.journal.new": text, "a-1.4.journal": text[:len(text)-1], "x.new": nil, ".reserve-123": head}
	for name, text := range left {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	journal.Tidy(folder)
	entries, err := os.ReadDir(folder)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{"a-1.3.journal", "a-1.4.journal", "a-1.5.journal", "x.new"}
	if !slices.Equal(names, want) || err != nil {
		t.Errorf("left are %q, want %q; %v", names, want, err)
	}
}
