package management

import "time"

// SetPings changes how often clients are asked for a sign of life, and how long they have for it.
// No client may be connected yet.
func (p *Protocol) SetPings(every, pong time.Duration) { p.pingEvery, p.pongTime = every, pong }

// Clients returns how many are connected.
func (p *Protocol) Clients() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// Keyframe makes a keyframe of a session, as happens every 30 s.
func (p *Protocol) Keyframe(id string) error {
	p.mu.Lock()
	h := p.hubs[id]
	p.mu.Unlock()
	return h.keyframe(false)
}
