//go:build !linux

package proc

// Mark does nothing: marks are not supported on this system.
func Mark() {}

// MarkedHere reports that this process has no mark.
func MarkedHere() bool { return false }

// Marked returns false, true.
func Marked(int) (marked, known bool) { return false, true }
