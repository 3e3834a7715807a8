package team

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/store"
)

const (
	// checkBack is how far back sessions are compared with those on the server.
	checkBack = 30 * 24 * time.Hour
	// checkEvery is the interval between two comparisons.
	checkEvery = 24 * time.Hour
	// checkCount is the maximum number of sessions in one call.
	checkCount = 1000
)

// Check asks the server whether it still has the sessions that were sent within the last 30 days: a
// server that was restored from a backup, or replaced by a standby that lagged, has lost some.
// Those that differ are sent again. If due is set, it skips sessions that were compared within the
// last day. It returns the number of compared and of differing sessions.
func (s *Syncer) Check(ctx context.Context, due bool) (compared, differ int, err error) {
	pushes, err := s.Store.Pushes(ctx)
	if err != nil {
		return 0, 0, err
	}
	now := time.Now()
	ids := map[string]string{} // by id on the server
	for id, p := range pushes {
		complete := p.Server == s.Server.URL() && p.Seen != "" && p.Digest != "" && !p.Never && !p.Deleted
		if complete && now.Sub(p.Sent) < checkBack && !(due && now.Sub(p.Compared) < checkEvery) {
			remote := p.Remote
			if remote == "" {
				remote = id
			}
			ids[remote] = id
		}
	}
	remotes := make([]string, 0, len(ids))
	for remote := range ids {
		remotes = append(remotes, remote)
	}
	for part := range slices.Chunk(remotes, checkCount) {
		n, err := s.checkSome(ctx, part, ids, pushes)
		if err != nil {
			return compared, differ, err
		}
		compared, differ = compared+len(part), differ+n
	}
	return compared, differ, nil
}

// checkSome compares some sessions, and returns the number that differ.
func (s *Syncer) checkSome(ctx context.Context, remotes []string, ids map[string]string,
	pushes map[string]store.Push) (differ int, err error) {
	var o team.Check
	for _, remote := range remotes {
		p := pushes[ids[remote]]
		o.Sessions = append(o.Sessions, team.Copy{ID: remote, Events: p.Events, Digest: p.Digest})
	}
	body, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	var answer team.Checked
	if err := s.Server.call(ctx, http.MethodPost, "/api/push/check", jsonType, body, &answer); err != nil {
		return 0, err
	}
	for _, remote := range remotes {
		p := pushes[ids[remote]]
		p.Compared = time.Now()
		switch {
		case slices.Contains(answer.Differ, remote):
			p.Seen, p.Waits, differ = "", p.Compared, differ+1
		case slices.Contains(answer.Deleted, remote):
			p.Deleted = true
		}
		if err := s.Store.SavePush(ctx, ids[remote], p); err != nil {
			return differ, err
		}
	}
	return differ, nil
}
