package vterm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ptyrec/ptyrec/vterm"
)

// shown is what a repaint has to bring back.
type shown struct {
	Text, Attrs, Widths []string
	Wrapped             []bool
	Alt, Visible, Wrap  bool
	X, Y                int
	Title, Keyboard     string
	Modes               vterm.Modes
}

func show(t *vterm.Term) shown {
	s := t.Snapshot()
	out := shown{Alt: s.Alt, Visible: s.Visible, Wrap: s.PendingWrap, X: s.CursorX, Y: s.CursorY, Title: s.Title,
		Modes: t.Modes(), Keyboard: t.Keyboard()}
	for y, l := range s.Lines {
		out.Text = append(out.Text, l.Text)
		out.Wrapped = append(out.Wrapped, l.Wrapped && y > 0)
	}
	out.Attrs, _ = t.RefAttrs()
	out.Widths, _ = t.RefWidths()
	return out
}

// dirt is what a terminal may be in the midst of when it gets a snapshot.
const dirt = "\x1b[1;31mold\x1b[?1049h\x1b[2;4r\x1b[?6h\x1b[4h\x1b(0\x1b[?1003;2004;1004h\x1b]8;;http:" +
	"//x\x07more\x1b[1\"q\x1b7\x1b[3g\x1b[>5u\x1b[>4;2m\x1b[5 q\x1b]2;title"

// repainted returns a terminal that shows what v does.
func repainted(v *vterm.Term, o vterm.Options, dirty bool) *vterm.Term {
	s := v.Snapshot()
	o.Cols, o.Rows = s.Cols, s.Rows
	again := vterm.New(o)
	if dirty {
		_, _ = again.Write([]byte(dirt))
	}
	_, _ = again.Write(v.Repaint())
	return again
}

func TestRepaint(t *testing.T) {
	for _, name := range []string{"hand", "random", "recordings"} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			bad := 0
			for _, c := range readRef(t, name) {
				if bad < 5 && !repaints(t, c, r) {
					bad++
				}
			}
		})
	}
}

// repaints plays a stream, and from somewhere on a second terminal that was repainted there.
func repaints(t *testing.T, c refCase, r *rand.Rand) bool {
	o := vterm.Options{Cols: c.Cols, Rows: c.Rows, Widths: vterm.Unicode11, Scrollback: -1}
	v := vterm.New(o)
	var again *vterm.Term
	from := r.IntN(len(c.Steps))
	for i, s := range c.Steps {
		if again != nil && len(s.R) == 2 {
			return true // what is above the screen is not repainted
		}
		if len(s.R) == 2 {
			v.Resize(s.R[0], s.R[1])
		}
		first, rest := s.W, s.W
		if i == from && len(s.W) > 0 {
			first = s.W[:r.IntN(len(s.W)+1)]
			rest = s.W[len(first):]
			_, _ = v.Write(first)
			if v.OddCharset() {
				return true
			}
			again = repainted(v, o, r.IntN(2) == 0)
			if diff := cmp.Diff(show(v), show(again)); diff != "" {
				t.Errorf("%s: repainted behind %q (-was +repainted):\n%s\n%q", c.ID, tail(first), diff, v.Repaint())
				return false
			}
		}
		_, _ = v.Write(rest)
		if again == nil {
			continue
		}
		_, _ = again.Write(rest)
		if diff := cmp.Diff(show(v), show(again)); diff != "" {
			t.Errorf("%s: repainted at step %d behind %q, and %d bytes later %q (-was +repainted):\n%s", c.ID, from,
				tail(first), len(rest), tail(rest), diff)
			return false
		}
	}
	return true
}

func tail(b []byte) []byte { return b[max(0, len(b)-200):] }

func TestRepaintKeyboard(t *testing.T) {
	o := size(20, 4)
	for _, text := range []string{"\x1b[>1u\x1b[>5u\x1b[>4;2m\x1b[5 q", "\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[=4;2u\x1b[?25l",
		"\x1b[>1u\x1b[>2u\x1b[<u\x1b[=0u"} {
		v := term(o, text)
		if diff := cmp.Diff(show(v), show(repainted(v, o, true))); diff != "" {
			t.Errorf("%q (-was +repainted):\n%s", text, diff)
		}
	}
}
