package team

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/store"
)

// pieces are the segments of a raw log to send. Their data is in an unnamed file to save memory.
// The zero value has no segments.
type pieces struct {
	list []piece
	file *os.File // nil if there are no segments
	size int64    // of the file, in bytes
}

// piece is a segment without its data.
type piece struct {
	firstEvent, endEvent int64 // numbers of its events: [first, end)
	sum                  [sha256.Size]byte
	at, size             int64 // offset and length of its data in the file, in bytes
}

// hash returns the SHA-256 of the segment in hexadecimal.
func (p piece) hash() string { return hex.EncodeToString(p.sum[:]) }

// newPieces returns pieces with a file in a folder. The caller must close them.
func newPieces(folder string) (*pieces, error) {
	f, err := os.CreateTemp(folder, ".sync-*") // 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &pieces{file: f}, nil
}

// add adds segments.
func (p *pieces) add(segments ...store.Segment) error {
	for _, seg := range segments {
		if _, err := p.file.WriteAt(seg.Data, p.size); err != nil {
			return err
		}
		size := int64(len(seg.Data))
		p.list = append(p.list, piece{seg.FirstEvent, seg.EndEvent, sha256.Sum256(seg.Data), p.size, size})
		p.size += size
	}
	return nil
}

// data returns the data of a segment.
func (p *pieces) data(of piece) ([]byte, error) {
	data := make([]byte, of.size)
	_, err := p.file.ReadAt(data, of.at)
	return data, err
}

// digest returns the digest of all segments.
func (p *pieces) digest() string {
	h := sha256.New()
	for _, seg := range p.list {
		_, _ = h.Write(seg.sum[:]) // never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// events returns the number of events in the raw log.
func (p *pieces) events() int64 {
	if len(p.list) == 0 {
		return 0
	}
	return p.list[len(p.list)-1].endEvent
}

// next returns the index of the first segment that the server lacks. It is 0 if the server has no
// raw log, or a different one.
func (p *pieces) next(have team.State) int {
	return 1 + slices.IndexFunc(p.list, func(seg piece) bool {
		return seg.endEvent == have.Events &&
			seg.hash() == have.SHA256
	})
}

func (p *pieces) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}
