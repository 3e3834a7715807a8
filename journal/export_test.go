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
