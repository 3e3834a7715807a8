// Package retention deletes old sessions: those that limits choose, or once a day by a policy.
package retention

import (
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/store"
)

// Limits say which sessions may stay.
type Limits struct {
	Before time.Time // those that started before go; zero: none
	Keep   int       // the newest ones that may stay; negative: all
	Size   int64     // stored bytes that may stay; negative: any
	Tagged bool      // sessions with tags may go, too
}

// Choose returns those of infos, which has the newest first, to delete, the oldest first. Live
// sessions stay.
func (l Limits) Choose(infos []*store.Info) (victims []*store.Info) {
	var size int64
	for i, info := range infos {
		size += info.StoredBytes
		goes := info.StartedAt.Before(l.Before) || l.Keep >= 0 && i >= l.Keep || l.Size >= 0 && size > l.Size
		if goes && info.Status != store.Live && (l.Tagged || len(info.Tags) == 0) {
			victims = append(victims, info)
			size -= info.StoredBytes
		}
	}
	slices.Reverse(victims)
	return victims
}
