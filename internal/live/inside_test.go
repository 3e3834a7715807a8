//go:build linux

package live_test

import (
	"net/netip"
	"testing"

	"github.com/ptyrec/ptyrec/internal/live"
	"github.com/ptyrec/ptyrec/protocol"
	origin "github.com/ptyrec/ptyrec/recorder/peer" // this package has a peer
)

// places are those of clients, by the ports of their connections to a server.
type places struct{}

func (places) Place(int) origin.Place { return origin.Outside }

func (places) PlaceTCP(client, _ netip.AddrPort) origin.Place { return origin.Place(client.Port()) }

// What was started in a recorded session, this one or another, gets no control and grants none. In
// a session that a person has granted it types, but what runs in the session itself answers none of
// the agent's questions.
func TestOnlyPeopleOutsideTakeControl(t *testing.T) {
	for _, c := range []struct {
		name                        string
		place                       origin.Place
		take, allow, types, answers string
	}{
		{"a person", origin.Outside, "done", "done", "done", "done"},
		{"in another session", origin.Another, "no_control", "not_allowed", "done", "done"},
		{"in the session", origin.Within, "no_control", "not_allowed", "done", "asking"},
	} {
		f := newFake(t, live.Options{Processes: places{}, Asks: asksFor})
		yes := true
		a := withAnswers(human(c.name, protocol.ModeNone), &yes)
		a.Behalf = &protocol.Link{Client: netip.AddrPortFrom(netip.IPv4Unspecified(), uint16(c.place))}
		p := f.attach(a)
		if got := p.ask(protocol.TypeRequest, request(protocol.Take)); got != c.take {
			t.Errorf("%s takes control: %s, want %s", c.name, got, c.take)
		}
		if got := p.ask(protocol.TypeRequest, request(protocol.Allow)); got != c.allow {
			t.Errorf("%s grants: %s, want %s", c.name, got, c.allow)
		}
		if got := f.attach(human("me", protocol.ModeNone)).ask(protocol.TypeRequest, request(protocol.Allow)); got != "done" {
			t.Errorf("%s: a person grants: %s", c.name, got)
		}
		f.output("prompt>")
		if got := p.types("x"); got != c.types {
			t.Errorf("%s types: %s, want %s", c.name, got, c.types)
		}
		f.output("\x1b[2J\x1b[Hask?")
		if got := p.types("1"); got != c.answers {
			t.Errorf("%s answers: %s, want %s", c.name, got, c.answers)
		}
	}
}
