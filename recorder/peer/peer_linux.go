package peer

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Inside reports whether the client of a TCP connection was or may have been started in a recorded
// session, as decided by Of. It is for many clients at a time: TCP is more thorough, and takes
// longer.
func Inside(client, server netip.AddrPort) bool {
	now := look()
	inode, uid, found := now.socket(client, server)
	if !found { // if it is local, it has already exited
		return client.Addr().Unmap().IsLoopback() || client.Addr().Unmap() == server.Addr().Unmap()
	}
	holders := now.holders[inode]
	if len(holders) == 0 {
		return uid == os.Getuid() // otherwise it is another user's process, whose files are not visible
	}
	return slices.ContainsFunc(holders, func(pid int) bool { return Of(pid, 0) != Outside })
}

// Own reports whether a process of this user holds the client's end of a TCP connection.
func Own(client, server netip.AddrPort) bool {
	_, uid, found := tcpSocket(unmapped(client), unmapped(server))
	return found && uid == os.Getuid()
}

// Around returns the recorded sessions that run around this process, the innermost first. known is
// false if they cannot be determined.
func Around() (sessions []Session, known bool) { return sessionsOf(os.Getpid()) }

// socket finds the client's end of a connection in the tables.
func (s *scan) socket(client, server netip.AddrPort) (inode string, uid int, found bool) {
	for _, table := range s.tables {
		if inode, uid, found = findSocket(table, client, server); found {
			return inode, uid, inode != "0"
		}
	}
	return "", 0, false
}

// findSocket finds the socket at one end of a connection, and its owner, in a table of
// proc_net(5). The inode of a socket that no process holds is 0.
func findSocket(table []byte, local, remote netip.AddrPort) (inode string, uid int, found bool) {
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) < 10 || !same(f[1], local) || !same(f[2], remote) {
			continue
		}
		uid, err := strconv.Atoi(f[7])
		return f[9], uid, err == nil
	}
	return "", 0, false
}

// same reports whether an entry of a table, its words in the machine's byte order and a port, is
// this address.
func same(text string, want netip.AddrPort) bool {
	host, port, _ := strings.Cut(text, ":")
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil || uint16(n) != want.Port() {
		return false
	}
	words, err := hex.DecodeString(host)
	if err != nil || len(words)%4 != 0 {
		return false
	}
	for i := 0; i < len(words); i += 4 {
		slices.Reverse(words[i : i+4]) // all machines that ptyrec runs on are little-endian
	}
	addr, ok := netip.AddrFromSlice(words)
	return ok && addr.Unmap() == want.Addr().Unmap().WithZone("")
}

// sessionsOf returns the sessions of the leaders among a process's ancestors. ok is false if one of
// the ancestors is not visible.
func sessionsOf(pid int) (sessions []Session, ok bool) {
	for pid > 1 {
		parent, _, ok := ancestry(pid)
		if !ok {
			return nil, false
		}
		if isLeader(pid) {
			id, ok := sessionOf(fmt.Sprintf("/proc/%d/", pid))
			if !ok {
				return nil, false
			}
			sessions = append(sessions, Session{ID: id, Recorder: parent})
		}
		pid = parent
	}
	return sessions, true
}

// sessionOf returns the session of a leader, as its recorder set it.
func sessionOf(dir string) (id string, ok bool) {
	environ, err := os.ReadFile(dir + "environ")
	if err != nil {
		return "", false
	}
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if id, ok := bytes.CutPrefix(variable, []byte("PTYREC_SESSION=")); ok {
			return string(id), true
		}
	}
	return "", false
}
