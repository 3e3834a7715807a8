package peer

import (
	"os"

	"github.com/ptyrec/ptyrec/internal/sys/proc"
)

// Place is where a process was started, as a recorded session sees it. A greater one may do less.
type Place int

// Places, in order: a greater one has fewer rights.
const (
	Outside Place = iota // in no recorded session: may be a person
	Another              // in another session, which may have ended
	Within               // in this session
)

// maxAncestors is the maximum number of a process's ancestors to search.
const maxAncestors = 1000

// Of returns where a process was started, as the session of a leader sees it; 0 is no session, for
// which no place is Within.
//
// A process was started in a session if it has the mark that leaders and hosts of commands give to
// all that they start (package origin), if one of its ancestors is a leader, or if its terminal
// session is the leader's. Whatever is unknown is Within: a process that is gone, and one whose
// ancestors are hidden.
func Of(pid, leader int) Place {
	marked, known := proc.Marked(pid)
	if !known {
		return Within
	}
	place := Outside
	if marked {
		place = Another
	}
	for range maxAncestors {
		if pid <= 0 { // above process 1, or above a container's first process
			if leader == 0 {
				return place
			}
			if _, _, led := ancestry(leader); led {
				return place
			}
			return Within // the orphans that the leader had adopted have another parent now
		}
		parent, sid, ok := ancestry(pid)
		if !ok || leader != 0 && (pid == leader || sid == leader) {
			return Within
		}
		if isLeader(pid) {
			place = Another
		}
		pid = parent
	}
	return Within
}

// Here returns where this process was started.
func Here() Place {
	if proc.MarkedHere() {
		return Another
	}
	return Of(os.Getpid(), 0)
}

// Session is a recorded session that runs around a process.
type Session struct {
	ID       string
	Recorder int // the process id of its recorder
}

// Process identifies a process that was running when it was opened.
type Process struct {
	pid   int
	alive func() bool
}

// Open returns a running process. It holds a reference until this process ends.
func Open(pid int) *Process { return &Process{pid, hold(pid)} }

// Is reports whether pid, the id of a running process, is this process. It returns false for a nil
// *Process.
func (p *Process) Is(pid int) bool { return p != nil && pid == p.pid && p.alive() }
