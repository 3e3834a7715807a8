package agentimport

import (
	"context"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/agentlog"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/store"
)

// recording is a recorded session, which a log may be of.
type recording struct {
	info    *store.Info
	prompts map[string][]store.Prompt // by agents, once they were read
	folders []string
}

// Limits of how a log and a recording agree.
const (
	slack  = 2 * time.Second  // between the clocks
	near   = 2 * time.Minute  // between a prompt in the log and on the screen, which may wait
	nearer = 10 * time.Second // where the screen shows only that something was pasted
)

// match finds the recorded sessions that have turns of the conversation.
func (im *Importer) match(ctx context.Context, c *conversation) error {
	if len(c.turns) == 0 {
		return nil
	}
	for _, r := range im.recorded {
		if err := im.matchOne(ctx, c, r); err != nil {
			return err
		}
	}
	return nil
}

// matchOne marks the turns that one recorded session has. It has those of its time if it shows the
// agent's id of the conversation, or was in the same folder and shows at least half of the prompts
// at the same times.
func (im *Importer) matchOne(ctx context.Context, c *conversation, r *recording) error {
	from, to := r.span()
	if !r.info.Private && !r.has(c.log.Agent) || c.facts.Last.Before(from) || c.facts.First.After(to) {
		return nil
	}
	var within []int
	flat := len(c.turns) > 1 // all have one time: the log has only its beginning
	for i, t := range c.turns {
		flat = flat && t.at.Equal(c.turns[0].at)
		if t.recorded == "" && !t.at.Before(from) && !t.at.After(to) {
			within = append(within, i)
		}
	}
	if len(within) == 0 {
		return nil
	}
	same, err := im.Store.ShowsID(ctx, r.info.ID, c.facts.ID)
	same = same && len(c.facts.ID) >= 8
	if err == nil && !same {
		same, err = im.alike(ctx, c, r, within, flat)
	}
	if r.info.Private && (same || r.in(c.facts.Cwd)) { // the screen need not show the same words
		c.private = true
	}
	if err != nil || !same {
		return err
	}
	for _, i := range within {
		c.turns[i].recorded = r.info.ID
	}
	return nil
}

func (r *recording) has(agent string) bool {
	for _, a := range r.info.Agents {
		if a.Name == agent {
			return true
		}
	}
	return false
}

// span returns when the session was recorded.
func (r *recording) span() (from, to time.Time) {
	to = time.Now()
	switch {
	case r.info.EndedAt != nil:
		to = *r.info.EndedAt
	case r.info.Status != store.Live:
		to = r.info.StartedAt.Add(r.info.Duration)
	}
	return r.info.StartedAt.Add(-slack), to.Add(slack)
}

// alike reports whether the session shows at least half of some turns.
func (im *Importer) alike(ctx context.Context, c *conversation, r *recording, turns []int, flat bool) (bool, error) {
	agent := c.log.Agent
	if _, ok := r.prompts[agent]; !ok {
		prompts, err := im.Store.Prompts(ctx, r.info.ID, agent)
		if err != nil {
			return false, err
		}
		folders, err := im.Store.AgentFolders(ctx, r.info.ID, agent)
		if err != nil {
			return false, err
		}
		r.prompts[agent], r.folders = prompts, append(r.folders, folders...)
	}
	if !r.in(c.facts.Cwd) {
		return false, nil
	}
	found := 0
	for _, i := range turns {
		for _, p := range r.prompts[agent] {
			if shows(p, c.turns[i], flat) {
				found++
				break
			}
		}
	}
	return 2*found >= len(turns), nil
}

var pasted = lazy.Regexp(`\[(Pasted|Image)\b`)

// shows reports whether a prompt on the screen is that of a turn.
func shows(p store.Prompt, t turn, flat bool) bool {
	apart := p.At.Sub(t.at).Abs()
	if pasted().MatchString(p.Text) && apart <= nearer {
		return true
	}
	return (flat || apart <= near) && agentlog.Alike(p.Text[:min(len(p.Text), promptStart)], t.text)
}

// in reports whether the session may have been in a folder. Banners shorten names.
func (r *recording) in(cwd string) bool {
	if cwd == "" || r.info.Cwd == "" && len(r.folders) == 0 {
		return true
	}
	if own := r.info.Cwd; own != "" && (strings.HasPrefix(cwd+"/", strings.TrimRight(own, "/")+"/") || strings.HasSuffix(cwd, own) || strings.HasSuffix(own, cwd)) {
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
