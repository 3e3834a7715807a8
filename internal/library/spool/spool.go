// Package spool keeps the entries of a long session in a temporary file while it is read, so that
// they need not be in memory all at once.
package spool

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

// Spool is a list of entries in a file without a name, which disappears with the process. Its
// methods may be called concurrently.
type Spool struct {
	file *os.File

	mu   sync.Mutex
	out  *bufio.Writer
	ends []int64 // of the entries, in bytes of the file
}

// New returns an empty Spool. Its file is made in one of the folders, the first that can be
// written.
func New(folders ...string) (*Spool, error) {
	var errs error
	for _, folder := range folders {
		f, err := os.CreateTemp(folder, ".ptyrec-entries-*")
		if err == nil {
			err = os.Remove(f.Name())
		}
		if err == nil { // a full disk has room for a file, but not for what is in it
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

// Close frees the file. The spool must not be used any more.
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

// start returns where the entry with an index begins. mu must be held.
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

// Entries returns those of the first entries whose index is from or greater and less than to.
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

// part is how many entries All reads at a time.
const part = 256

// All returns all entries in order. After an error there are no more.
func (s *Spool) All() iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for from := 0; from < s.Len(); from += part {
			entries, err := s.Entries(from, from+part)
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
