//go:build !linux

package proc

// EndDescendants does nothing: this system does not track orphans.
func EndDescendants() {}

// Descendants returns nil: this system does not track orphans.
func Descendants() []int { return nil }

// Adopt does nothing: on this system all orphans become children of process 1.
func Adopt() {}
