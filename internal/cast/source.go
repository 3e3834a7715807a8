package cast

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/session"
)

const (
	bufferSize = 32 << 10
	// maxLine is the maximum length of a line, in bytes, to limit memory. Programs write far
	// shorter lines.
	maxLine = 64 << 20
	// maxWindow is the maximum window that a zstd stream may require, in bytes: that of zstd
	// --long.
	maxWindow = 128 << 20
	// A compressed recording that expands to more than bombSize bytes may be at most bombRatio
	// times its compressed size. For a day of an agent the ratio is 15; gzip reaches 1,000,
	// zstd 100,000.
	bombSize  = 128 << 20
	bombRatio = 100
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	utf8BOM   = []byte{0xef, 0xbb, 0xbf}
)

// source returns the lines of a recording, decompressed.
type source struct {
	br    *bufio.Reader
	close func()
	long  []byte // buffer for a line longer than the reader's buffer
	line  int    // number of the last line that was read, from 1
	cut   bool   // whether the compressed stream ended early
}

func newSource(r io.Reader) (*source, error) {
	in := &countingReader{r: r}
	s := &source{br: bufio.NewReaderSize(in, bufferSize), close: func() {}}
	magic, err := s.br.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		zr, err := gzip.NewReader(s.br)
		if err != nil {
			return nil, fmt.Errorf("%w: gzip: %w", session.ErrNotRecording, err)
		}
		s.br = bufio.NewReaderSize(&bombReader{countingReader{r: zr}, in}, bufferSize)
	case bytes.HasPrefix(magic, zstdMagic):
		zr, err := zstd.NewReader(s.br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("%w: zstd: %w", session.ErrNotRecording, err)
		}
		s.br, s.close = bufio.NewReaderSize(&bombReader{countingReader{r: zr}, in}, bufferSize), zr.Close
	}
	if bom, _ := s.br.Peek(len(utf8BOM)); bytes.Equal(bom, utf8BOM) {
		_, _ = s.br.Discard(len(utf8BOM))
	}
	return s, nil
}

// countingReader counts the bytes read through it.
type countingReader struct {
	r io.Reader
	n int64 // bytes read
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bombReader reads decompressed data, and fails if a small file expands too much.
type bombReader struct {
	countingReader
	packed *countingReader // counts the compressed data
}

func (b *bombReader) Read(p []byte) (int, error) {
	if b.n > bombSize && b.n/bombRatio > b.packed.n {
		return 0, fmt.Errorf("%d KiB expand to %d MiB or more: %w; decompress it yourself if you trust it", b.packed.n>>10,
			b.n>>20, session.ErrCorrupt)
	}
	return b.countingReader.Read(p)
}

// next returns the next line without its line end. It is valid until the next call. The error is
// never io.EOF together with a line.
func (s *source) next() ([]byte, error) {
	if s.cut {
		return nil, io.EOF
	}
	line, err := s.br.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.nextLong(line)
	}
	if isCut(err) {
		s.cut, err = true, io.EOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(line) == 0 {
		return nil, io.EOF
	}
	s.line++
	return bytes.TrimRight(line, "\r\n"), nil
}

func (s *source) nextLong(start []byte) ([]byte, error) {
	s.long = append(s.long[:0], start...)
	for {
		more, err := s.br.ReadSlice('\n')
		s.long = append(s.long, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.long, err
		}
		if len(s.long) > maxLine {
			return nil, fmt.Errorf("line %d is longer than %d MiB: %w", s.line+1, maxLine>>20, session.ErrCorrupt)
		}
	}
}

// atEnd skips blank lines, and the zeros that a power loss leaves, and reports whether that was the
// end.
func (s *source) atEnd() bool {
	for {
		line, err := s.next()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		if len(bytes.Trim(line, " \t\r\x00")) > 0 {
			return false
		}
	}
}

// isCut reports whether err means that a compressed stream ended before its end mark, or in
// garbage.
func isCut(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch)
}
