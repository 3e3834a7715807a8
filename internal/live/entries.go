package live

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

const (
	maxEntry   = 640 << 10 // maximum size of an entry, in bytes
	entryBytes = 128 << 10 // approximate size of the entries in a frame, in bytes
	cutText    = 32 << 10  // size of each text of a shortened entry, in bytes
)

// cutMark is the end of a text that was cut.
const cutMark = "\n[… cut: too long to be shown live]"

// Update passes on changes of the entries, as they are stored. It does not keep the entries.
func (h *Host) Update(u protocol.Entries) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.follow(u.Entries)
	h.newest.update(u)
	h.session.Title, h.session.Agents = u.Title, slices.Clone(u.Agents)
	wanted := false
	for v := range h.viewers {
		wanted = wanted || v.attach.Entries != nil
	}
	if !wanted {
		return
	}
	for _, b := range entryFrames(u) {
		for v := range h.viewers {
			if v.attach.Entries != nil {
				v.post(b)
			}
		}
	}
}

// follow records the agent's state, and sends it to the viewers. The caller holds h.mu.
func (h *Host) follow(entries []*session.Entry) {
	for _, e := range entries {
		now, ok := protocol.StateOf(e)
		if !ok || e.Seq <= h.stateSeq {
			continue
		}
		h.stateSeq = e.Seq
		if now.State != h.agent.State || now.Agent != h.agent.Agent {
			h.agent = now
			h.post(protocol.TypeState, now)
		}
	}
}

// newest tracks the number of the newest entry. If entries are removed, those after them move up.
type newest struct {
	numbers map[string]int // numbers of the newest entries, by id
}

// keptNumbers is the minimum number of entries to keep in numbers.
const keptNumbers = 256

func (n *newest) number() int {
	last := 0
	for _, seq := range n.numbers {
		last = max(last, seq)
	}
	return last
}

func (n *newest) update(u protocol.Entries) {
	if n.numbers == nil {
		n.numbers = map[string]int{}
	}
	for _, id := range u.Gone {
		delete(n.numbers, id)
	}
	for _, e := range u.Entries {
		n.numbers[e.ID] = e.Seq
	}
	if len(n.numbers) > 2*keptNumbers {
		last := n.number()
		maps.DeleteFunc(n.numbers, func(_ string, seq int) bool { return seq <= last-keptNumbers })
	}
}

// entryFrames returns u as encoded frames.
func entryFrames(u protocol.Entries) [][]byte {
	var frames [][]byte
	size := 0
	part := protocol.Entries{Entries: []*session.Entry{}, Gone: u.Gone, Title: u.Title, Agents: u.Agents}
	flush := func() {
		if f, err := protocol.JSON(protocol.TypeEntries, part); err == nil {
			frames = append(frames, protocol.Append(nil, f))
		}
		part, size = protocol.Entries{Entries: []*session.Entry{}}, 0
	}
	for _, e := range u.Entries {
		n := entrySize(e)
		if n > maxEntry {
			e = shortened(e)
			n = entrySize(e)
		}
		if size > 0 && size+n > entryBytes {
			flush()
		}
		part.Entries, size = append(part.Entries, e), size+n
	}
	flush()
	return frames
}

func entrySize(e *session.Entry) int {
	b, err := json.Marshal(e)
	if err != nil {
		return 0
	}
	return len(b)
}

// shortened returns a copy of e with its texts cut. The log has the complete texts.
func shortened(e *session.Entry) *session.Entry {
	c := *e
	c.Text, c.Markdown, c.Output = cut(e.Text), cut(e.Markdown), cut(e.Output)
	if e.Tool != nil {
		t := *e.Tool
		t.Input, t.Output = cut(t.Input), cut(t.Output)
		c.Tool = &t
	}
	if e.Data != nil {
		c.Data = map[string]any{}
		for k, v := range e.Data {
			if s, ok := v.(string); ok {
				v = cut(s)
			}
			c.Data[k] = v
		}
	}
	return &c
}

// cut cuts a long text between two characters. In JSON a byte takes at most six.
func cut(s string) string {
	if len(s) <= cutText {
		return s
	}
	n := cutText
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + cutMark
}

// sendEntries sends a viewer the entries from before it attached.
func (v *viewer) sendEntries() error {
	h := v.host
	if v.attach.Entries == nil || h.opt.Entries == nil {
		return nil
	}
	entries, err := h.opt.Entries(v.ctx, *v.attach.Entries)
	if err != nil || len(entries) == 0 {
		return nil //nolint:nilerr // they are sent when they change
	}
	for _, b := range entryFrames(protocol.Entries{Entries: entries}) {
		if err := v.put([][]byte{b}); err != nil {
			return err
		}
	}
	return nil
}
