package document

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/testkit/rowtest"
)

// anyRows are what windows are made of, in any order: text, and what says little about its place.
var anyRows = []string{
	"", "", "▄▄▄▄▄▄▄▄▄▄", "▀▀▀▀▀▀▀▀▀▀", "──────────", "├───┼───┤", "│ a │ b │", "> yes",
	"> Why is it so, and for how long?",
	"✦ Done.", "✦ The parser drops all the headers that it has", "  read, and rebuilds the index.",
	"  read, and rebuilds", "● one", "  1 x := 1", "a",
}

// anyBody draws the rows of a window.
func anyBody(t *rapid.T) []row.Line {
	cols := rapid.SampledFrom([]int{12, 40, 60}).Draw(t, "columns")
	var rows []string
	for range rapid.IntRange(1, 9).Draw(t, "rows") {
		text := []rune(rapid.SampledFrom(anyRows).Draw(t, "row"))
		rows = append(rows, string(text[:min(len(text), cols)]))
	}
	rows = append(rows, "x") // no window is blank
	body := rowtest.Plain(cols, rows...)
	for i := range body {
		body[i].Wrapped = i > 0 && rapid.IntRange(0, 9).Draw(t, "wrapped") == 0
		body[i].Stale = rapid.IntRange(0, 9).Draw(t, "stale") == 0
	}
	return body
}

// TestAnyWindows shows a Document windows in any order, with clears, wipes, resizes and looks back
// between them: it stays whole.
func TestAnyWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Document
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			body := anyBody(t)
			switch rapid.IntRange(0, 12).Draw(t, "what") {
			case 0:
				d.Clear()
			case 1:
				d.Wipe()
			case 2:
				d.Resized(AltFrames)
			case 3:
				d.Extend(body)
			case 4:
				d.Rewrap(body, 0)
			case 5:
				d.Left = anyBody(t)
				d.Draw(body, 0, true)
			case 6:
				d.Draw(body, 0, false)
			case 7:
				d.Forget(rapid.IntRange(0, d.Base).Draw(t, "lines"))
			case 8:
				d.Late()
			case 9:
				d.Bridge([][]row.Line{anyBody(t)}, anyBody(t), body)
				d.Align(body)
			default:
				if own := d.Own(body); len(own) > 0 {
					d.Align(slices.Clone(own))
				}
			}
			if d.Base < 0 || d.Base > len(d.Lines) || d.Dirty > len(d.Lines) {
				t.Fatalf("%d lines, the window on line %d, new from line %d on", len(d.Lines), d.Base, d.Dirty)
			}
		}
	})
}
