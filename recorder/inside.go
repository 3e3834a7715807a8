package recorder

// maxAncestors bounds the search for a process's ancestors.
const maxAncestors = 1000

// Inside reports whether a process runs in the session: in the command's own terminal session, or started from there. Orphans are found
// through the leader, which adopts them (package leader). What cannot be known counts as inside: a process that is gone, one whose
// ancestors are hidden, and any where there is no leader.
func (c *Controls) Inside(pid int) bool {
	ch := c.r.child
	ch.mu.Lock()
	defer ch.mu.Unlock() // its process id cannot become another's meanwhile
	if ch.gone || ch.pid == ch.group {
		return true
	}
	for range maxAncestors {
		if pid <= 0 { // above process 1, or in a container above its first process
			_, _, led := ancestry(ch.pid)
			return !led // what the leader had adopted has other parents now
		}
		parent, sid, ok := ancestry(pid)
		if !ok || pid == ch.pid || sid == ch.pid {
			return true
		}
		pid = parent
	}
	return true
}
