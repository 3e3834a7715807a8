package team

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"net/url"
	"strconv"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// EventsFrom returns the raw log of a session from a position on, as sqlite.Store.EventsFrom does.
func (r *Reader) EventsFrom(ctx context.Context, id string, from store.From) iter.Seq2[session.Event, error] {
	return store.EventsOf(ctx, id, from, r.nextSegment(id))
}

// OutputFrom returns the output of a session from a byte offset on, as sqlite.Store.OutputFrom
// does.
func (r *Reader) OutputFrom(ctx context.Context, id string, offset int64) iter.Seq2[store.Placed, error] {
	return store.OutputOf(ctx, id, offset, r.nextSegment(id))
}

// nextSegment returns a function that reads the segments of a raw log, several at a time.
func (r *Reader) nextSegment(id string) store.NextSegment {
	var ahead []store.Segment // read, but not returned yet
	return func(ctx context.Context, event int64, from store.From) (seg store.Segment, ok bool, err error) {
		for len(ahead) > 0 && ahead[0].EndEvent <= event {
			ahead = ahead[1:]
		}
		if len(ahead) == 0 {
			if ahead, err = r.segments(ctx, id, event, from); err != nil || len(ahead) == 0 {
				return seg, false, err
			}
		}
		return ahead[0], true, nil
	}
}

// segments requests some segments of a raw log.
func (r *Reader) segments(ctx context.Context, id string, event int64, from store.From) (list []store.Segment,
	err error) {
	q := url.Values{"event": {strconv.FormatInt(event, 10)}, "at": {strconv.FormatInt(int64(max(0, from.At)), 10)},
		"offset": {strconv.FormatInt(max(0, from.Offset), 10)}}
	body, err := r.get(ctx, "sessions/"+url.PathEscape(id)+"/segments", q)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	for len(body) > 0 {
		if len(body) < 4 {
			return nil, wrong("the raw log of session %s breaks off", id)
		}
		n := int64(binary.BigEndian.Uint32(body))
		if n > int64(len(body)-4) {
			return nil, wrong("the raw log of session %s breaks off", id)
		}
		seg, err := store.ParseSegment(body[4 : 4+n])
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", id, err)
		}
		if seg.EndEvent <= event {
			return nil, wrong("the raw log of session %s is not in order", id)
		}
		event, list, body = seg.EndEvent, append(list, seg), body[4+n:]
	}
	return list, nil
}
