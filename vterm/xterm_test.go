package vterm_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/vterm"
)

// The reference is @xterm/headless 6.0.0 with Unicode 11 widths. What of it is not followed:
//
//   - ED 1 in the last column clears the wrap flag of a line counted from the top of the
//     scrollback, and throws if there is no such line. Here it is that of the row below.
//   - Cells of the alternate screen beyond a right edge that moved in come back when it moves out.
//   - A zero-width character with nothing to join, behind the last column, moves the cursor past
//     the edge; a second one then wraps. Here both are dropped.
//   - A reflow mixes up the combining characters of the rows it moves, and forgets underline
//     styles, because it copies them by other rules than the cells. Here they move with the cells.
//   - Without wrapping, a wide character that does not fit at the end of a write leaves another
//     screen than one in the middle of it. Here the cuts do not matter.
//   - UTF-8 that is cut behind the byte 0x80 is decoded wrongly; xtref.mjs works around it.
//   - REP repeats up to 2^31 times. Here it stops, see maxRepeat.
//   - It does not answer XTVERSION and CSI ? u. The tests take those answers out.
//   - It underlines links. The tests know that; Style says what the program asked for.

// known are the streams of random.jsonl on which one of these shows, by id.
var known = map[string]string{
	"fz-resize/00044": "cells of the alternate screen come back",
}

// unasked takes out the answers that the reference does not give.
var unasked = strings.NewReplacer("\x1bP>|ptyrec\x1b\\", "", "\x1b[?0u", "")

func TestHandMadeCases(t *testing.T) {
	cases := readRef(t, "hand")
	if len(cases) != 400 {
		t.Fatalf("%d cases, want 400", len(cases))
	}
	testReference(t, cases, whole)
}

// TestCutStreams is the same in small pieces: how a stream is cut must not matter.
func TestCutStreams(t *testing.T) {
	testReference(t, readRef(t, "hand"), inPieces(1))
	testReference(t, readRef(t, "random"), inPieces(7))
}

func inPieces(size int) func(*vterm.Term, []byte) {
	return func(v *vterm.Term, p []byte) {
		for part := range slices.Chunk(p, size) {
			_, _ = v.Write(part)
		}
	}
}

func TestRandomStreams(t *testing.T) { testReference(t, readRef(t, "random"), whole) }

// TestRecordings holds the ends of sessions of each agent against the reference's.
func TestRecordings(t *testing.T) { testReference(t, readRef(t, "recordings"), whole) }

// TestOwnCases runs cases of one's own: VTERM_CASES=DIR/NAME reads NAME.jsonl.gz and
// NAME.ref.jsonl.gz, the answers of xtref.mjs --attrs.
func TestOwnCases(t *testing.T) {
	name := os.Getenv("VTERM_CASES")
	if name == "" {
		t.Skip("VTERM_CASES is not set")
	}
	testReference(t, readRef(t, name), whole)
}

func testReference(t *testing.T, cases []refCase, feed func(*vterm.Term, []byte)) {
	bad, all := map[string]int{}, map[string]int{}
	for _, c := range cases {
		all[c.Feat]++
		if c.Err != "" {
			continue // the reference threw
		}
		diffs := caseDifferences(c, feed)
		if len(diffs) == 0 {
			continue
		}
		bad[c.Feat]++
		if why := known[c.ID]; why != "" {
			t.Logf("%s: %s", c.ID, why)
			continue
		}
		t.Errorf("%s: %v\n%s", c.ID, c.Steps, strings.Join(diffs, "\n"))
	}
	t.Log("misses", bad, "of", all)
}

func caseDifferences(c refCase, feed func(*vterm.Term, []byte)) []string {
	var out []string
	var replies bytes.Buffer
	play(c, feed, func(v *vterm.Term, n int) {
		replies.Write(v.TakeReplies())
		for _, d := range differences(v, replies.String(), c.Snaps[n]) {
			out = append(out, fmt.Sprintf("snapshot %d: %s", n, d))
		}
	})
	return out
}

// differences names what of a snapshot is not as the reference has it.
func differences(t *vterm.Term, replies string, want refSnap) []string {
	var out []string
	miss := func(what string, got, want any) {
		if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
			out = append(out, what+"\n got "+g+"\nwant "+w)
		}
	}
	s := t.Snapshot()
	sb := t.Scrollback()
	miss("size", []int{s.Cols, s.Rows}, []int{want.Cols, want.Rows})
	miss("screen", texts(s.Lines), want.Screen)
	miss("wrap", bits(s.Lines), want.Wrap)
	miss("cursor", fmt.Sprint(s.CursorX, s.CursorY, s.PendingWrap), fmt.Sprint(want.CX, want.CY, want.PW))
	miss("scrollback", texts(sb), slices.Concat([]string{}, want.SB))
	miss("scrollback wrap", bits(sb), want.SBWrap)
	screen, above := t.RefAttrs()
	miss("style", screen, want.Attr)
	miss("scrollback style", above, slices.Concat([]string{}, want.SBAttr))
	screen, above = t.RefWidths()
	miss("width", screen, want.ScreenW)
	miss("scrollback width", above, slices.Concat([]string{}, want.SBW))
	miss("modes", refModes(t.Modes()), want.Modes)
	miss("alt", s.Alt, want.Alt)
	miss("title", s.Title, want.Title)
	miss("hidden", !s.Visible, want.Hidden)
	miss("replies", unasked.Replace(replies), want.Replies)
	miss("rows with cells past what is used", t.WronglyUnused(), 0)
	return out
}

// refModes is t's modes in the reference's words.
func refModes(m vterm.Modes) map[string]any {
	mouse := map[int]string{0: "none", 9: "x10", 1000: "vt200", 1002: "drag", 1003: "any"}
	return map[string]any{
		"applicationCursorKeysMode": m.ApplicationCursorKeys, "applicationKeypadMode": m.ApplicationKeypad,
		"bracketedPasteMode": m.BracketedPaste, "insertMode": m.Insert, "mouseTrackingMode": mouse[m.Mouse],
		"originMode": m.Origin, "reverseWraparoundMode": m.ReverseWraparound, "sendFocusMode": m.SendFocus,
		"synchronizedOutputMode": m.SynchronizedOutput, "wraparoundMode": m.Wraparound,
	}
}
