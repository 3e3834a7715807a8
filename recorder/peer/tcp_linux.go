package peer

import (
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// TCP returns where the process that holds the client's end of a TCP connection was started, as of
// says. A connection from another machine is from Outside. One from this machine is from Within
// unless a process holds it, or may hold it: a connection that no process holds may be in transit
// through a Unix socket (SCM_RIGHTS), or in an io_uring.
func TCP(client, server netip.AddrPort, of func(pid int) Place) Place {
	client, server = unmapped(client), unmapped(server)
	inode, uid, found := tcpSocket(client, server)
	switch {
	case !found && client.IsValid() && !isLocal(client.Addr()):
		return Outside
	case !found, inode == "0": // the process that held it has exited
		return Within
	}
	return placeOfSocket(inode, uid, of)
}

// placeOfSocket is TCP for a socket of this machine.
func placeOfSocket(inode string, uid int, of func(pid int) Place) Place {
	place, hidden := Outside, Outside // places of the known holders, and of processes that may hold it invisibly
	looked, outside, surely := map[int]bool{}, false, false
	for found := true; found; { // repeat while new processes appear: one may have passed the connection on
		found = false
		for _, pid := range processes() {
			if looked[pid] {
				continue
			}
			looked[pid], found = true, true
			at := of(pid)
			held, sure := holds(pid, inode, uid)
			switch {
			case at == Outside:
				outside, surely = outside || held, surely || sure
			case held:
				place = max(place, at)
			case hides(pid):
				hidden = max(hidden, at)
			}
		}
	}
	if !surely {
		place = max(place, hidden)
	}
	if place == Outside && !outside {
		return Within
	}
	return place
}

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// isLocal reports whether an address is, or may be, one of this machine's.
func isLocal(a netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	return err != nil || a.IsLoopback() || slices.ContainsFunc(addrs, func(own net.Addr) bool {
		prefix, err := netip.ParsePrefix(own.String())
		return err == nil && prefix.Addr() == a
	})
}

// processes returns the ids of all processes.
func processes() []int {
	var pids []int
	files, _ := os.ReadDir("/proc") // without /proc there is no process to examine
	for _, f := range files {
		if pid, err := strconv.Atoi(f.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// holds reports whether a process has a socket open, or may have it: its files are hidden, and it
// may have made the socket. sure reports whether it has.
func holds(pid int, inode string, uid int) (held, sure bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	for _, fds := range tables(dir) {
		files, err := os.ReadDir(fds)
		if errors.Is(err, fs.ErrPermission) {
			info, err := os.Stat(dir)
			if err != nil {
				return true, false
			}
			owner, ok := info.Sys().(*syscall.Stat_t)
			// root may hide its identity (prctl(2), PR_SET_DUMPABLE)
			return !ok || int(owner.Uid) == uid || owner.Uid == 0, false
		}
		for _, f := range files {
			if target, err := os.Readlink(filepath.Join(fds, f.Name())); err == nil && target == "socket:["+inode+"]" {
				return true, true
			}
		}
	}
	return false, false
}

// hides reports whether a process holds files that its tables do not show: on their way to one of
// its Unix sockets (scm_fds), or in an io_uring (UserFiles).
func hides(pid int) bool {
	for _, fds := range tables(filepath.Join("/proc", strconv.Itoa(pid))) {
		infos := filepath.Join(filepath.Dir(fds), "fdinfo")
		files, _ := os.ReadDir(infos) // holds has checked the permissions
		for _, f := range files {
			info, _ := os.ReadFile(filepath.Join(infos, f.Name()))
			for line := range strings.Lines(string(info)) {
				name, count, _ := strings.Cut(line, ":")
				if (name == "scm_fds" || name == "UserFiles") && strings.TrimSpace(count) != "0" {
					return true
				}
			}
		}
	}
	return false
}

// tables returns the folders of a process's open files. A thread may have its own table
// (unshare(2), CLONE_FILES).
func tables(dir string) []string {
	threads, _ := os.ReadDir(filepath.Join(dir, "task")) // a process that has exited holds nothing
	var found []string
	for _, t := range threads {
		found = append(found, filepath.Join(dir, "task", t.Name(), "fd"))
	}
	return found
}

// tcpSocket finds the socket at one end of a connection, and its owner.
func tcpSocket(local, remote netip.AddrPort) (inode string, uid int, found bool) {
	for _, path := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if inode, uid, found = findSocket(table, local, remote); found {
			return inode, uid, true
		}
	}
	return "", 0, false
}
