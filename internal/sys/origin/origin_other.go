//go:build !linux

package origin

// Mark does nothing: this system has no such mark.
func Mark() {}

// Here reports that this process has no mark.
func Here() bool { return false }

// Marked reports that a process has no mark.
func Marked(int) (marked, known bool) { return false, true }
