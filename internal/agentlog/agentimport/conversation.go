package agentimport

import (
	"cmp"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/agentlog"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// conversation is what was read from a log. Its entries are in a file to save memory.
type conversation struct {
	log        *agentlog.Log
	facts      agentlog.Facts
	spool      *library.Spool
	order      []place
	turns      []turn
	usage      map[string]session.Usage
	starts     map[int32]int32 // index in turns by seq
	latest     time.Time
	private    bool   // a private session may contain a part of it
	copiedFrom string // id of a session from another log that contains a part of it
}

// place is the place of an entry in the spool and in the conversation.
type place struct {
	at     int64 // nanoseconds since 1970; does not decrease in a file
	seq    int32
	turn   int32 // index from 0; -1 if not known yet
	spot   int32
	side   bool // whether it belongs to a subagent
	reply  bool
	copied bool   // another log's session contains it
	sum    uint64 // see agentlog.Sum
}

// turn is a prompt and what followed it.
type turn struct {
	at       time.Time
	seq      int32
	text     string // beginning of the prompt
	sum      uint64 // see agentlog.Sum
	first    int32  // index of its first entry
	recorded string // id of the recorded session that contains it, or empty
}

// most is how much of a message is compared, in bytes.
const most = 400

// start returns the part of a message that is compared.
func start(text string) string { return text[:min(len(text), most)] }

// add adds the next entry.
func (c *conversation) add(e *session.Entry) error {
	side := e.Data["subagent"] != nil
	if e.At.After(c.latest) {
		c.latest = e.At
	}
	sum := agentlog.Sum(e)
	c.order = append(c.order, place{
		at: nanos(e.At), seq: int32(e.Seq), spot: int32(len(c.order)), turn: -1, side: side,
		reply: e.Role == session.RoleAssistant && !side, sum: sum,
	})
	if e.Role == session.RoleUser && !side {
		t := turn{at: e.At, seq: int32(e.Seq), text: strings.Clone(start(e.Text)), sum: sum}
		if i, again := c.starts[t.seq]; again {
			c.turns[i] = t
		} else {
			c.starts[t.seq] = int32(len(c.turns))
			c.turns = append(c.turns, t)
		}
	}
	return c.spool.Add(e)
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// arrange sorts the entries. Those of subagents are placed among the others by time. A repeated
// entry takes the place of the original.
func (c *conversation) arrange() {
	c.times()
	slices.SortFunc(c.order, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq),
			cmp.Compare(a.spot, b.spot))
	})
	kept := c.order[:0]
	for _, p := range c.order {
		if n := len(kept); n > 0 && kept[n-1].seq == p.seq {
			kept = kept[:n-1]
		}
		kept = append(kept, p)
	}
	c.order = kept
	var last [2]int64
	for i := range c.order {
		p := &c.order[i]
		of := 0
		if p.side {
			of = 1
		}
		p.at = max(p.at, last[of])
		if !p.side { // entries of several subagents come one after the other in the order of seq
			last[of] = p.at
		}
	}
	slices.SortStableFunc(c.order, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	now := int32(0)
	for i := range c.order {
		if t, ok := c.starts[c.order[i].seq]; ok {
			now = t
			c.turns[t].first = int32(i)
		}
		c.order[i].turn = now
	}
}

// times sets missing times to that of the previous entry, or of the first one, or else to the
// modification time of the file.
func (c *conversation) times() {
	if c.facts.First.IsZero() {
		c.facts.First = time.Now().UTC()
		if info, err := os.Stat(c.log.Files[0]); err == nil {
			c.facts.First = info.ModTime().UTC()
		}
		c.facts.Last = c.facts.First
	}
	for i := range c.order {
		if c.order[i].at == 0 {
			c.order[i].at = c.facts.First.UnixNano()
		}
	}
	for i := range c.turns {
		if c.turns[i].at.IsZero() {
			c.turns[i].at = c.facts.First
		}
	}
	for key, u := range c.usage {
		if u.At.IsZero() {
			u.At = c.facts.First
			c.usage[key] = u
		}
	}
}

// replies returns the beginnings of the first and the last reply of a turn.
func (c *conversation) replies(t int) (texts []string, err error) {
	var spots []int32
	for _, p := range c.order[c.turns[t].first:] {
		if int(p.turn) != t {
			break
		}
		if p.reply {
			spots = append(spots[:min(len(spots), 1)], p.spot)
		}
	}
	for _, spot := range spots {
		some, err := c.spool.Entries(int(spot), int(spot)+1)
		if err != nil {
			return nil, err
		}
		texts = append(texts, start(some[0].Text))
	}
	return texts, nil
}

// recordedIn returns the id of the recorded session that contains an entry, or "".
func (c *conversation) recordedIn(p place) string {
	if int(p.turn) >= len(c.turns) {
		return ""
	}
	return c.turns[p.turn].recorded
}

// has reports whether no other session contains an entry.
func (c *conversation) has(p place) bool { return !p.copied && c.recordedIn(p) == "" }

// left returns the number of entries that no other session contains.
func (c *conversation) left() (n int) {
	for _, p := range c.order {
		if c.has(p) {
			n++
		}
	}
	return n
}

// recordedAs returns the id of the last recorded session that contains a part of the conversation.
func (c *conversation) recordedAs() (id string) {
	for _, t := range c.turns {
		id = cmp.Or(t.recorded, id)
	}
	return id
}

// elsewhere returns the id of a session that contains what this conversation's own session lacks.
func (c *conversation) elsewhere() string { return cmp.Or(c.recordedAs(), c.copiedFrom) }

// used returns the usage by recorded session; the rest has the key "".
func (c *conversation) used() map[string][]session.Usage {
	out := map[string][]session.Usage{}
	for _, u := range c.usage {
		i, _ := slices.BinarySearchFunc(c.turns, u.At, func(t turn, at time.Time) int { return t.at.Compare(at) })
		id := ""
		switch {
		case len(c.turns) == 0:
		case i < len(c.turns) && c.turns[i].at.Equal(u.At):
			id = c.turns[i].recorded
		default:
			id = c.turns[max(0, i-1)].recorded
		}
		out[id] = append(out[id], u)
	}
	if used, ok := out[""]; ok && c.left() == 0 { // it has no session of its own
		delete(out, "")
		out[c.elsewhere()] = append(out[c.elsewhere()], used...)
	}
	return out
}

// pause is the minimum gap between entries that counts as a pause.
const pause = 5 * time.Minute

// active returns the duration of the conversation without pauses.
func (c *conversation) active() (sum time.Duration) {
	last := int64(0)
	for _, p := range c.order {
		if c.recordedIn(p) != "" {
			continue
		}
		if gap := time.Duration(p.at - last); last > 0 && gap < pause {
			sum += gap
		}
		last = p.at
	}
	return sum
}

// session returns the session for what no recorded session contains. Its id is not set.
func (c *conversation) session() *session.Session {
	first, last := int64(0), int64(0)
	for _, p := range c.order {
		if c.recordedIn(p) != "" {
			continue
		}
		if first == 0 {
			first = p.at
		}
		last = max(last, p.at)
	}
	started, ended := time.Unix(0, first).UTC(), time.Unix(0, last).UTC()
	agent := session.Agent{Name: c.log.Agent, Version: c.facts.Version, Model: c.facts.Model}
	return &session.Session{
		Command: []string{c.log.Agent}, Cwd: c.facts.Cwd, Title: c.facts.Title,
		StartedAt: started, EndedAt: &ended, Agents: []session.Agent{agent}, Private: c.private,
		Source: &session.Source{Kind: session.SourceAgentLog, Agent: c.log.Agent, ID: nameOf(c).id, Path: c.log.Path},
	}
}

// title returns the session's title for lists.
func (c *conversation) title() string {
	info := &store.Info{Session: session.Session{Title: c.facts.Title, Command: []string{c.log.Agent}}}
	for _, t := range c.turns {
		if t.recorded == "" {
			info.Prompt = t.text
			break
		}
	}
	return listing.Title(info)
}

// entries returns the entries that no other session contains, numbered, after an event for the
// start of the conversation.
func (c *conversation) entries() iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		seq := 0
		for _, p := range c.order {
			if !c.has(p) {
				continue
			}
			at := time.Unix(0, p.at).UTC()
			if seq == 0 {
				if seq++; !yield(c.begin(at), nil) {
					return
				}
			}
			some, err := c.spool.Entries(int(p.spot), int(p.spot)+1)
			if err != nil {
				yield(nil, err)
				return
			}
			e := some[0]
			seq++
			if e.Seq = seq; e.At.IsZero() {
				e.At = at
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// begin returns the event for the start of the conversation.
func (c *conversation) begin(at time.Time) *session.Entry {
	data := map[string]any{}
	for key, value := range map[string]string{"version": c.facts.Version, "model": c.facts.Model, "cwd": c.facts.Cwd} {
		if value != "" {
			data[key] = value
		}
	}
	return &session.Entry{ID: "start", Seq: 1, Type: session.TypeEvent, Event: session.EventNewSession,
		Agent: c.log.Agent, Conversation: 1, At: at, Data: data}
}
