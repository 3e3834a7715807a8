package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// A segment is cut at whichever comes first; see RawLog.
const (
	segmentSize = 1 << 20     // bytes before compression
	segmentTime = time.Second // by the events' own time
)

// A flood is floodSize bytes that come in less than floodTime, by the events' own time. They are a segment that is compressed in a hurry: then the
// processor and the memory are wanted elsewhere.
const (
	floodSize = segmentSize / 4
	floodTime = segmentTime / 4
)

// batchSize is how much a transaction takes at least while more is coming, in bytes before compression.
const batchSize = segmentSize

// maxWaiting bounds what a RawLog keeps in memory while the database takes nothing, in stored bytes.
const maxWaiting = 16 << 20

// RawLog writes the events of one session as they come. Every second of them, or every MiB, becomes
// a segment in a transaction of its own that a power loss does not undo; once the small segments of a
// slow session have grown to a MiB they are replaced by a single one, which compresses better.
//
// What the database does not take, because another program has locked it, say, goes to a file beside it. An error that wraps session.ErrKept
// tells of that: the next who can writes it into the database, this RawLog or whoever opens the database when it is gone.
//
// The clock of a RawLog is the events' own: what stands in it when no event comes waits for Flush, which
// the recorder calls once a second of quiet. It may be used concurrently.
type RawLog struct {
	store *Store
	sess  *session.Session
	wait  time.Duration // how long a transaction waits for other programs

	mu      sync.Mutex
	key     int64     // of the session; 0: it is not in the database yet
	left    *leftFile // what the database did not take, which comes before waiting; nil: nothing
	tail    builder   // what is in no segment of full size yet
	cutAt   mark      // how much of it is in a smaller one
	over    bool      // the last event was the command's end
	waiting []segment // what the database has not taken yet; each replaces all behind its first event
	queued  int       // bytes before compression that wait since the last transaction
	reserve *os.File  // of the disk, for the session's end
	stored  int64     // bytes of output in the database or beside it
	reached int64     // up to which byte
}

// mark is a place in a builder.
type mark struct {
	events, bytes int
	output        int64
}

// RawLog continues the raw log of a session, which is empty at first.
func (s *Store) RawLog(ctx context.Context, id string) (*RawLog, error) {
	l := &RawLog{store: s, wait: s.wait, sess: &session.Session{ID: id}}
	err := l.find(ctx)
	if err == nil && l.key == 0 {
		err = s.failed("open raw log", fmt.Errorf("session %s: %w", id, session.ErrNotFound))
	}
	return l, err
}

// Record begins a session and its raw log. The first Flush or Write that succeeds adds it to the database; from then on it is live until
// FinishSession or Close, or the end of this process.
func (s *Store) Record(sess session.Session) *RawLog {
	return &RawLog{store: s, wait: s.wait, sess: &sess}
}

// find goes to the end of the session's raw log, if the session is there.
func (l *RawLog) find(ctx context.Context) error {
	return l.store.view(ctx, "open raw log", func(tx *sql.Tx) (err error) {
		l.key, err = sessionKey(ctx, tx, l.sess.ID)
		if errors.Is(err, session.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		var event, offset int64
		err = tx.QueryRowContext(ctx, "SELECT coalesce(max(end_event), 0), coalesce(max(end_byte), 0) FROM segments WHERE session_pk = ?",
			l.key).Scan(&event, &offset)
		l.tail.begin(event, offset)
		l.stored, l.reached = offset, offset
		return err
	})
}

// Write adds an event; it copies the data. An error says that segments could not be written: they are kept, and tried
// again with each following one. The event itself is never refused.
func (l *RawLog) Write(ctx context.Context, ev session.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if len(l.tail.events) > l.cutAt.events && ev.At-l.tail.events[l.cutAt.events].At >= segmentTime {
		err = l.cut(ctx, false)
	}
	l.over = ev.Kind == session.Exit
	if l.over && len(l.waiting) > 0 && !l.tail.empty() {
		l.end() // so that a full disk may take the exit alone
	}
	l.tail.add(ev)
	size := l.tail.size()
	if err != nil || size < floodSize || size < segmentSize && l.tail.span() >= floodTime {
		return err
	}
	l.queued += size
	l.end()
	if l.queued < batchSize {
		return nil
	}
	return l.put(ctx)
}

// Flush writes what is in no segment yet, and what could not be written before.
func (l *RawLog) Flush(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut(ctx, l.over)
}

// Close writes the rest. Further calls do nothing.
func (l *RawLog) Close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.cut(ctx, true)
	l.release()
	if noRoom(err) && len(l.waiting) > 0 {
		err = l.putEnd(ctx)
	}
	if l.left != nil {
		err = errors.Join(err, l.left.f.Close()) // and with it its lock: others may take it in
		l.left = nil
	}
	return err
}

// Lost returns how many bytes of output that were given to Write are not stored. It holds after Close.
func (l *RawLog) Lost() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tail.endByte() - l.stored
}

// reserveSize is what is kept of the disk for a session's end, in bytes: some pages of the write-ahead log.
const reserveSize = 64 << 10

// keepReserve takes room on the database's disk, in a file without a name.
func (l *RawLog) keepReserve() {
	f, err := os.CreateTemp(filepath.Dir(l.store.path), ".ptyrec-reserve-*")
	if err != nil {
		return
	}
	noise := make([]byte, reserveSize) // zeros take no room on some file systems
	_, _ = rand.Read(noise)
	_, err = f.Write(noise)
	if os.Remove(f.Name()) != nil || err != nil {
		_ = f.Close()
		return
	}
	l.reserve = f
}

// release gives the reserve back to the disk.
func (l *RawLog) release() {
	if l.reserve != nil {
		_ = l.reserve.Close()
		l.reserve = nil
	}
}

// putEnd writes the last segment, which holds how the command ended, where there is no room for those before it.
func (l *RawLog) putEnd(ctx context.Context) error {
	l.waiting = l.waiting[len(l.waiting)-1:]
	return l.put(ctx)
}

// cut makes a segment of what is in none yet, and writes what waits. A full tail, or the last one, becomes a single segment.
func (l *RawLog) cut(ctx context.Context, last bool) error {
	switch {
	case l.tail.empty():
	case last || l.tail.size() >= segmentSize:
		l.end()
	case len(l.tail.events) > l.cutAt.events:
		l.push(l.tail.after(l.cutAt.events, l.cutAt.bytes, l.cutAt.output).build(hurried)) // another will take its place
		l.cutAt = mark{len(l.tail.events), len(l.tail.body), l.tail.outBytes}
	}
	return l.put(ctx)
}

// end makes a segment of the tail.
func (l *RawLog) end() {
	encoder := dense
	if l.tail.span() < floodTime {
		encoder = hurried
	}
	l.push(l.tail.build(encoder))
	l.tail.begin(l.tail.endEvent(), l.tail.endByte())
	l.cutAt = mark{}
}

// put writes what waits: in one transaction, or one by one where a nearly full disk takes only some of it.
func (l *RawLog) put(ctx context.Context) error {
	l.queued = 0
	if len(l.waiting) == 0 && l.left == nil && l.key != 0 {
		return nil
	}
	err := l.putLeft(ctx)
	if err == nil && (len(l.waiting) > 0 || l.key == 0) {
		err = l.deliver(ctx, l.waiting)
	}
	if noRoom(err) {
		_ = l.store.shrink(ctx) // then the log may have room
		err = nil
		for len(l.waiting) > 0 && err == nil {
			if err = l.deliver(ctx, l.waiting[:1]); err == nil {
				l.waiting = l.waiting[1:]
			}
		}
	}
	if err == nil {
		l.waiting, l.wait = nil, l.store.wait
		return nil
	}
	return l.leave(err)
}

// deliver writes segments in one durable transaction.
func (l *RawLog) deliver(ctx context.Context, segs []segment) error {
	if err := l.store.here(); err != nil {
		return l.store.failed("write raw log", err)
	}
	key := l.key
	err := l.store.updateDurably(ctx, "write raw log", l.wait, func(tx *sql.Tx) (err error) {
		if key == 0 {
			if key, err = insertSession(ctx, tx, l.sess, nil); err != nil {
				return err
			}
			l.store.live.claim(key)
		}
		return putSegments(ctx, tx, key, segs)
	})
	if err == nil {
		if l.key == 0 {
			l.keepReserve()
		}
		l.key = key
		l.note(segs)
	} else if l.key == 0 && key != 0 {
		l.store.live.release(key) // the row's number goes to another session
	}
	return err
}

// note counts the output of segments that are stored.
func (l *RawLog) note(segs []segment) {
	for _, seg := range segs {
		if seg.endByte > l.reached {
			l.stored += seg.endByte - max(seg.startByte, l.reached)
			l.reached = seg.endByte
		}
	}
}

// putLeft brings back what was left beside the database.
func (l *RawLog) putLeft(ctx context.Context) error {
	if l.left == nil {
		return nil
	}
	err := readLeft(l.left.f, func(session.Session) error { return nil }, func(segs []segment) error { return l.deliver(ctx, segs) })
	if err != nil {
		return err
	}
	err = l.left.remove()
	l.left = nil
	return err
}

// leftWait is how long a transaction waits for other programs while there is something left: it waited before.
const leftWait = 50 * time.Millisecond

// leave puts what waits beside the database, which did not take it. Where that fails it waits on in memory. It stays away from where somebody
// removed the database.
func (l *RawLog) leave(err error) error {
	if errors.Is(err, session.ErrRemoved) || len(l.waiting) == 0 && l.left == nil && l.store.cause == nil {
		return err
	}
	var leaveErr error
	if l.left == nil {
		l.left, leaveErr = createLeft(l.store.path, *l.sess)
	}
	if leaveErr == nil {
		leaveErr = l.left.append(l.waiting)
	}
	if leaveErr != nil {
		return err
	}
	l.note(l.waiting)
	l.waiting, l.wait = nil, leftWait
	return fmt.Errorf("%w: %w", session.ErrKept, err)
}

// push queues a segment. It takes the place of the waiting ones that are part of it.
func (l *RawLog) push(seg segment) {
	for len(l.waiting) > 0 && l.waiting[len(l.waiting)-1].firstEvent >= seg.firstEvent {
		l.waiting = l.waiting[:len(l.waiting)-1]
	}
	l.waiting = append(l.waiting, seg)
	size := 0
	for _, w := range l.waiting {
		size += len(w.data)
	}
	for size > maxWaiting && len(l.waiting) > 1 {
		size -= len(l.waiting[0].data)
		l.waiting = l.waiting[1:]
	}
}

func putSegments(ctx context.Context, tx *sql.Tx, key int64, segs []segment) error {
	for _, seg := range segs {
		var old int64
		err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(length(data)), 0) FROM segments WHERE session_pk = ? AND end_event > ?",
			key, seg.firstEvent).Scan(&old)
		if err != nil {
			return err
		}
		if old > 0 {
			if _, err := tx.ExecContext(ctx, "DELETE FROM segments WHERE session_pk = ? AND end_event > ?", key, seg.firstEvent); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO segments (session_pk, first_event, end_event, start_at, end_at, start_byte,
			end_byte, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, key, seg.firstEvent, seg.endEvent, int64(seg.startAt), int64(seg.endAt),
			seg.startByte, seg.endByte, seg.data); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sessions SET raw_bytes = ?, raw_end = ?, stored_bytes = stored_bytes + ? WHERE pk = ?",
			seg.endByte, int64(seg.endAt), int64(len(seg.data))-old, key); err != nil {
			return err
		}
	}
	return nil
}
