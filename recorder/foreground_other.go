//go:build !linux

package recorder

// inspect cannot tell what processes do.
func inspect(_, _ int) (shell, reads bool) { return false, false }
