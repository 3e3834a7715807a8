//go:build !linux

package leader

// EndDescendants does nothing: this system does not keep track of orphans.
func EndDescendants() {}

// Descendants returns none: this system does not keep track of orphans.
func Descendants() []int { return nil }

// AdoptOrphans does nothing: on this system all orphans become children of process 1.
func AdoptOrphans() {}
