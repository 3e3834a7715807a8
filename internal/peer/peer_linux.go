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

	"github.com/ptyrec/ptyrec/recorder/leader"
)

// Sessions returns the ids of the recorded sessions that the client of a connection runs inside:
// those whose leader is one of its ancestors. It does not use the client's environment, which the
// client controls. known is false if the client is a process of this user on this machine whose
// sessions cannot be determined.
func Sessions(client, server netip.AddrPort) (ids []string, known bool) {
	now := look()
	inode, uid, found := now.socket(client, server)
	if !found {
		return nil, !client.Addr().Unmap().IsLoopback() && client.Addr().Unmap() != server.Addr().Unmap() // if local, it has exited already
	}
	holders := now.holders[inode]
	if len(holders) == 0 {
		return nil, uid != os.Getuid() // another user's process, whose files we cannot see
	}
	for _, pid := range holders {
		above, ok := sessionsOf(pid)
		if !ok {
			return nil, false
		}
		ids = append(ids, above...)
	}
	return ids, true
}

// Around returns the ids of the recorded sessions that this process runs inside. known is false if
// they cannot be determined.
func Around() (ids []string, known bool) { return sessionsOf(os.Getpid()) }

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
func sessionsOf(pid int) (ids []string, ok bool) {
	for pid > 1 {
		dir := fmt.Sprintf("/proc/%d/", pid)
		command, commandErr := os.ReadFile(dir + "cmdline")
		stat, statErr := os.ReadFile(dir + "stat")
		if commandErr != nil || statErr != nil {
			return nil, false
		}
		if name, _, _ := bytes.Cut(command, []byte{0}); string(name) == leader.Name || string(name) == leader.OwnedName {
			id, ok := sessionOf(dir)
			if !ok {
				return nil, false
			}
			ids = append(ids, id)
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // proc(5): the name in parentheses may contain anything
		if len(fields) < 2 {
			return nil, false
		}
		var err error
		if pid, err = strconv.Atoi(string(fields[1])); err != nil {
			return nil, false
		}
	}
	return ids, true
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
