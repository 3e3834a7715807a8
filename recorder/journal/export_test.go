package journal

import "os"

// Redirect makes w write to another file from now on. Nothing may have been put yet.
func Redirect(w *Writer, f *os.File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.file.Close()
	w.file = f
}

// SetPointStep changes how far the points of a TextIndex are apart, until it is undone.
func SetPointStep(bytes int64) (undo func()) {
	before := pointStep
	pointStep = bytes
	return func() { pointStep = before }
}

// OnSyncFolder calls f with each folder that is synced, until it is undone.
func OnSyncFolder(f func(path string)) (undo func()) {
	before := syncFolder
	syncFolder = func(path string) error {
		f(path)
		return before(path)
	}
	return func() { syncFolder = before }
}
