package store

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

// A raw log that the database does not take goes to a file in the folder that stands beside it, and from there into the database when that can be
// written again: by its own recorder, or by whoever opens the database next when the recorder is gone.
//
// Such a file begins with a line of JSON, leftHeader, and goes on with segments, each behind its length (32 bits, little endian).
// What breaks off in its last segment was not written to its end. Who writes it, or takes it in, has its first byte locked.
const (
	leftFolder = "-left"
	leftEnding = ".left"
	leftFormat = "ptyrec.left"
)

// folderTries is how often the folder is made anew: who has taken in the last file removes it.
const folderTries = 100

// takeInWait is how long Open waits for other programs to take in what was left.
const takeInWait = 100 * time.Millisecond

type leftHeader struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Session session.Session `json:"session"`
}

// leftFile is one that its recorder writes.
type leftFile struct {
	f *os.File
}

func createLeft(db string, sess session.Session) (*leftFile, error) {
	dir := db + leftFolder
	var f *os.File
	var err error
	for range folderTries {
		if err = createFolder(dir); err != nil {
			return nil, err
		}
		if f, err = createFile(filepath.Join(dir, sess.ID+leftEnding)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	l := &leftFile{f: f}
	_ = lockByte(f, 0) // without locks nobody takes it in while its recorder runs: the session is live
	head, err := json.Marshal(leftHeader{leftFormat, 1, sess})
	if err == nil {
		_, err = f.Write(append(head, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, l.remove())
	}
	return l, nil
}

// append makes segments durable in the file; with an error none of them is.
func (l *leftFile) append(segs []segment) error {
	end, err := l.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	for _, seg := range segs {
		if _, err = l.f.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(seg.data))), seg.data...)); err != nil {
			break
		}
	}
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		err = errors.Join(err, l.f.Truncate(end))
	}
	return err
}

func (l *leftFile) remove() error { return errors.Join(os.Remove(l.f.Name()), l.f.Close()) }

// readLeft reads a file from its beginning and gives fn its segments, some at a time.
func readLeft(f *os.File, begin func(session.Session) error, fn func([]segment) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 1<<16)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return errors.Join(errSegment, err)
	}
	var head leftHeader
	if err := json.Unmarshal(line, &head); err != nil || head.Format != leftFormat {
		return errors.Join(errSegment, err)
	}
	if head.Version > 1 {
		return fmt.Errorf("left format %d: %w", head.Version, session.ErrNewer)
	}
	if err := begin(head.Session); err != nil {
		return err
	}
	for {
		segs, err := nextLeft(r)
		if len(segs) == 0 || err != nil {
			return err
		}
		if err := fn(segs); err != nil {
			return err
		}
	}
}

// nextLeft reads about as many segments as a transaction takes; none at the end.
func nextLeft(r io.Reader) (segs []segment, err error) {
	for size := int64(0); size < batchSize; {
		data, ok := readSized(r)
		if !ok {
			break
		}
		seg, _, err := decodeSegment(data)
		if err != nil {
			return nil, err
		}
		seg.data = data
		segs = append(segs, seg)
		size += seg.endByte - seg.startByte
	}
	return segs, nil
}

// readSized reads what stands behind its length. What breaks off was not written to its end.
func readSized(r io.Reader) (data []byte, ok bool) {
	var length uint32
	if binary.Read(r, binary.LittleEndian, &length) != nil || length > maxSegment {
		return nil, false
	}
	data = make([]byte, length)
	_, err := io.ReadFull(r, data)
	return data, err == nil
}

// Left gives the names of the files in which recordings stand that the database did not take yet.
func (s *Store) Left() []string {
	names, _ := filepath.Glob(globQuote(s.path+leftFolder) + "/*" + leftEnding) // the pattern is a good one
	return names
}

// removeLeft deletes what stands of a session beside the database.
func (s *Store) removeLeft(id string) error {
	err := os.Remove(filepath.Join(s.path+leftFolder, id+leftEnding))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// globQuote writes a name so that Glob takes it for itself.
func globQuote(name string) string {
	var out []byte
	for i := range len(name) {
		if c := name[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, name[i])
	}
	return string(out)
}

// takeIn puts into the database what recorders left that are gone. What it does not take stays for the next time.
func (s *Store) takeIn(ctx context.Context) {
	for _, name := range s.Left() {
		_ = s.takeInFile(ctx, name)
	}
	_ = os.Remove(s.path + leftFolder) // if it is empty
}

func (s *Store) takeInFile(ctx context.Context, name string) (err error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if byteLocked(f, 0) || lockByte(f, 0) != nil {
		return nil // its recorder runs, or another takes it in
	}
	if now, err := os.Stat(name); err != nil || !sameFile(f, now) {
		return err // another has
	}
	l := &RawLog{store: s, wait: takeInWait}
	var last segment
	err = readLeft(f, func(sess session.Session) error {
		l.sess = &sess
		return l.find(ctx)
	}, func(segs []segment) error {
		last = segs[len(segs)-1]
		return l.deliver(ctx, segs)
	})
	if err != nil {
		return err
	}
	defer s.live.release(l.key)
	if err := s.finishLeft(ctx, l, last); err != nil {
		return err
	}
	return os.Remove(name)
}

// finishLeft states the session's end where its last segment has it.
func (s *Store) finishLeft(ctx context.Context, l *RawLog, last segment) error {
	if last.data == nil {
		return nil
	}
	_, events, err := decodeSegment(last.data)
	if err != nil || events[len(events)-1].Kind != session.Exit {
		return err
	}
	exit := events[len(events)-1]
	return s.updateDurably(ctx, "finish session", l.wait, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE sessions SET ended_at = ?, exit_code = ? WHERE pk = ? AND ended_at IS NULL",
			nanos(l.sess.StartedAt.Add(exit.At)), exit.Status, l.key)
		return err
	})
}

func sameFile(f *os.File, other fs.FileInfo) bool {
	info, err := f.Stat()
	return err == nil && os.SameFile(info, other)
}
