package recorder

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
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

// InsideTCP reports whether a process that runs in the session holds the client's end of a TCP connection, or may do so. From another
// machine nobody does; from this one, a connection that is not found counts as theirs.
func (c *Controls) InsideTCP(client, server netip.AddrPort) bool {
	client, server = unmapped(client), unmapped(server)
	inode, uid, found := tcpSocket(client, server)
	if !found {
		return !client.IsValid() || isLocal(client.Addr())
	}
	if inode == "0" {
		return true // whoever had it is gone
	}
	for looked := map[int]bool{}; ; { // until no process is new: one may hand the connection on while we look
		var pids []int
		for _, pid := range processes() {
			if !looked[pid] && c.Inside(pid) {
				pids = append(pids, pid)
			}
		}
		if len(pids) == 0 {
			return false
		}
		for _, pid := range pids {
			if looked[pid] = true; holds(pid, inode, uid) {
				return true
			}
		}
	}
}

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// isLocal reports whether an address is one of this machine's, or may be.
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
	files, _ := os.ReadDir("/proc") // without it, nobody is inside that we could look at
	for _, f := range files {
		if pid, err := strconv.Atoi(f.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// holds reports whether a process has a socket open, or may have it: its files are hidden, and it may have made the socket.
func holds(pid int, inode string, uid int) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	files, err := os.ReadDir(filepath.Join(dir, "fd"))
	if errors.Is(err, fs.ErrPermission) {
		info, err := os.Stat(dir)
		if err != nil {
			return true
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		return !ok || int(owner.Uid) == uid || owner.Uid == 0 // root's also where it hides what it is (prctl(2), PR_SET_DUMPABLE)
	}
	for _, f := range files {
		if target, err := os.Readlink(filepath.Join(dir, "fd", f.Name())); err == nil && target == "socket:["+inode+"]" {
			return true
		}
	}
	return false
}

// tcpSocket finds the socket at one end of a connection, and who made it (proc(5), /proc/net/tcp).
func tcpSocket(local, remote netip.AddrPort) (inode string, uid int, found bool) {
	for _, path := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan() && !found; {
			fields := strings.Fields(lines.Text())
			if len(fields) > 9 && tcpAddress(fields[1]) == local && tcpAddress(fields[2]) == remote {
				uid, _ = strconv.Atoi(fields[7]) // it is a number
				inode, found = fields[9], true
			}
		}
		_ = f.Close()
		if found {
			break
		}
	}
	return inode, uid, found
}

// tcpAddress reads an address as /proc/net/tcp has it: words in the byte order of the machine, a colon, the port.
func tcpAddress(text string) netip.AddrPort {
	host, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(host)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(b)%4 != 0 {
		return netip.AddrPort{}
	}
	for i := 0; i < len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	addr, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n))
}
