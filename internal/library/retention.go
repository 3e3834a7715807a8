package library

import (
	"slices"
	"time"

	"github.com/ptyrec/ptyrec/store"
)

// RetentionLimits are limits on the sessions to keep.
type RetentionLimits struct {
	Before time.Time // delete those that started before; zero: no limit
	Keep   int       // maximum number of the newest sessions to keep; negative: no limit
	Size   int64     // maximum stored size of the sessions to keep, in bytes; negative: no limit
	Tagged bool      // also delete sessions with tags
}

// Choose returns those of infos to delete, oldest first. infos must be sorted newest first. Live
// sessions are kept.
func (l RetentionLimits) Choose(infos []*store.Info) (victims []*store.Info) {
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
