package peer

// maxAncestors bounds the search for a process's ancestors.
const maxAncestors = 1000

// Inside reports whether a process runs in the session of a leader: in its terminal session, or
// started from it. Orphans are found through the leader, which adopts them. Whatever is unknown
// counts as inside: a process that is gone, and one whose ancestors are hidden.
func Inside(pid, leader int) bool {
	for range maxAncestors {
		if pid <= 0 { // above process 1, or above the first process of a container
			_, _, led := ancestry(leader)
			return !led // the orphans that the leader had adopted have another parent now
		}
		parent, sid, ok := ancestry(pid)
		if !ok || pid == leader || sid == leader {
			return true
		}
		pid = parent
	}
	return true
}
