package vterm_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
	"github.com/ptyrec/ptyrec/vterm"
)

const benchCols, benchRows = 120, 40

type stream struct {
	name string
	data []byte
}

// benchStreams are what the benchmarks feed: made text, and what the agents really wrote.
func benchStreams(b *testing.B) []stream {
	streams := []stream{
		{"plain", benchPlain()}, {"ansi", benchANSI()}, {"cjk", benchCJK()},
	}
	for _, name := range []string{"claude", "codex", "gemini", "altscreen"} {
		streams = append(streams, stream{name, readBench(b, name)})
	}
	return streams
}

func readBench(b *testing.B, name string) []byte {
	b.Helper()
	f, err := os.Open("testdata/bench/" + name + ".raw.gz")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// benchPlain is 1 MB of lines as a build log has them.
func benchPlain() []byte {
	var w bytes.Buffer
	for i := 0; w.Len() < 1<<20; i++ {
		fmt.Fprintf(&w, "%06d compiling package number %d of the tree, %s\r\n", i, i%977,
			"nothing to see here, move along please; the quick brown fox"[:i%58])
	}
	return w.Bytes()
}

// benchANSI is 1 MB with a change of style every few characters.
func benchANSI() []byte {
	var w bytes.Buffer
	for i := 0; w.Len() < 1<<20; i++ {
		fmt.Fprintf(&w, "\x1b[1;3%dmerror\x1b[0m: \x1b[38;5;%dmfile%d.go\x1b[39m:\x1b[38;2;%d;20;30m%d\x1b[m ",
			i%8, i%256, i%31, i%64, i%400)
		if i%3 == 2 {
			w.WriteString("\r\n")
		}
	}
	return w.Bytes()
}

// benchCJK is 1 MB of wide characters with emoji among them.
func benchCJK() []byte {
	var w bytes.Buffer
	for i := 0; w.Len() < 1<<20; i++ {
		fmt.Fprintf(&w, "漢字かな交じり文、世界中の人々。%c한국어도 있습니다\r\n", rune(0x4E00+i%5000))
		if i%20 == 0 {
			w.WriteString("🚀 ⚠️ 👨‍👩‍👧 done\r\n")
		}
	}
	return w.Bytes()
}

// BenchmarkWrite is the cost of a byte, with 10,000 lines of scrollback.
func BenchmarkWrite(b *testing.B) {
	for _, s := range benchStreams(b) {
		b.Run(s.name, func(b *testing.B) {
			t := vterm.New(vterm.Options{Cols: benchCols, Rows: benchRows})
			b.SetBytes(int64(len(s.data)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = t.Write(s.data)
			}
		})
	}
}

// BenchmarkBareVT10x is what vt10x alone needs for the same bytes, and for those that draw the
// screens of BenchmarkSnapshot.
func BenchmarkBareVT10x(b *testing.B) {
	for _, s := range append(benchStreams(b), benchScreens()...) {
		b.Run(s.name, func(b *testing.B) {
			t := vt10x.New(vt10x.WithSize(benchCols, benchRows))
			b.SetBytes(int64(len(s.data)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = t.Write(s.data)
			}
		})
	}
}

// benchScreen is a screen as an agent paints it: a diff with line numbers, a box, a status line.
func benchScreen() []byte {
	var w bytes.Buffer
	w.WriteString("\x1b[H\x1b[2J\x1b[38;2;153;153;153m╭" + strings.Repeat("─", benchCols-2) + "╮\r\n\x1b[m")
	for i := range benchRows - 3 {
		fmt.Fprintf(&w, "\x1b[2m%5d \x1b[22;%dm%c\x1b[39m   \x1b[1mfunc\x1b[22m handle%d(\x1b[36mctx\x1b[39m "+
			"context.Context, \x1b[36mn\x1b[39m int) error { // the old way of doing this\x1b[m\r\n",
			i, 31+i%2, "-+"[i%2], i)
	}
	w.WriteString("\x1b[38;2;153;153;153m╰" + strings.Repeat("─", benchCols-2) +
		"╯\x1b[m\r\n  \x1b[7m auto \x1b[27m ⏵⏵ accept edits on")
	return w.Bytes()
}

// benchScreens are whole screens; dense changes the style every few characters.
func benchScreens() []stream {
	return []stream{{"snapshot/full", benchScreen()}, {"snapshot/dense", benchANSI()[:20<<10]}}
}

// BenchmarkSnapshot reads a screen of which every row changed, or none.
func BenchmarkSnapshot(b *testing.B) {
	for _, s := range benchScreens() {
		b.Run(strings.TrimPrefix(s.name, "snapshot/"), func(b *testing.B) {
			t := vterm.New(vterm.Options{Cols: benchCols, Rows: benchRows})
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				_, _ = t.Write([]byte("\x1b#8"))
				t.Snapshot()
				_, _ = t.Write(s.data)
				t.TakeHistory()
				b.StartTimer()
				t.Snapshot()
			}
		})
	}
	b.Run("unchanged", func(b *testing.B) {
		t := vterm.New(vterm.Options{Cols: benchCols, Rows: benchRows})
		_, _ = t.Write(benchScreen())
		b.ReportAllocs()
		for b.Loop() {
			t.Snapshot()
		}
	})
}

// BenchmarkFrames is an agent's stream with a snapshot at each frame, as the Processor takes them.
func BenchmarkFrames(b *testing.B) {
	data := readBench(b, "claude")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var t *vterm.Term
		t = vterm.New(vterm.Options{Cols: benchCols, Rows: benchRows, OnCue: func(c vterm.Cue) {
			if c.Kind == vterm.CueFrame {
				t.Snapshot()
				t.TakeHistory()
			}
		}})
		_, _ = t.Write(data)
	}
}

// BenchmarkResize rewraps 10,000 lines of scrollback, to a narrower and back to a wider window.
func BenchmarkResize(b *testing.B) {
	t := vterm.New(vterm.Options{Cols: benchCols, Rows: benchRows})
	for range 2 {
		_, _ = t.Write(benchPlain())
	}
	b.ReportAllocs()
	for b.Loop() {
		t.Resize(benchCols-40, benchRows)
		t.Resize(benchCols, benchRows)
		t.TakeHistory()
	}
}
