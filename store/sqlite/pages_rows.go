package sqlite

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/store"
)

// maxRow limits how much memory is allocated for a damaged row, in bytes.
const maxRow = store.MaxSegment

// Types of pages.
const (
	innerIndex = 0x02
	innerTable = 0x05
	leafIndex  = 0x0a
	leafTable  = 0x0d // holds rows of a table
)

// rows calls fn with each readable row of any table, from all pages of the file. The values are
// nil, int64, float64, string or []byte. If the first value is nil, it is replaced by the row's
// number.
func (p *pageFile) rows(fn func(row []any) error) error {
	for n := uint32(1); n <= p.pages; n++ {
		if p.free[n] {
			continue
		}
		data := p.page(n)
		if data == nil || data[headOf(n)] != leafTable {
			continue
		}
		for _, at := range cells(data, headOf(n)) {
			if row := p.cell(data, at); row != nil {
				if err := fn(row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// headOf returns the offset of a page's header. On page 1 it follows the header of the file.
func headOf(page uint32) int {
	if page == 1 {
		return headerSize
	}
	return 0
}

// cells returns the offsets of a page's cells.
func cells(data []byte, head int) []int {
	first := head + 8
	if kind := data[head]; kind == innerTable || kind == innerIndex {
		first += 4
	}
	out := make([]int, min(int(binary.BigEndian.Uint16(data[head+3:])), (len(data)-first)/2))
	for i := range out {
		out[i] = int(binary.BigEndian.Uint16(data[first+2*i:]))
	}
	return out
}

// schemaWhole reports whether the whole schema is readable, names our tables, and each table and
// index begins with a page of the right type.
func (p *pageFile) schemaWhole() bool {
	ours := map[string]bool{"sessions": true, "segments": true, "entries": true, "entry_fts": true}
	var leaves func(n uint32, depth int) bool
	leaves = func(n uint32, depth int) bool {
		data := p.page(n)
		if data == nil || depth > 8 {
			return false
		}
		head := headOf(n)
		for _, at := range cells(data, head) {
			switch {
			case at < 8 || at > len(data)-4:
				return false
			case data[head] == innerTable:
				if !leaves(binary.BigEndian.Uint32(data[at:]), depth+1) {
					return false
				}
			case data[head] != leafTable || !p.schemaRow(p.cell(data, at), ours):
				return false
			}
		}
		return data[head] == leafTable || data[head] == innerTable && leaves(binary.BigEndian.Uint32(data[head+8:]), depth+1)
	}
	return leaves(1, 0) && len(ours) == 0
}

// schemaRow reports whether a row of the schema is valid, and removes its name from missing.
func (p *pageFile) schemaRow(row []any, missing map[string]bool) bool {
	if len(row) != 5 {
		return false
	}
	name, isName := row[1].(string)
	root, isRoot := row[3].(int64)
	text, isText := row[4].(string)
	if !isName || !isRoot || isText && !(strings.HasPrefix(text, "CREATE ") && utf8.ValidString(text)) {
		return false
	}
	delete(missing, name)
	if root == 0 { // a virtual table
		return isText
	}
	data := p.page(uint32(root))
	if data == nil {
		return false
	}
	switch kind := data[headOf(uint32(root))]; row[0] {
	case "table":
		return kind == leafTable || kind == innerTable || kind == leafIndex || kind == innerIndex // WITHOUT ROWID: an index
	case "index":
		return kind == leafIndex || kind == innerIndex
	}
	return false
}

// cell reads the row at an offset of a leaf page. It returns nil if there is none.
func (p *pageFile) cell(data []byte, at int) []any {
	if at < 8 || at >= len(data) {
		return nil
	}
	rest := data[at:]
	size, n := varint(rest)
	if n == 0 || size < 0 || size > maxRow {
		return nil
	}
	rest = rest[n:]
	key, n := varint(rest)
	if n == 0 {
		return nil
	}
	payload := p.payload(rest[n:], size)
	if payload == nil {
		return nil
	}
	row := record(payload)
	if len(row) > 0 && row[0] == nil {
		row[0] = key
	}
	return row
}

// payload joins the part of a row in its leaf page with those in overflow pages. It returns nil if
// one is missing.
func (p *pageFile) payload(local []byte, size int64) []byte {
	most := p.pageSize - 35
	if size <= most {
		if int64(len(local)) < size {
			return nil
		}
		return local[:size]
	}
	least := (p.pageSize-12)*32/255 - 23
	here := least + (size-least)%(p.pageSize-4)
	if here > most {
		here = least
	}
	if int64(len(local)) < here+4 {
		return nil
	}
	out := append([]byte(nil), local[:here]...)
	for next := binary.BigEndian.Uint32(local[here:]); int64(len(out)) < size; {
		data := p.page(next)
		if data == nil || p.free[next] {
			return nil
		}
		out = append(out, data[4:4+min(p.pageSize-4, size-int64(len(out)))]...)
		next = binary.BigEndian.Uint32(data)
	}
	return out
}

// record decodes the values of a row. It returns nil if they are invalid.
func record(data []byte) (row []any) {
	size, n := varint(data)
	if n == 0 || size < int64(n) || size > int64(len(data)) {
		return nil
	}
	kinds, data := data[n:size], data[size:]
	for len(kinds) > 0 {
		kind, n := varint(kinds)
		if n == 0 || kind < 0 {
			return nil
		}
		kinds = kinds[n:]
		value, width, ok := value(kind, data)
		if !ok {
			return nil
		}
		row, data = append(row, value), data[width:]
	}
	return row
}

// value decodes the value of a serial type at the beginning of data.
func value(kind int64, data []byte) (v any, width int, ok bool) {
	switch {
	case kind == 0:
		return nil, 0, true
	case kind == 8, kind == 9:
		return kind - 8, 0, true
	case kind <= 7:
		width = []int{0, 1, 2, 3, 4, 6, 8, 8}[kind]
	case kind >= 12:
		if kind > 2*maxRow {
			return nil, 0, false
		}
		width = int(kind-12) / 2
	default:
		return nil, 0, false
	}
	if width > len(data) {
		return nil, 0, false
	}
	data = data[:width]
	switch {
	case kind == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(data)), width, true
	case kind >= 12 && kind%2 == 0:
		return data, width, true
	case kind >= 12:
		return string(data), width, true
	}
	n := int64(int8(data[0]))
	for _, b := range data[1:] {
		n = n<<8 | int64(b)
	}
	return n, width, true
}

// varint decodes SQLite's variable-length integer: seven bits per byte, the highest first, and all
// eight bits of a ninth byte. n is the length in bytes, or 0 if data is too short.
func varint(data []byte) (v int64, n int) {
	for i := range min(len(data), 9) {
		if i == 8 {
			return v<<8 | int64(data[i]), 9
		}
		v = v<<7 | int64(data[i]&0x7f)
		if data[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
