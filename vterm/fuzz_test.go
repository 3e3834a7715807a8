package vterm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ptyrec/ptyrec/vterm"
)

// fuzzSeeds puts the hand-made streams into the corpus.
func fuzzSeeds(f *testing.F, add func(data []byte)) {
	f.Helper()
	for _, c := range readRef(f, "hand") {
		var all []byte
		for _, s := range c.Steps {
			all = append(all, s.W...)
		}
		add(all)
	}
}

// maxFuzz keeps one input's time small.
const maxFuzz = 4 << 10

// reading is all that a terminal tells.
type reading struct {
	Screen     *vterm.Snapshot
	Scrollback []*vterm.Row
	History    []vterm.HistoryRow
	Replies    string
	Modes      vterm.Modes
}

func read(t *vterm.Term) reading {
	return reading{t.Snapshot(), t.Scrollback(), t.TakeHistory(), string(t.TakeReplies()), t.Modes()}
}

func widthsOf(b bool) vterm.Widths {
	if b {
		return vterm.Unicode11
	}
	return vterm.Graphemes
}

// FuzzChunks: the same bytes give the same screen however they are cut into writes.
func FuzzChunks(f *testing.F) {
	fuzzSeeds(f, func(data []byte) { f.Add(data, uint8(3), true) })
	f.Fuzz(func(t *testing.T, data []byte, size uint8, unicode11 bool) {
		data = data[:min(len(data), maxFuzz)]
		o := vterm.Options{Cols: 20, Rows: 6, Scrollback: 100, Widths: widthsOf(unicode11), Replies: true}
		whole, cut := vterm.New(o), vterm.New(o)
		_, _ = whole.Write(data)
		for rest := data; len(rest) > 0; {
			n := min(int(size)%7+1, len(rest))
			if got, err := cut.Write(rest[:n]); got != n || err != nil {
				t.Fatalf("Write = %d, %v, want %d, nil", got, err, n)
			}
			rest = rest[n:]
		}
		if diff := cmp.Diff(read(whole), read(cut)); diff != "" {
			t.Errorf("in one write and in writes of %d bytes (-one +cut):\n%s", size%7+1, diff)
		}
	})
}

// FuzzStores: vt10x written before it is read, vt10x written cell by cell at each byte, and a store
// that only remembers hold the same cells, whatever the bytes and the sizes.
func FuzzStores(f *testing.F) {
	fuzzSeeds(f, func(data []byte) { f.Add(data, uint8(len(data)/2), uint8(9), uint8(4)) })
	f.Fuzz(func(t *testing.T, data []byte, at, cols, rows uint8) {
		data = data[:min(len(data), maxFuzz/4)] // the direct one is slow
		o := vterm.Options{Cols: 20, Rows: 6, Scrollback: 30}
		back, direct, memory := vterm.New(o), vterm.New(o), vterm.New(o)
		direct.DirectStore()
		memory.MemoryStore()
		split := min(int(at), len(data))
		check := func() {
			got, want := back.StoreCells()
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(vterm.Cell{})); diff != "" {
				t.Fatalf("vt10x, written before it is read (-screen +store):\n%s", diff)
			}
			if direct, _ := direct.StoreCells(); !cmp.Equal(direct, want, cmp.AllowUnexported(vterm.Cell{})) {
				t.Fatal("vt10x, written at each byte, differs")
			}
			if memory, _ := memory.StoreCells(); !cmp.Equal(memory, want, cmp.AllowUnexported(vterm.Cell{})) {
				t.Fatal("the store in memory differs")
			}
			shown := back.Shown()
			if diff := cmp.Diff(shown, memory.Shown()); diff != "" {
				t.Fatalf("snapshots (-vt10x +memory):\n%s", diff)
			}
			if diff := cmp.Diff(shown, back.Snapshot()); diff != "" {
				t.Fatalf("snapshots (-vt10x +vterm):\n%s", diff)
			}
		}
		for i, part := range [][]byte{data[:split], data[split:]} {
			if i > 0 {
				for _, v := range []*vterm.Term{back, direct, memory} {
					v.Resize(int(cols), int(rows))
				}
			}
			_, _ = back.Write(part)
			direct.WriteThrough(part)
			_, _ = memory.Write(part)
			check()
		}
	})
}

// FuzzTerm: no bytes and no size break it, and what it keeps stays bounded.
func FuzzTerm(f *testing.F) {
	fuzzSeeds(f, func(data []byte) { f.Add(data, int16(40), int16(3)) })
	f.Fuzz(func(t *testing.T, data []byte, cols, rows int16) {
		data = data[:min(len(data), maxFuzz)]
		v := vterm.New(vterm.Options{Cols: int(cols) % 300, Rows: int(rows) % 100, Scrollback: 50})
		_, _ = v.Write(data)
		v.Snapshot()
		v.Resize(int(rows)%300, int(cols)%100)
		_, _ = v.Write(data)
		v.Resize(int(cols)%200, int(rows)%200)
		s := v.Snapshot()
		if len(s.Lines) != s.Rows || s.CursorX >= s.Cols || s.CursorY >= s.Rows || s.CursorX < 0 || s.CursorY < 0 {
			t.Errorf("%d lines, cursor at %d,%d of %dx%d", len(s.Lines), s.CursorX, s.CursorY, s.Cols, s.Rows)
		}
		if n := v.WronglyUnused(); n > 0 {
			t.Errorf("%d rows hold cells past what they say is used", n)
		}
		if got := len(v.Scrollback()); got > 50 {
			t.Errorf("%d lines of scrollback, want at most 50", got)
		}
		if rows, _, _, _ := v.Held(); rows > 50+10000+2*200+64 {
			t.Errorf("%d rows are held", rows)
		}
	})
}
