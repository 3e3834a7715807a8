//go:build !linux && !darwin

package peer

// ancestry reports that the parent and the leader of a process are unknown on this system.
func ancestry(int) (parent, sid int, ok bool) { return 0, 0, false }

// isLeader returns false: no leaders are known on this system.
func isLeader(int) bool { return false }
