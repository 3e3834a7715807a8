package archive

import (
	"context"
	"math"
	"slices"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Mask hides the secrets in a raw log as it was when it was searched. It may be used concurrently.
type Mask struct {
	patches map[int64][]redact.Patch // by number of the event
	end     int64                    // number of the first event that was not searched
}

func newMask() *Mask { return &Mask{patches: map[int64][]redact.Patch{}} }

// NewMask searches the raw log of a session for secrets and, if it finds any, a second time for
// parts of them.
func NewMask(ctx context.Context, s Log, info *store.Info, r Redaction) (*Mask, error) {
	if r.Redactor == nil {
		return &Mask{end: math.MaxInt64}, nil
	}
	w := newRewriting(r)
	if err := w.hide(ctx, s, info.ID); err != nil {
		return nil, err
	}
	return w.mask, nil
}

// Read returns the masked raw log of the session that was searched. The caller must call Stop.
func (m *Mask) Read(ctx context.Context, s Log, id string) *Masked {
	return &Masked{NewRawLog(ctx, s, id, 0), m}
}

// Size returns approximately how much memory m takes, in bytes.
func (m *Mask) Size() int {
	const event, patch = 64, 40 // without the data
	size := event
	for _, patches := range m.patches {
		size += event + patch*cap(patches)
		for _, p := range patches {
			size += cap(p.Data)
		}
	}
	return size
}

// hide hides the secrets in an event, and reports whether there are any. In an event that is
// shorter than the one that was searched, it hides everything.
func (m *Mask) hide(number int64, e *session.Event) bool {
	patches := m.patches[number]
	if len(patches) == 0 {
		return false
	}
	e.Data = slices.Clone(e.Data)
	for _, p := range patches {
		if p.Offset+len(p.Data) > len(e.Data) {
			clear(e.Data)
			return true
		}
		copy(e.Data[p.Offset:], p.Data)
	}
	return true
}
