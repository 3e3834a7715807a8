package library

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"sync"

	"github.com/ptyrec/ptyrec/session"
)

// Spool is a list of entries in an unnamed file, which the system deletes when the process ends.
// Its methods may be called concurrently.
type Spool struct {
	file *os.File

	mu   sync.Mutex
	out  *bufio.Writer
	ends []int64 // end offset of each entry in the file, in bytes
}

// NewSpool returns an empty Spool. Its file is created in the first of the folders that can be
// written.
func NewSpool(folders ...string) (*Spool, error) {
	var errs error
	for _, folder := range folders {
		f, err := os.CreateTemp(folder, ".ptyrec-entries-*")
		if err == nil {
			err = os.Remove(f.Name())
		}
		if err == nil { // on a full disk the file can be created, but not written
			_, err = f.Write(make([]byte, 1<<12))
		}
		if err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
		if err == nil {
			return &Spool{file: f, out: bufio.NewWriter(f)}, nil
		}
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		errs = errors.Join(errs, err)
	}
	return nil, errs
}

// Close deletes the file. The Spool must not be used afterwards.
func (s *Spool) Close() error { return s.file.Close() }

// Add appends entries.
func (s *Spool) Add(entries ...*session.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		text, err := json.Marshal(e)
		if err == nil {
			_, err = s.out.Write(text)
		}
		if err != nil {
			return err
		}
		s.ends = append(s.ends, s.start(len(s.ends))+int64(len(text)))
	}
	return nil
}

// start returns the offset of the entry with an index. mu must be held.
func (s *Spool) start(index int) int64 {
	if index == 0 {
		return 0
	}
	return s.ends[index-1]
}

// Len returns the number of entries.
func (s *Spool) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ends)
}

// Entries returns the entries with the indices [from, to).
func (s *Spool) Entries(from, to int) ([]*session.Entry, error) {
	from = max(0, from)
	s.mu.Lock()
	to = min(to, len(s.ends))
	if from >= to {
		s.mu.Unlock()
		return nil, nil
	}
	err := s.out.Flush()
	begin, end := s.start(from), s.ends[to-1]
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	in := json.NewDecoder(io.NewSectionReader(s.file, begin, end-begin))
	entries := make([]*session.Entry, to-from)
	for i := range entries {
		entries[i] = new(session.Entry)
		if err := in.Decode(entries[i]); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// spoolPart is the number of entries that All reads at a time.
const spoolPart = 256

// All iterates over all entries in order. It ends after an error.
func (s *Spool) All() iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for from := 0; from < s.Len(); from += spoolPart {
			entries, err := s.Entries(from, from+spoolPart)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}
