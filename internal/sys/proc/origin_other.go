//go:build !linux

package proc

// Mark does nothing: this system has no such mark.
func Mark() {}

// MarkedHere reports that this process has no mark.
func MarkedHere() bool { return false }

// Marked reports that a process has no mark.
func Marked(int) (marked, known bool) { return false, true }
