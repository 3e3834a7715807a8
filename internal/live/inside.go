package live

import (
	"io"
	"net"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/recorder/peer"
)

// placeOf returns where the peer of a connection was started, and whether it is the process that
// started this session. An unknown or exited peer counts as within the session, because a process
// can open a connection, pass it on and exit. Connections other than Unix sockets come from this
// process, and count as outside.
func (h *Host) placeOf(conn io.ReadWriteCloser) (place peer.Place, starter bool) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return peer.Outside, false
	}
	pid, alive, close, err := peer.Unix(c)
	if err != nil {
		return peer.Within, false
	}
	defer close()
	place, starter = h.opt.Processes.Place(pid), h.opt.Starter.Is(pid)
	if !alive() {
		return peer.Within, false
	}
	return place, starter
}

// judge decides whether v acts for a person. Only someone who was started outside of all recorded
// sessions counts as a person: a program inside may be the agent, which must not grant itself
// anything. The program that started this session may type into it like a person, wherever it runs,
// for clients that are people.
func (v *viewer) judge() {
	client := peer.Outside
	if b := v.attach.Behalf; b != nil {
		client = v.host.opt.Processes.PlaceTCP(b.Client, b.Server)
	}
	if v.attach.Kind != protocol.Human || client != peer.Outside || v.place != peer.Outside && !v.starter {
		v.attach.Kind = protocol.Agent
	}
	v.place = max(v.place, client)
}
