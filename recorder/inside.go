package recorder

// maxAncestors bounds the search for a process's ancestors.
const maxAncestors = 1000

// Inside reports whether a process runs in the session: in the command's own terminal session, or
// started from it. Orphans are found through the leader, which adopts them (package leader).
// Whatever is unknown counts as inside: a process that is gone, one whose ancestors are hidden, and
// every process if there is no leader.
func (c *Controls) Inside(pid int) bool {
	ch := c.r.child
	ch.mu.Lock()
	defer ch.mu.Unlock() // the lock keeps the process id from being reused
	if ch.gone || ch.pid == ch.group {
		return true
	}
	for range maxAncestors {
		if pid <= 0 { // above process 1, or above the first process of a container
			_, _, led := ancestry(ch.pid)
			return !led // the orphans that the leader had adopted have another parent now
		}
		parent, sid, ok := ancestry(pid)
		if !ok || pid == ch.pid || sid == ch.pid {
			return true
		}
		pid = parent
	}
	return true
}
