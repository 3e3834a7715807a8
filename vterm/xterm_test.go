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

// unasked takes out the answers that the reference does not give: XTVERSION and the kitty keyboard's.
var unasked = strings.NewReplacer("\x1bP>|ptyrec\x1b\\", "", "\x1b[?0u", "")

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

func TestHandMadeCases(t *testing.T) { testReference(t, "hand") }
func TestRandomStreams(t *testing.T) { testReference(t, "random") }

func testReference(t *testing.T, name string) {
	bad := map[string]int{}
	all := map[string]int{}
	for _, c := range readRef(t, name) {
		all[c.Feat]++
		if c.Err != "" {
			continue
		}
		var diffs []string
		var replies bytes.Buffer
		play(c, whole, func(v *vterm.Term, n int) {
			replies.Write(v.TakeReplies())
			for _, d := range differences(v, replies.String(), c.Snaps[n]) {
				diffs = append(diffs, fmt.Sprintf("snapshot %d: %s", n, d))
			}
		})
		if len(diffs) > 0 {
			bad[c.Feat]++
			if os.Getenv("V") != "" {
				t.Errorf("%s: %v\n%s", c.ID, c.Steps, strings.Join(diffs, "\n"))
			}
		}
	}
	t.Log(bad, all)
}

// TestOwnCases runs cases of one's own: VTERM_CASES=DIR/NAME reads NAME.jsonl.gz and
// NAME.ref.jsonl.gz, the answers of xtref.mjs --attrs.
func TestOwnCases(t *testing.T) {
	name := os.Getenv("VTERM_CASES")
	if name == "" {
		t.Skip("VTERM_CASES is not set")
	}
	testReference(t, name)
}
