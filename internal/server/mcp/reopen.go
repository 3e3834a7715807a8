package mcp

import (
	"context"
	"os"
	"sync"
)

// Reopen returns an Options.Open that opens the database once it exists, and again after its file
// was replaced. path returns its path. open opens it, and returns nil if it does not exist; it is
// not called concurrently.
func Reopen(path func() (string, error), open func(ctx context.Context) (*Archive,
	error)) func(ctx context.Context) (*Archive, error) {
	o := &reopener{path: path, archive: open}
	return o.open
}

type reopener struct {
	path    func() (string, error)
	archive func(ctx context.Context) (*Archive, error)

	mu   sync.Mutex // guards the fields below
	last *Archive
	file os.FileInfo // identity of the database's file; nil: last must not be used again
}

func (o *reopener) open(ctx context.Context) (*Archive, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	path, err := o.path()
	if err != nil {
		return nil, err
	}
	now, statErr := os.Stat(path)
	if o.file != nil && statErr == nil && os.SameFile(now, o.file) {
		return o.last, nil
	}
	a, err := o.archive(ctx)
	if a != nil && err == nil {
		o.last, o.file = a, now
	}
	return a, err
}
