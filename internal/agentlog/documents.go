package agentlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

// longest is the maximum length of a document, in bytes. Agents log files and pictures; longer
// documents are skipped to save memory.
const longest = 16 << 20

// documents reads the JSON documents of a log in order: the lines of a .jsonl, or the members of a
// .json and the elements of its lists.
type documents struct {
	in   *bufio.Reader
	seen func(n int) error
	buf  []byte
	long int // number of documents that were too long
}

// readDocuments calls fn with each document of a file, until fn returns false. It calls seen with
// the number of bytes read; an error from it ends the reading. long is the number of documents that
// were too long. The document is valid only during the call. A file that is a link or not regular
// is not read.
func readDocuments(path string, seen func(n int) error, fn func(doc []byte) bool) (long int, err error) {
	f, err := openRegular(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in := io.Reader(f)
	if filepath.Ext(path) == ".zst" {
		z, err := newExpander(f)
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		defer z.Close()
		in = z
	}
	d := &documents{in: bufio.NewReaderSize(in, 64<<10), seen: seen}
	if filepath.Ext(strings.TrimSuffix(path, ".zst")) == ".json" {
		err = d.members(fn)
	} else {
		err = d.lines(fn)
	}
	return d.long, err
}

// Limits for a compressed log. Logs are usually compressed to a tenth; zstd reaches 1/20,000.
const (
	bombSize  = 128 << 20 // bytes; up to this size, any ratio is accepted
	bombRatio = 1000
	maxWindow = 128 << 20 // bytes; that of zstd --long
)

// expander reads data that was compressed by zstd.
type expander struct {
	*zstd.Decoder
	packed *counter
	n      int64 // bytes read
}

func newExpander(r io.Reader) (*expander, error) {
	packed := &counter{r: r}
	z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &expander{Decoder: z, packed: packed}, nil
}

// Read fails if a small file expands too much.
func (e *expander) Read(p []byte) (int, error) {
	if e.n > bombSize && e.n/bombRatio > e.packed.n {
		return 0, fmt.Errorf("%d KiB expand to %d MiB or more: it is left out from there; decompress it yourself if you "+
			"trust it", e.packed.n>>10, e.n>>20)
	}
	n, err := e.Decoder.Read(p)
	e.n += int64(n)
	return n, err
}

// counter counts the bytes that are read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

var errNotRegular = errors.New("it is not a regular file")

// openRegular opens a regular file. It does not wait for a pipe, and does not follow a link.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// lines calls fn with each line that is not empty. It removes runs of NULs, which a crash may
// leave.
func (d *documents) lines(fn func([]byte) bool) error {
	for {
		d.buf = d.buf[:0]
		tooLong, err := false, bufio.ErrBufferFull
		for errors.Is(err, bufio.ErrBufferFull) {
			var part []byte
			part, err = d.in.ReadSlice('\n')
			if err := d.seen(len(part)); err != nil {
				return err
			}
			if tooLong = tooLong || len(d.buf)+len(part) > longest; !tooLong {
				d.buf = append(d.buf, part...)
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		line := bytes.Trim(d.buf, "\x00\ufeff \t\r\n")
		switch {
		case tooLong:
			d.long++
		case len(line) > 0 && !fn(line):
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if cap(d.buf) > 1<<20 {
			d.buf = nil // most lines are shorter
		}
	}
}

// members calls fn with each member of a JSON document, as an object of its own, and with each
// element of its lists. A truncated document is read to its end.
func (d *documents) members(fn func([]byte) bool) error {
	s := splitter{}
	for {
		c, err := d.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if s.read++; s.read%(64<<10) == 0 {
			if err := d.seen(64 << 10); err != nil {
				return err
			}
		}
		doc, tooLong := s.next(c)
		if tooLong {
			d.long++
		}
		if doc != nil && !fn(doc) {
			return nil
		}
	}
}

// splitter finds the members of a document, and the elements of its lists, byte by byte. A member
// that is a list is split into its elements. Any other member becomes an object with one member.
type splitter struct {
	read   int
	stack  []byte // open brackets
	quoted bool
	escape bool
	list   bool   // the current member or the document is a list
	key    []byte // of the current member, with its colon
	value  []byte
	long   bool
}

// next reads a byte. It returns a document when it is complete.
func (s *splitter) next(c byte) (doc []byte, tooLong bool) {
	depth := len(s.stack)
	inner := 1
	if s.list {
		inner = len(s.listAt())
	}
	switch {
	case s.inText(c):
	case c == '{' || c == '[':
		if s.open(c, depth) {
			return nil, false
		}
	case c == '}' || c == ']':
		if depth == 0 {
			return nil, false
		}
		s.stack = s.stack[:depth-1]
		if depth <= inner { // the end of the list or of the document
			doc, tooLong = s.take()
			if s.list && depth > 1 {
				s.list = false
			}
			s.key, s.value = nil, nil
			return doc, tooLong
		}
	case c == ',' && depth == inner:
		doc, tooLong = s.take()
		if !s.list {
			s.key = nil
		}
		return doc, tooLong
	case c == ':' && depth == 1 && !s.list:
		s.key, s.value = append(append([]byte{}, bytes.TrimSpace(s.value)...), ':'), nil
		return nil, false
	}
	if depth > 0 {
		s.keep(c)
	}
	return nil, false
}

// keep adds a byte to the current document, unless the document is too long.
func (s *splitter) keep(c byte) {
	if s.long = s.long || len(s.value) >= longest; !s.long {
		s.value = append(s.value, c)
	}
}

// inText reads a byte of a string, including its quotes, and reports whether c belongs to one.
func (s *splitter) inText(c byte) bool {
	switch {
	case !s.quoted:
		s.quoted = c == '"'
		return s.quoted
	case s.escape:
		s.escape = false
	case c == '\\':
		s.escape = true
	case c == '"':
		s.quoted = false
	}
	return true
}

// open reads an opening bracket, and reports whether a document or the list of documents begins
// with it.
func (s *splitter) open(c byte, depth int) bool {
	s.stack = append(s.stack, c)
	switch {
	case depth == 0:
		s.list = c == '['
		return true
	case depth == 1 && c == '[' && !s.list:
		s.list, s.value, s.long = true, nil, false
		return true
	}
	return false
}

// listAt returns the open brackets around an element of the current list.
func (s *splitter) listAt() []byte {
	if len(s.stack) > 0 && s.stack[0] == '[' {
		return s.stack[:1]
	}
	return s.stack[:min(2, len(s.stack))]
}

// take returns the completed document, if there is one.
func (s *splitter) take() (doc []byte, tooLong bool) {
	value, long := bytes.TrimSpace(s.value), s.long
	s.value, s.long = nil, false
	switch {
	case long:
		return nil, true
	case len(value) == 0:
		return nil, false
	case s.list:
		return value, false
	case len(s.key) == 0:
		return nil, false
	}
	doc = append(append([]byte{'{'}, s.key...), value...)
	return append(doc, '}'), false
}
