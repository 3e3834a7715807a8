package extractor

import (
	"fmt"
	"testing"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row/rowtest"
	"github.com/ptyrec/ptyrec/session"
)

// TestTruncate notes what is missing of an item on the first two of four rows. A prompt whose text
// an agent folds says how many lines are not shown.
func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		role, text string
		headless   bool
		lost       int // the row above which rows are lost, from 1
		omitted    int
		want       string
	}{
		{session.RoleUser, "Look: [Pasted text #1 +39 lines] and [Pasted text #2 +3 lines]", false, 0, 0, "42 middle"},
		{session.RoleUser, "[Pasted Text: 14 lines]", false, 0, 0, "14 middle"},
		{session.RoleUser, "[Pasted Content 4096 chars]", false, 0, 0, "0 middle"},
		{session.RoleUser, "[Pasted by me]", false, 0, 0, "0 "},
		{session.RoleAssistant, "[Pasted Text: 14 lines]", false, 0, 0, "0 "},
		{session.RoleAssistant, "left out", false, 0, 3, "3 middle"},
		{session.RoleAssistant, "headless", true, 1, 0, "0 head"},
		{session.RoleAssistant, "its first row", false, 1, 0, "0 "},
		{session.RoleAssistant, "its second row", false, 2, 0, "0 middle"},
		{session.RoleAssistant, "the next row", false, 4, 0, "0 tail"},
	} {
		lines := rowtest.Plain(20, "one", "two", "", "three")
		if lines[1].Omitted = tt.omitted; tt.lost > 0 {
			lines[tt.lost-1].Lost = true
		}
		it := chat.Item{Message: session.Message{Role: tt.role, Text: tt.text, Tool: &session.Tool{}}, End: 2, Headless: tt.headless}
		truncate(&it, lines)
		if got := fmt.Sprint(it.OmittedLines, " ", it.TruncatedAt); got != tt.want || it.Tool.Truncated != it.Truncated {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}
