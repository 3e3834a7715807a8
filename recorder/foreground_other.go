//go:build !linux

package recorder

// inspect returns false: this system does not show what processes do.
func inspect(_, _ int) (shell, reads bool) { return false, false }
