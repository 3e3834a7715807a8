package journal

import "os"

// Redirect makes w write to another file from now on. Nothing may have been put yet.
func Redirect(w *Writer, f *os.File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.file.Close()
	w.file = f
}
