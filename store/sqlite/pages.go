package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
)

// defaultPageSize is the page size of the databases that we create, in bytes.
const defaultPageSize = 4096

// pageFile reads the pages of a database file, and their newer versions in the write-ahead log. It
// does not use SQLite, which refuses damaged files. The format is described in
// https://www.sqlite.org/fileformat.html.
type pageFile struct {
	file, wal *os.File // wal may be nil
	pageSize  int64
	pages     uint32           // in the file, including a truncated last one
	newer     map[uint32]int64 // offset of a page's newest version in wal
	free      map[uint32]bool  // unused pages
}

// openPages opens the database at path. The caller must close it.
func openPages(path string) (*pageFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p := &pageFile{file: f, pageSize: defaultPageSize}
	if p.wal, err = os.Open(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, f.Close())
	}
	var head [headerSize]byte
	if _, err := io.ReadFull(f, head[:]); err == nil && string(head[:16]) == magic {
		if size := int64(binary.BigEndian.Uint16(head[16:])); size >= 512 && size&(size-1) == 0 {
			p.pageSize = size
		} else if size == 1 {
			p.pageSize = 1 << 16
		}
	}
	p.pages = uint32(min((info.Size()+p.pageSize-1)/p.pageSize, math.MaxUint32))
	p.readWAL()
	p.readFreelist()
	return p, nil
}

func (p *pageFile) close() error {
	err := p.file.Close()
	if p.wal != nil {
		err = errors.Join(err, p.wal.Close())
	}
	return err
}

const (
	walHeader   = 32
	frameHeader = 24
)

// readWAL finds the pages of committed transactions in the write-ahead log, up to the first damaged
// frame.
func (p *pageFile) readWAL() {
	p.newer = map[uint32]int64{}
	if p.wal == nil {
		return
	}
	head := make([]byte, walHeader)
	if _, err := p.wal.ReadAt(head, 0); err != nil {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return
	}
	if int64(binary.BigEndian.Uint32(head[8:])) != p.pageSize {
		return
	}
	sum := walSum(order, [2]uint32{}, head[:24])
	if !sumIs(head[24:], sum) {
		return
	}
	frame, open := make([]byte, frameHeader+p.pageSize), map[uint32]int64{}
	for at := int64(walHeader); ; at += int64(len(frame)) {
		if _, err := p.wal.ReadAt(frame, at); err != nil || !bytes.Equal(frame[8:16], head[16:24]) {
			return
		}
		sum = walSum(order, walSum(order, sum, frame[:8]), frame[frameHeader:])
		if !sumIs(frame[16:], sum) {
			return
		}
		open[binary.BigEndian.Uint32(frame)] = at + frameHeader
		if size := binary.BigEndian.Uint32(frame[4:]); size > 0 { // a commit
			for n, at := range open {
				p.newer[n] = at
			}
			clear(open)
			p.pages = max(p.pages, size)
		}
	}
}

func walSum(order binary.ByteOrder, sum [2]uint32, data []byte) [2]uint32 {
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += order.Uint32(data) + sum[1]
		sum[1] += order.Uint32(data[4:]) + sum[0]
	}
	return sum
}

func sumIs(data []byte, sum [2]uint32) bool {
	return binary.BigEndian.Uint32(data) == sum[0] && binary.BigEndian.Uint32(data[4:]) == sum[1]
}

// page returns page n, counted from 1, or nil if there is none. A truncated page is filled with
// zeros.
func (p *pageFile) page(n uint32) []byte {
	if n == 0 || n > p.pages {
		return nil
	}
	data := make([]byte, p.pageSize)
	if at, ok := p.newer[n]; ok {
		if _, err := p.wal.ReadAt(data, at); err == nil {
			return data
		}
	}
	if got, _ := p.file.ReadAt(data, int64(n-1)*p.pageSize); got == 0 {
		return nil
	}
	return data
}

// readFreelist collects the unused pages, if page 1 is readable.
func (p *pageFile) readFreelist() {
	p.free = map[uint32]bool{}
	first := p.page(1)
	if first == nil || string(first[:16]) != magic {
		return
	}
	for trunk := binary.BigEndian.Uint32(first[32:]); trunk != 0 && !p.free[trunk]; {
		data := p.page(trunk)
		if data == nil {
			return
		}
		p.free[trunk] = true
		count := int64(binary.BigEndian.Uint32(data[4:]))
		for i := range min(count, p.pageSize/4-2) {
			p.free[binary.BigEndian.Uint32(data[8+4*i:])] = true
		}
		trunk = binary.BigEndian.Uint32(data)
	}
}
