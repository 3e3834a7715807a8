package vterm_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/vterm"
)

// refCase is a stream of writes, resizes and looks at the screen, and what xterm.js shows at each
// look.
type refCase struct {
	ID, Feat   string
	Cols, Rows int
	Steps      []refStep
	Snaps      []refSnap
	Err        string
}

type refStep struct {
	W []byte
	R []int
	S int
}

type refSnap struct {
	Cols, Rows, CX, CY  int
	PW, Alt, Hidden     bool
	Screen, ScreenW, SB []string
	Attr, SBW, SBAttr   []string
	Wrap, SBWrap        string
	Title, Replies      string
	Modes               map[string]any
}

// readRef joins NAME.jsonl.gz and NAME.ref.jsonl.gz.
func readRef(t testing.TB, name string) []refCase {
	t.Helper()
	var cases []refCase
	if !filepath.IsAbs(name) {
		name = filepath.Join("testdata", name)
	}
	eachLine(t, name+".jsonl.gz", func(line []byte) {
		var c refCase
		mustJSON(t, line, &c)
		cases = append(cases, c)
	})
	i := 0
	eachLine(t, name+".ref.jsonl.gz", func(line []byte) {
		id := cases[i].ID
		mustJSON(t, line, &cases[i])
		if cases[i].ID != id {
			t.Fatalf("%s: answer %d is for %s, want %s", name, i, cases[i].ID, id)
		}
		i++
	})
	if len(cases) == 0 || i != len(cases) {
		t.Fatalf("%s: %d cases, %d answers", name, len(cases), i)
	}
	return cases
}

func mustJSON(t testing.TB, line []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(line, v); err != nil {
		t.Fatal(err)
	}
}

func eachLine(t testing.TB, file string, do func([]byte)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		do(in.Bytes())
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
}

// play runs a case and calls look with each snapshot's number.
func play(c refCase, feed func(*vterm.Term, []byte), look func(*vterm.Term, int)) {
	t := vterm.New(vterm.Options{Cols: c.Cols, Rows: c.Rows, Widths: vterm.Unicode11, Replies: true})
	n := 0
	for _, s := range c.Steps {
		switch {
		case s.S != 0:
			look(t, n)
			n++
		case s.R != nil:
			t.Resize(s.R[0], s.R[1])
		default:
			feed(t, s.W)
		}
	}
	look(t, n)
}

func whole(t *vterm.Term, p []byte) { _, _ = t.Write(p) }

// bits is the wrap flags of rows.
func bits(rows []*vterm.Row) string {
	var b strings.Builder
	for _, r := range rows {
		if r.Wrapped {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	return b.String()
}

func texts(rows []*vterm.Row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.Text
	}
	return out
}
