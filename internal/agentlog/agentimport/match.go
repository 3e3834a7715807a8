package agentimport

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// recording is a recorded session that may contain parts of a log.
type recording struct {
	info     *store.Info
	from, to time.Time           // period of the recording
	heard    map[string]*hearing // by agent, once it was read
	folders  []string
	ids      map[string]bool // texts that may be ids of conversations; nil until they are read
}

// slack is the maximum difference between the clocks of a log and a recording.
const slack = 2 * time.Second

func recordingOf(info *store.Info) *recording {
	to := time.Now()
	switch {
	case info.EndedAt != nil:
		to = *info.EndedAt
	case info.Status != store.Live:
		to = info.StartedAt.Add(info.Duration)
	}
	return &recording{info: info, from: info.StartedAt.Add(-slack), to: to.Add(slack), heard: map[string]*hearing{}}
}

// match finds the recorded sessions that contain turns of the conversation.
func (im *Importer) match(ctx context.Context, c *conversation) error {
	if len(c.turns) == 0 {
		return nil
	}
	for _, r := range im.recorded {
		if c.facts.Last.Before(r.from) || c.facts.First.After(r.to) || !r.info.Private && !r.has(c.log.Agent) {
			continue
		}
		if err := im.matchOne(ctx, c, r); err != nil {
			return err
		}
	}
	return nil
}

// matchOne marks the turns that a recorded session contains: those whose prompt it shows at the
// time of the turn, and whose reply. If the reply does not identify the turn, because there is none
// or it is too common, the session must show at least half of all prompts of its period. It must
// also have been in the same folder, or show the reply of another turn, or show the agent's id of
// the conversation.
func (im *Importer) matchOne(ctx context.Context, c *conversation, r *recording) error {
	within, flat := c.turnsOf(r)
	if len(within) == 0 {
		return nil
	}
	h, err := im.hear(ctx, r, c.log.Agent)
	if err != nil {
		return err
	}
	found, told, err := h.findAll(c, within, flat)
	if err != nil {
		return err
	}
	likely := told || r.in(c.facts.Cwd)
	if !likely {
		if likely, err = im.showsID(ctx, r, c.facts.ID); err != nil {
			return err
		}
	}
	same := likely && 2*len(found) >= len(within)
	if r.info.Private && likely { // the screen may show other words
		c.private = true
	}
	for _, i := range within {
		s, shown := found[i]
		if !shown && same { // the screen may show a prompt in another form
			if shown, err = h.answered(c, i); err != nil {
				return err
			}
		}
		if shown && (same || s.told) {
			c.turns[i].recorded = r.info.ID
		}
		if s.prompt != nil && (same || s.told) {
			s.prompt.taken = c.turns[i].sum
		}
	}
	return nil
}

// turnsOf returns the turns that may be in a recording. flat reports that all have the same time,
// because the log has only the time of its beginning.
func (c *conversation) turnsOf(r *recording) (within []int, flat bool) {
	flat = len(c.turns) > 1
	for i, t := range c.turns {
		flat = flat && t.at.Equal(c.turns[0].at)
		if t.recorded == "" && !t.at.Before(r.from) && !t.at.After(r.to) {
			within = append(within, i)
		}
	}
	return within, flat
}

func (r *recording) has(agent string) bool {
	for _, a := range r.info.Agents {
		if a.Name == agent {
			return true
		}
	}
	return false
}

// hear reads what was said to and by an agent in a recorded session.
func (im *Importer) hear(ctx context.Context, r *recording, agent string) (*hearing, error) {
	if h := r.heard[agent]; h != nil {
		return h, nil
	}
	said, err := im.Store.Said(ctx, r.info.ID, agent, 2*most)
	if err != nil {
		return nil, err
	}
	folders, err := im.Store.AgentFolders(ctx, r.info.ID, agent)
	if err != nil {
		return nil, err
	}
	h := newHearing(said, &im.looked)
	r.heard[agent], r.folders = h, append(r.folders, folders...)
	return h, nil
}

var idLike = lazy.Regexp(`[0-9A-Za-z]+(?:[-_][0-9A-Za-z]+)*`)

// mostIDs is the maximum number of ids to keep for a recording.
const mostIDs = 1 << 16

// showsID reports whether a session shows an agent's id of a conversation in its command, or in
// what the agent or the shell wrote outside the conversation. Inside it, anyone can print an id.
func (im *Importer) showsID(ctx context.Context, r *recording, id string) (bool, error) {
	if len(id) < 8 {
		return false, nil
	}
	if r.ids == nil {
		r.ids = map[string]bool{}
		take := func(text string) {
			for _, word := range idLike().FindAllString(text, -1) {
				if len(word) >= 8 && len(r.ids) < mostIDs && strings.ContainsAny(word, "0123456789") {
					r.ids[word] = true
				}
			}
		}
		take(strings.Join(r.info.Command, " "))
		for e, err := range im.Store.Each(ctx, r.info.ID) {
			if err != nil {
				return false, err
			}
			switch e.Role {
			case session.RoleUser, session.RoleAssistant, session.RoleTool, session.RoleThinking:
			default:
				take(e.Text + "\n" + e.Output + "\n" + fmt.Sprint(e.Data))
			}
		}
	}
	return r.ids[id], nil
}

// in reports whether the session may have been in a folder. Banners abbreviate names.
func (r *recording) in(cwd string) bool {
	if cwd == "" || r.info.Cwd == "" && len(r.folders) == 0 {
		return true
	}
	if own := r.info.Cwd; own != "" && (strings.HasPrefix(cwd+"/", strings.TrimRight(own, "/")+"/") ||
		strings.HasSuffix(cwd, own) || strings.HasSuffix(own, cwd)) {
		return true
	}
	for _, f := range r.folders {
		if end := strings.TrimLeft(f, "~….\\ "); end != "" && end != "/" && strings.HasSuffix(cwd, end) {
			return true
		}
		if f == "~" || f == "/" {
			return true
		}
	}
	return false
}
