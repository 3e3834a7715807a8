//go:build !linux

package proc

// EndDescendants does nothing: this system does not keep track of orphans.
func EndDescendants() {}

// Descendants returns none: this system does not keep track of orphans.
func Descendants() []int { return nil }

// Adopt does nothing: on this system all orphans become children of process 1.
func Adopt() {}
