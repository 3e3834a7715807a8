package library

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/store"
)

// masks keeps the masks of the sessions that were read last, so that several requests for a session
// search it for secrets only once. Its methods may be called concurrently.
type masks struct {
	limit int // maximum memory of the masks, in bytes

	mu   sync.Mutex
	kept []*mask // the last one was used last
}

// masksSize is the limit of the masks of a Past.
const masksSize = 64 << 20

// mask is the mask of a version of a session.
type mask struct {
	version
	done chan struct{} // closed once the fields below are set
	mask *archive.Mask // nil if there was an error
	size int
	err  error
}

// version identifies a raw log, and what is searched for in it.
type version struct {
	id                        string
	bytes, packed, rewritings int64
	duration                  time.Duration
	redact                    archive.Redaction
}

func versionOf(info *store.Info, r archive.Redaction) version {
	return version{info.ID, info.RawBytes, info.StoredBytes, info.Revision, info.Duration, r}
}

// of returns the mask of a version. If there is none, it calls search, or waits for the request
// that has called it.
func (k *masks) of(ctx context.Context, v version, search func() (*archive.Mask, error)) (*archive.Mask, error) {
	for {
		m, found := k.take(v)
		if !found {
			defer k.trim()
			defer close(m.done)
			if m.mask, m.err = search(); m.mask != nil {
				m.size = m.mask.Size()
			}
			return m.mask, m.err
		}
		select {
		case <-m.done:
			if m.mask != nil {
				return m.mask, nil
			}
			k.trim()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take returns the mask of a version. If it is not found, the caller must complete it.
func (k *masks) take(v version) (m *mask, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.kept, func(m *mask) bool { return m.version == v })
	if found = i >= 0; found {
		m = k.kept[i]
		k.kept = slices.Delete(k.kept, i, i+1)
	} else {
		m = &mask{version: v, done: make(chan struct{})}
	}
	k.kept = append(k.kept, m)
	return m, found
}

// trim drops the searches that failed, old versions, and the masks used least recently that exceed
// the limit.
func (k *masks) trim() {
	k.mu.Lock()
	defer k.mu.Unlock()
	var kept []*mask
	size, newer := 0, map[string]bool{}
	for _, m := range slices.Backward(k.kept) {
		select {
		case <-m.done:
			if m.mask == nil || newer[m.id] || size+m.size > k.limit {
				continue
			}
			size += m.size
			newer[m.id] = true
		default: // it is being searched
		}
		kept = append(kept, m)
	}
	slices.Reverse(kept)
	k.kept = kept
}

// Masked returns the raw log of a session without secrets, see archive.NewMasked. The caller must
// call Stop.
func (l *Library) Masked(ctx context.Context, info *store.Info) (*archive.Masked, error) {
	if l.masks == nil {
		return archive.NewMasked(ctx, l.Store, info, l.Redact)
	}
	m, err := l.masks.of(ctx, versionOf(info, l.Redact), func() (*archive.Mask, error) {
		return archive.NewMask(ctx, l.Store, info, l.Redact)
	})
	if err != nil {
		return nil, err
	}
	return m.Read(ctx, l.Store, info.ID), nil
}
