package peer

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// scan is a snapshot of the connections and open sockets of all processes, which takes long. All
// calls during a scan share the next one.
type scan struct {
	run     func()
	tables  [][]byte         // contents of proc_net(5)
	holders map[string][]int // the processes that have a socket open, by its inode
}

// scans coordinates scans.
var scans struct {
	working sync.Mutex // held by the scan in progress

	mu   sync.Mutex // guards next
	next *scan      // scan that has not begun, or nil
}

// look returns a scan that began after the call.
func look() *scan {
	scans.mu.Lock()
	s := scans.next
	if s == nil {
		s = &scan{}
		s.run = sync.OnceFunc(s.read)
		scans.next = s
	}
	scans.mu.Unlock()
	s.run()
	return s
}

func (s *scan) read() {
	scans.working.Lock()
	defer scans.working.Unlock()
	scans.mu.Lock()
	scans.next = nil
	scans.mu.Unlock()
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, _ := os.ReadFile(file) // a missing table has no connections
		s.tables = append(s.tables, table)
	}
	s.holders = map[string][]int{}
	for _, name := range namesIn("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		folder := filepath.Join("/proc", name, "fd")
		for _, inode := range socketsIn(folder) {
			if !slices.Contains(s.holders[inode], pid) {
				s.holders[inode] = append(s.holders[inode], pid)
			}
		}
	}
}

// namesIn returns the names in a folder, or none if it is not visible.
func namesIn(folder string) []string {
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // use what can be read
	return names
}

// socketsIn returns the inodes of the sockets among the open files in a folder of proc_pid_fd(5).
func socketsIn(folder string) (inodes []string) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // use what can be read
	var to [64]byte
	for _, name := range names {
		n, err := unix.Readlinkat(int(dir.Fd()), name, to[:])
		if err != nil {
			continue
		}
		if inode, ok := bytes.CutPrefix(to[:n], []byte("socket:[")); ok {
			inodes = append(inodes, string(bytes.TrimSuffix(inode, []byte("]"))))
		}
	}
	return inodes
}
